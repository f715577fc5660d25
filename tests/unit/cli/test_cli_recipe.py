"""``petstore-frame recipe``: drafts a recipe, and lists the options that there are."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

import petstore_frame as pf
from end_to_end.shell import program, typed


def test_each_option_is_described() -> None:
    """The shell, help(pf.Recipe), the TypedDict and a TOML file show the same description."""
    listed = typed("petstore-frame recipe --options").stdout
    from petstore_frame.loader.source import RecipeOptions

    for name, description in pf.Recipe.describe().items():
        line = f"{name}: {description}."
        assert description and line in listed
        assert line in str(pf.Recipe.__doc__) and line in str(RecipeOptions.__doc__)


def test_a_recipe_is_drafted_from_standard_input() -> None:
    """A dash reads the bytes that come, whatever kind of file they are."""
    line = ["recipe", "-"]
    drafted = CliRunner().invoke(program, line, input='{"name": "Rex", "category_id": 3}\n')
    assert tomllib.loads(drafted.stdout)["mapping"] == {
        "name": "name",
        "category_id": "category_id",
    }


def test_a_draft_never_replaces_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A recipe that somebody filled in stays as it is."""
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text("name,category_id\nRex,3\n")
    Path("a.toml").write_text("key = 'Tag'\n")
    refused = typed("petstore-frame recipe a.csv --output a.toml")
    assert refused.exit_code == 2 and Path("a.toml").read_text() == "key = 'Tag'\n"


@pytest.mark.usefixtures("server_here")
def test_a_saved_recipe_replaces_neither_an_input_nor_another_file() -> None:
    """The file that is loaded stays even with --overwrite; another file needs --overwrite."""
    pets, recipe = "tag,name,categoryId\n1,Ada,1\n", "# ours\nkey = 'tag'\n"
    Path("in.csv").write_text(pets, encoding="utf-8")
    Path("ours.toml").write_text(recipe, encoding="utf-8")
    line = "petstore-frame load in.csv --key tag --journal journal --save-recipe"
    codes = [typed(f"{line} {name}").exit_code for name in ("in.csv --overwrite", "ours.toml")]
    assert codes == [2, 2]
    assert (Path("in.csv").read_text(), Path("ours.toml").read_text()) == (pets, recipe)
    assert typed(f"{line} ours.toml --overwrite").exit_code == 0
    assert typed(f"{line} ours.toml").exit_code == 0  # it has this content already
