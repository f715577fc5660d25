"""The content of a journal at each moment, and the outcome if its disk or its files fail."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

import petstore_frame as pf
from campaigns import damaged_files as damage
from faults.flaky_store import FlakyStore
from faults.load_harness import journal_in, result_in
from petstore_frame.errors import JournalError
from petstore_frame.loader import view_of
from petstore_frame.loader.journal import database
from petstore_frame.loader.journal.database import (
    SUFFIX,
    Writer,
    count_file,
    is_as_closed,
    place_of,
    write_count,
)
from petstore_frame.loader.journal.schema import FORMAT
from petstore_frame.loader.row_state import State

LOST = (
    "log ", "one bit of the log", "main file and log", "count file removed", "main file removed",
)  # fmt: skip


@pytest.fixture
def killed(stores, run_child) -> FlakyStore:
    """A store into which a load of sixty records was killed in its middle."""
    store: FlakyStore = stores()
    run_child(60, store, step="committed", nth=9)
    store.wait_until_alone()
    return store


@pytest.mark.parametrize("is_sending", [False, True])
def test_a_full_disk_is_called_full_by_its_path(
    tmp_path: Path, monkeypatch, stores, run_load, go_on, is_sending: bool
) -> None:
    """It says what was sent and is not on disk, and the same load goes on once there is room."""
    store, begin = stores(), Writer.transaction

    def full(writer: Writer):
        if store.posts or not is_sending:
            ((pages,),) = writer.sql.execute("PRAGMA page_count").fetchall()
            writer.sql.execute(f"PRAGMA max_page_count = {pages}")
        return begin(writer)

    with monkeypatch.context() as patch:
        patch.setattr(Writer, "transaction", full)
        with pytest.raises(JournalError) as caught:
            run_load(1000, store)
    done = "; sending has stopped" if is_sending else "; nothing was sent"
    assert f"the disk of {journal_in(tmp_path)} is full{done}; free some" in str(caught.value)
    assert ("not on disk: row" in str(caught.value)) is (store.posts > 0) is is_sending
    go_on(1000, store)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Callable[[str], Path]]:
    """Mount a file system of a size such as ``64k``, or give the mounted one another size."""
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = []

    def mount(size: str) -> Path:
        options = f"remount,size={size}" if mounted else f"size={size}"
        command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
        if subprocess.run(command, capture_output=True, check=False).returncode:
            pytest.skip("needs the right to mount a file system")
        mounted.append(size)
        return folder

    if shutil.which("mount") is None:
        pytest.skip("needs the program mount")
    yield mount
    if mounted:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("size_kib", [4, 8, 12, 16, 24, 32, 48, 64, 96])
def test_a_first_load_on_a_full_disk_can_be_repeated(
    stores, run_load, go_on, small_disk, size_kib: int
) -> None:
    """The disk is called full, and the same load succeeds once there is space."""
    store, rows = stores(), 60 + 12 * size_kib  # more than such a disk can take
    journal = small_disk(f"{size_kib}k")
    with pytest.raises(JournalError) as caught:
        run_load(rows, store, journal=journal)
    assert f"the disk of {place_of(journal, store.base_url)} is full" in str(caught.value)
    assert store.posts == 0 and "nothing was sent" in str(caught.value)
    small_disk("20m")
    go_on(rows, store, journal=journal)


def test_an_empty_count_without_a_journal_is_no_damage(tmp_path: Path, stores, run_load) -> None:
    """Nothing was lost if there was never a journal."""
    store, folder = stores(), tmp_path / "journal"
    folder.mkdir()
    count_file(place_of(folder, store.base_url)).touch()
    assert run_load(3, store).counts[State.CREATED] == 3


def test_a_link_in_place_of_the_count_is_not_followed(tmp_path: Path, stores, run_load) -> None:
    """A link that leads nowhere is replaced, so that no file of another name is made or changed."""
    store, folder, target = stores(), tmp_path / "journal", tmp_path / "target"
    folder.mkdir()
    count = count_file(place_of(folder, store.base_url))
    count.symlink_to(target)
    assert run_load(3, store).counts[State.CREATED] == 3
    assert not target.exists() and not count.is_symlink()


@pytest.mark.skipif(os.name != "posix", reason="Windows has access lists")
def test_only_its_owner_can_read_a_journal(tmp_path: Path, load_with) -> None:
    """A journal has the cells of the user's files."""
    before = os.umask(0o000)
    try:
        result, _ = load_with(3)
    finally:
        os.umask(before)
    assert (tmp_path / "journal").stat().st_mode & 0o077 == 0
    for path in (view_of(result).path, count_file(view_of(result).path)):
        assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("name", ["j" * 300, "a\0b"], ids=["too long", "NUL"])
def test_a_path_that_cannot_be_is_an_error_of_ours(tmp_path: Path, stores, run_load, name) -> None:
    """It names the path, and nothing is sent."""
    store, folder = stores(), tmp_path / name
    with pytest.raises(JournalError, match="nothing was sent"):
        run_load(3, store, journal=folder)
    with pytest.raises(JournalError):
        pf.read_ids(store.base_url, journal=folder)
    assert store.posts == 0


def test_a_user_without_a_home_is_told_what_to_set(monkeypatch, stores, run_load) -> None:
    """The error names the variables and the option, and nothing is sent."""
    for name in ("HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)  # as for an unknown user
    store = stores()
    with pytest.raises(pf.ConfigurationError, match=r"HOME.*--journal"):
        run_load(3, store, journal=None)
    assert store.posts == 0


def test_a_state_folder_that_cannot_be_written_is_named(
    monkeypatch, tmp_path: Path, stores, run_load
) -> None:
    """The error has the path and says that nothing was sent."""
    (tmp_path / "state").write_text("a file")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    store = stores()
    with pytest.raises(JournalError, match=f"{tmp_path}/state.*nothing was sent"):
        run_load(3, store, journal=None)
    assert store.posts == 0


def test_nothing_was_sent_is_not_said_after_something_was(monkeypatch, stores, run_load) -> None:
    """Where a journal cannot be read back, its error does not speak of what was sent."""
    store, connect = stores(), database.connect
    first = run_load(9, store)

    def fail_later(path: Path, *, mode: str = "ro") -> sqlite3.Connection:
        if mode == "ro" and store.posts == 18:
            raise sqlite3.OperationalError("unable to open database file")
        return connect(path, mode=mode)

    monkeypatch.setattr(database, "connect", fail_later)
    with pytest.raises(JournalError) as later:
        run_load(9, store, name="later.csv", first=100)
    with pytest.raises(JournalError) as looked:
        len(first.frame)
    assert store.posts == 18
    assert "nothing was sent" not in f"{later.value} {looked.value}"


def test_a_write_that_the_system_refuses_stops_the_import(stores, run_child, go_on) -> None:
    """A real error of the file system stops the sending; what was on its way is unconfirmed."""
    store = stores()
    code, facts = run_child(900, store, file_limit=500_000)
    assert (code, facts) == (1, {})
    assert 0 < store.posts < 900
    go_on(900, store)


def test_whatever_is_lost_is_noticed_and_nothing_is_doubled(seed: int, times: int) -> None:
    """Logs removed, cut and flipped, older databases and missing files are refused."""
    for kind, outcome in damage.run(4 * times, seed).items():
        assert (outcome.doubled, outcome.other_errors) == (0, {}), kind
        if kind.startswith(LOST):
            assert outcome.refused == outcome.trials, kind


def test_a_count_that_is_behind_proves_nothing_lost(tmp_path: Path, load_with, run_load) -> None:
    """A power cut may leave the count behind the database, and never ahead of it."""
    _, store = load_with(5)
    write_count(journal_in(tmp_path), 1)
    assert run_load(5, store).counts[State.CREATED] == 5 == store.posts


@pytest.mark.parametrize("content", [b"", b"garbage" * 1000, b"\0" * 21, b"0" * 17 + b"x07\n"])
@pytest.mark.parametrize("place", [count_file, Path], ids=["count", "journal"])
def test_a_damaged_file_is_refused(load_with, run_load, place, content: bytes) -> None:
    """A journal may know what is in the store: without all of it, sending anew is no advice."""
    result, store = load_with(3)
    place(view_of(result).path).write_bytes(content)
    with pytest.raises(JournalError, match="nothing was sent"):
        run_load(9, store)
    assert store.posts == 3


def test_a_damaged_finished_journal_is_read_or_is_one_error(tmp_path: Path, load_with) -> None:
    """Ten flipped bits are a JournalError wherever they are noticed, and no other error."""
    result, store = load_with(40)
    whole = view_of(result).path.read_bytes()
    stat = view_of(result).path.stat()
    times = stat.st_atime_ns, stat.st_mtime_ns
    looks = (
        lambda: list(view_of(result_in(tmp_path)).rows()),
        lambda: pf.LoadResult(view_of(result)).frame,
        lambda: pf.read_ids(store.base_url, journal=tmp_path / "journal"),
    )
    for seed in range(12):
        draw, content = random.Random(seed), bytearray(whole)
        for _ in range(10):
            content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
        view_of(result).path.write_bytes(content)
        os.utime(view_of(result).path, ns=times)  # so the file looks as it was closed
        for look in looks:
            with suppress(JournalError):
                look()


@pytest.mark.parametrize(
    ("written", "damaged"), [(b"created", b"createD"), (b'{"', b"{'"), (b"pending", b"pendinG")]
)
def test_a_damaged_value_is_a_journal_error(tmp_path: Path, load_with, written, damaged) -> None:
    """Even if the size and the time of the file say that nobody changed it."""
    result, _ = load_with(3)
    path = view_of(result).path
    stat, content = path.stat(), path.read_bytes()
    path.write_bytes(content.replace(written, damaged))
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    with suppress(JournalError):
        list(view_of(result_in(tmp_path)).rows())
        len(pf.LoadResult(view_of(result)).frame)


def test_damaged_text_of_the_schema_is_a_journal_error(tmp_path: Path, load_with) -> None:
    """A message of SQLite that is not UTF-8, as it quotes the damage, is a JournalError, too."""
    result, _ = load_with(1)
    path = view_of(result).path
    path.write_bytes(path.read_bytes().replace(b"CREATE TABLE rows", b"CREATE \xc5\x28BLE rows"))
    with pytest.raises(JournalError, match="damaged"):
        list(view_of(result_in(tmp_path)).rows())


def test_a_look_at_a_lost_journal_makes_none(tmp_path: Path, load_with) -> None:
    """An old result whose journal is gone says so, and later imports are not disturbed."""
    result, _ = load_with(3)
    for path in (tmp_path / "journal").iterdir():
        path.unlink()
    with pytest.raises(JournalError, match="is gone"):
        len(result.frame)
    assert list((tmp_path / "journal").glob(f"*{SUFFIX}")) == []


def test_a_killed_journal_that_was_only_looked_at_goes_on(
    tmp_path: Path, killed: FlakyStore, go_on
) -> None:
    """A reader changes nothing of a journal, so the next import finds all that was in its log."""
    log = Path(f"{journal_in(tmp_path)}-wal").read_bytes()
    assert len(result_in(tmp_path).frame) == 60
    assert Path(f"{journal_in(tmp_path)}-wal").read_bytes() == log
    go_on(60, killed)


def test_a_journal_moved_as_a_whole_goes_on(
    tmp_path: Path, killed: FlakyStore, run_load, go_on
) -> None:
    """All its files in another folder are the same journal; one of them alone is refused."""
    sent, moved, alone = killed.posts, tmp_path / "moved", tmp_path / "alone"
    shutil.copytree(tmp_path / "journal", moved)
    alone.mkdir()
    shutil.copy(journal_in(tmp_path), alone)
    with pytest.raises(JournalError, match="moved or copied without"):
        run_load(60, killed, journal=alone)
    assert killed.posts == sent
    go_on(60, killed, journal=moved)


def test_a_result_finds_its_journal_from_another_working_directory(
    tmp_path: Path, monkeypatch, load_with
) -> None:
    """A relative folder of journals is made absolute when the import begins."""
    monkeypatch.chdir(tmp_path)
    result, _ = load_with(3, journal="relative")
    monkeypatch.chdir("/")
    assert "Done" in str(result) and len(result.frame) == 3
    assert Path(view_of(result).summary["journal"]).parent == tmp_path / "relative"


def test_a_journal_of_another_format_is_refused_by_name(load_with, run_load) -> None:
    """What another version wrote is neither read nor changed."""
    result, store = load_with(3)
    with closing(sqlite3.connect(view_of(result).path)) as sql:
        sql.execute("UPDATE journal SET format = 5")
        sql.commit()
    view_of(result).path.with_name(f"{view_of(result).path.name}.commits").touch()
    with pytest.raises(JournalError, match=f"has the format 5, and this program reads {FORMAT}"):
        run_load(9, store)
    assert store.posts == 3


def test_a_journal_is_checked_again_if_anyone_has_written_to_it(load_with, run_load) -> None:
    """Only a journal that is as a load has closed it needs no check, which takes ever longer."""
    result, store = load_with(3)
    path = view_of(result).path
    assert is_as_closed(path)
    content = bytearray(path.read_bytes())
    path.write_bytes(content)
    assert not is_as_closed(path)
    run_load(3, store)
    assert is_as_closed(path)
