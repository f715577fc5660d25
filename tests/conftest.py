"""Shared fixtures: a real service to talk to, and a real PostgreSQL for it."""

from __future__ import annotations

import gc
import os
import random
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings

import petstore_frame as pf

if TYPE_CHECKING:
    from shop import Shop
    from threaded import Server

ROOT = Path(__file__).parents[1]
IN_MEMORY = Path("/dev/shm")
EXAMPLES = 20  # of each property
SEED = 20301205  # the same for everyone, so that a failure is not an accident of the day


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("random draws")
    group.addoption(
        "--campaign",
        action="store_true",
        help="run only the tests that draw their cases at random, with a new seed, "
        "and print the command that repeats a failure",
    )
    group.addoption("--seed", type=int, help=f"seed of all draws [default: {SEED}]")
    group.addoption(
        "--times",
        type=int,
        default=1,
        help="draw N times as many cases; from 2 on, matrices of cases are not sampled",
        metavar="N",
    )


@pytest.hookimpl(tryfirst=True)  # the plugin of hypothesis reads its seed in the same hook
def pytest_configure(config: pytest.Config) -> None:
    _keep_bytecode()
    gc.disable()  # until all tests are there
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a shell starts it so in the background
        signal.signal(signal.SIGINT, signal.default_int_handler)
    is_campaign = config.getoption("--campaign")
    if hasattr(config, "workerinput"):
        config.option.seed = config.workerinput["seed"]
    elif config.option.seed is None:
        config.option.seed = secrets.randbelow(10**9) if is_campaign else SEED
    is_default = config.option.seed == SEED and not is_campaign
    if not is_default:
        config.option.hypothesis_seed = str(config.option.seed)
    # Thousands of commits wait for a disk; what the tests kill are processes, not machines.
    if IN_MEMORY.is_dir() and shutil.disk_usage(IN_MEMORY).free > 4 * 2**30:
        os.environ.setdefault("TMPDIR", str(IN_MEMORY))
        tempfile.tempdir = None  # asked for anew
    # Not the journals of whoever runs the tests: one may be of a store that had the same port.
    state_folder = tempfile.TemporaryDirectory(prefix="petstore-state-", ignore_cleanup_errors=True)
    os.environ["XDG_STATE_HOME"] = state_folder.name
    config.add_cleanup(state_folder.cleanup)
    # A busy machine is not a defect, hence no deadline.
    settings.register_profile(
        "house",
        deadline=None,
        max_examples=EXAMPLES * config.getoption("--times"),
        derandomize=is_default,
        database=None,
    )
    settings.load_profile("house")


def pytest_configure_node(node: Any) -> None:
    """Give a worker of pytest-xdist the seed of this process, so that all draw the same cases."""
    node.workerinput["seed"] = node.config.option.seed


def _keep_bytecode() -> None:
    """Keep compiled modules in a folder of the tests if Python is told to write none.

    The suite starts hundreds of processes, and each would compile all that it imports: 1.8 seconds
    instead of 0.7 for a command.
    """
    if sys.dont_write_bytecode:
        sys.dont_write_bytecode = False
        sys.pycache_prefix = str(ROOT / ".pytest_cache" / "bytecode")
        os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def pytest_xdist_auto_num_workers() -> int:
    """Return two workers per core, as many tests wait for sockets and processes."""
    has_affinity = hasattr(os, "sched_getaffinity")  # not on macOS and Windows
    cores = len(os.sched_getaffinity(0)) if has_affinity else os.cpu_count() or 1
    return 2 * cores


def pytest_collection_finish() -> None:
    """Leave the modules and tests out of garbage collections; these took a tenth of the time."""
    gc.collect()
    gc.freeze()
    gc.enable()
    gc.set_threshold(100_000, 20, 20)


# What takes longest begins first, so that no worker is left alone with it.
LONGEST_FIRST = (
    "browser", "docs", "end_to_end", "spark", "postgres", "libreoffice", "faults",
    "server_variants", "conformance", "architecture",
)  # fmt: skip
TESTS = Path(__file__).parent


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> Iterator[None]:
    """Give each file to one worker, as its tests share servers, unless it names another group."""
    # Before the hook of pytest-xdist, which writes the group of a test into its name.
    for item in items:
        if item.get_closest_marker("xdist_group") is None:
            has_cluster = item.get_closest_marker("postgres") is not None
            group = "postgres" if has_cluster else str(item.path.relative_to(TESTS))
            item.add_marker(pytest.mark.xdist_group(group))
    yield
    if config.getoption("--campaign"):
        _deselect(config, items, [item for item in items if not _draws(item)])
    if config.getoption("--times") == 1:
        _deselect(config, items, _cases_not_drawn(config, items))
    items.sort(key=_rank)


def _draws(item: pytest.Item) -> bool:
    """Whether other cases are tried with another seed."""
    is_property = getattr(item.obj, "is_hypothesis_test", False)
    is_story = hasattr(getattr(item, "cls", None), "settings")  # hypothesis' RuleBasedStateMachine
    is_sampled = item.get_closest_marker("sampled") is not None
    return is_property or is_story or is_sampled or "seed" in item.fixturenames


def _deselect(config: pytest.Config, items: list[pytest.Item], unwanted: list[pytest.Item]) -> None:
    config.hook.pytest_deselected(items=unwanted)
    left_out = {id(item) for item in unwanted}
    items[:] = [item for item in items if id(item) not in left_out]


def _cases_not_drawn(config: pytest.Config, items: list[pytest.Item]) -> list[pytest.Item]:
    """Return the cases of matrices that the draw did not choose."""
    matrices: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("sampled"):
            matrices.setdefault(item.nodeid.partition("[")[0], []).append(item)
    unwanted = []
    for name, cases in matrices.items():
        (count,) = cases[0].get_closest_marker("sampled").args
        draw = random.Random(f"{config.option.seed} {name}")
        chosen = draw.sample(cases, min(count, len(cases)))
        unwanted += [case for case in cases if case not in chosen]
    return unwanted


def _rank(item: pytest.Item) -> int:
    (group,) = item.get_closest_marker("xdist_group").args
    name = group.partition("/")[0]
    return LONGEST_FIRST.index(name) if name in LONGEST_FIRST else len(LONGEST_FIRST)


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Print the seed of a campaign, and the command that repeats each failure."""
    if not config.getoption("--campaign"):
        return
    times = config.getoption("--times")
    options = f"--campaign --seed {config.option.seed}" + (f" --times {times}" if times > 1 else "")
    terminalreporter.write_line(f"to repeat these draws: pytest {options}")
    for report in terminalreporter.stats.get("failed", []):
        test = report.nodeid.partition("@")[0]  # pytest-xdist adds the group
        terminalreporter.write_line(f"to repeat one failure: pytest -n 0 {options} '{test}'")


@pytest.fixture(scope="session")
def seed(request: pytest.FixtureRequest) -> int:
    """The seed of all draws: a fixed one, or with --campaign a new one."""
    return int(request.config.option.seed)


@pytest.fixture
def draw(seed: int, request: pytest.FixtureRequest) -> random.Random:
    """Random numbers for one test."""
    return random.Random(f"{seed} {request.node.name}")


@pytest.fixture(scope="session")
def times(request: pytest.FixtureRequest) -> int:
    """How many times as many cases as usual are drawn."""
    return int(request.config.getoption("--times"))


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """An empty store of its own for one test."""
    from threaded import serve

    with serve(database=tmp_path / "store.sqlite3") as running:
        yield running


@pytest.fixture
def server_here(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Server:
    """The empty store, named by the environment, for what is typed in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("PETSTORE_BASE_URL", server.base_url)
    monkeypatch.setenv("PETSTORE_API_KEY", server.api_key.get_secret_value())
    return server


@pytest.fixture
def shop(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Shop]:
    """An office before a store that fails where its ``store.fault_of`` says so.

    ``pytest.mark.store(page_cap=5)`` gives further options of the FlakyStore.
    """
    from faults.flaky_store import KEY, FlakyStore
    from shop import Shop

    marker = request.node.get_closest_marker("store")
    options = {"has_links": True, "stall_s": 0.5} | (marker.kwargs if marker else {})
    with (
        FlakyStore(**options) as store,
        pf.Client(store.base_url, KEY, timeout=5.0, retry_timeout=0) as client,
    ):
        yield Shop(tmp_path / "office", client, store)


@pytest.fixture
def office(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> Shop:
    """A folder with a store in the environment, for what is typed in it."""
    from faults.flaky_store import KEY

    monkeypatch.chdir(shop.folder)
    monkeypatch.setenv("PETSTORE_BASE_URL", shop.store.base_url)
    monkeypatch.setenv("PETSTORE_API_KEY", KEY)
    monkeypatch.setenv("XDG_STATE_HOME", str(shop.folder / "state"))
    return shop


@pytest.fixture
def service_shop(tmp_path: Path, server: Server) -> Iterator[Shop]:
    """An office before the bundled service, which honors idempotency keys."""
    from shop import Shop

    with server.client() as client:
        yield Shop(tmp_path / "office", client)


@pytest.fixture
def process_server(tmp_path: Path) -> Iterator[pf.Server]:
    """An empty store in a process of its own, for tests of that process."""
    with pf.serve(database=tmp_path / "store.sqlite3") as running:
        yield running


@pytest.fixture
def pressed() -> Iterator[None]:
    """Let the timer's signal be Ctrl-C for the length of a test."""
    before = signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope="session")
def office_profile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A LibreOffice profile of the tests' own, so that the user's is left alone."""
    return tmp_path_factory.mktemp("libreoffice")


@pytest.fixture(scope="session")
def sample_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A store of 250 made-up pets for tests that only read."""
    from threaded import serve

    database = tmp_path_factory.mktemp("sample") / "store.sqlite3"
    with serve(database=database, sample=250, seed=7) as running:
        yield running


@pytest.fixture(scope="session")
def postgres_cluster() -> Iterator[str]:
    """The SQLAlchemy address of a PostgreSQL cluster of our own, without a database name."""
    from ports import free_port

    pytest.importorskip("psycopg", reason="psycopg is not installed")
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"))
    pg_ctl = str(programs[-1]) if programs else shutil.which("pg_ctl")
    if pg_ctl is None:
        pytest.skip("no PostgreSQL server program (apt-get install postgresql)")
    # PostgreSQL refuses to run as root, and its own user cannot enter pytest's folders.
    user = "postgres" if os.getuid() == 0 else None
    folder = Path(tempfile.mkdtemp(prefix="petstore-postgres-"))
    if user is not None:
        shutil.chown(folder, user, user)
    port = free_port()

    def control(*words: str) -> None:
        command = [pg_ctl, "-D", str(folder / "data"), "-l", str(folder / "log"), *words]
        subprocess.run(
            command, user=user, group=user, check=True, cwd="/", stdout=subprocess.DEVNULL
        )

    control("init", "-o", "-A trust -U petstore -E UTF8 --no-locale --no-sync")
    control("start", "-o", f"-p {port} -k {folder} -c listen_addresses=127.0.0.1")
    try:
        yield f"postgresql+psycopg://petstore@127.0.0.1:{port}"
    finally:
        control("stop", "-m", "fast")  # no waiting for clients
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def new_postgres_database(postgres_cluster: str) -> Callable[[], str]:
    """Make a database with a name of its own and return its SQLAlchemy address."""
    import psycopg

    address = postgres_cluster.replace("postgresql+psycopg", "postgresql") + "/postgres"

    def make() -> str:
        name = f"store_{secrets.token_hex(4)}"
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return f"{postgres_cluster}/{name}"

    return make
