#!/usr/bin/env -S uv run --script
# /// script
# dependencies = ["nox>=2025.10.14"]
# ///
"""The commands of CONTRIBUTING, each in a new environment; ``nox`` runs the style and all tests."""

import nox

nox.needs_version = ">=2025.10.14"
nox.options.default_venv_backend = "uv|virtualenv"


@nox.session
def style(session: nox.Session) -> None:
    """Check style, types and layers."""
    session.install(".[test]")
    session.run("bash", ".ci/style", *session.posargs, external=True)


@nox.session(python=["3.11", "3.12", "3.13"])
def tests(session: nox.Session) -> None:
    """Run the tests: ``nox -s tests-3.12 -- tests/unit/schema``."""
    session.install(".[test]")
    session.run("pytest", *session.posargs)


@nox.session(default=False)
def docs(session: nox.Session) -> None:
    """Build the site; a warning is an error."""
    session.install(".[docs]")
    session.run("sphinx-build", "-W", "-j", "2", "docs", "docs/_build")


if __name__ == "__main__":
    nox.main()
