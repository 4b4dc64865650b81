# SPDX-License-Identifier: Apache-2.0
"""The lock of the state directory: a reader that starts waits for a command, and not for another reader."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import os
import signal
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest

from rig.processes import Child, listens
from rig.reader import Settings, binary
from rig.waiting import until

PATIENCE_SECONDS = 2.0
"""The reader's wait for a command."""
END_SECONDS = 20.0
"""From the end of that to the end of the process: a bound for a busy machine."""
ATTEMPTS = 2
"""To take the lock, by which a wait is seen."""
IN_OPEN, EVENT_OCTETS = 0x20, 16
"""An opening, and the size of an event (linux/inotify.h). Equal events that follow each other count as one until they
are read."""
COMMANDS = 3
"""That show the key of a reader that starts."""
ROUNDS = 5
"""Of starts with commands: without a wait, each of them failed."""


async def reader(directory: Path, name: str = "reader", **tables: dict[str, object]) -> Child:
    """A reader without a controller, which it goes on looking for. It listens at NAME.sock once it runs."""
    configuration = directory / f"{name}.toml"
    configuration.write_text(Settings(tables).toml())
    command = [str(binary()), "run", "--hci", f"unix:{directory}/none", "--config", str(configuration)]
    return await Child.start(
        name, [*command, "--state", str(directory / "state"), "--control", str(directory / f"{name}.sock")]
    )


async def runs(child: Child, directory: Path) -> None:
    """Waits until the reader listens. Raises AssertionError with its last lines if it ends instead."""

    def is_up() -> bool:
        assert child.returncode is None, f"{child.name} ended:\n{child.tail()}"
        return listens(directory / f"{child.name}.sock")

    await until(f"{child.name} listens", is_up)


def holder(directory: Path) -> list[str]:
    """The record in the lock's file: a process and a command."""
    with contextlib.suppress(FileNotFoundError):
        return (directory / "state" / "readerd.lock").read_text().split()
    return []


@contextlib.contextmanager
def openings(path: Path) -> Iterator[Callable[[], int]]:
    """Counts how often a file is opened (inotify(7))."""
    library = ctypes.CDLL(None, use_errno=True)
    descriptor = library.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
    assert descriptor >= 0, os.strerror(ctypes.get_errno())
    seen = 0

    def count() -> int:
        nonlocal seen
        with contextlib.suppress(BlockingIOError):
            # An event of a file has no name: watch, mask, cookie and length.
            seen += len(os.read(descriptor, EVENT_OCTETS * 256)) // EVENT_OCTETS
        return seen

    try:
        assert library.inotify_add_watch(descriptor, os.fsencode(path), IN_OPEN) >= 0, os.strerror(ctypes.get_errno())
        yield count
    finally:
        os.close(descriptor)


@contextlib.asynccontextmanager
async def self_test(directory: Path, seconds: int) -> AsyncIterator[Child]:
    """A self-test that has the directory: it waits so long for a silent controller."""

    async def swallow(stream, writer):
        await stream.read(-1)
        writer.close()

    (directory / "state").mkdir(mode=0o700)
    server = await asyncio.start_unix_server(swallow, str(directory / "silent"))
    command = [str(binary()), "self-test", "--hci", f"unix:{directory}/silent", "--only", "controller"]
    async with server:
        child = await Child.start(
            "self-test", [*command, "--state", str(directory / "state"), "--timeout", str(seconds)]
        )
        try:
            await until("the self-test has the directory", lambda: holder(directory)[:1] == [str(child.pid)])
            yield child
        finally:
            await child.stop()


@pytest.mark.seconds(60)
async def test_a_reader_that_starts_waits_for_a_command(directory):
    async with self_test(directory, 60) as command:
        with openings(directory / "state" / "readerd.lock") as count:
            child = await reader(directory)
            # An attempt opens the file again: it has failed once, and the reader has waited.
            await until("the reader has tried twice", lambda: count() >= ATTEMPTS)
        assert command.returncode is None
        assert child.returncode is None
        assert await command.stop() == -signal.SIGTERM
        await runs(child, directory)
    assert holder(directory) == [str(child.pid), "run"]
    assert await child.stop() == 0
    assert holder(directory) == []


@pytest.mark.seconds(60)
async def test_a_command_that_does_not_end_is_named(directory):
    async with self_test(directory, 60) as command:
        child = await reader(directory)
        assert await child.ended(PATIENCE_SECONDS + END_SECONDS) == 1
        assert child.lines[-1].text == (
            f"readerd: {directory}/state: still in use by readerd self-test (process {command.pid}) after 2 s; "
            "try again when that has ended"
        )


async def test_a_second_reader_is_refused(directory):
    first = await reader(directory)
    await runs(first, directory)
    second = await reader(directory, "second")
    assert await second.ended(END_SECONDS) == 1
    assert second.lines[-1].text == (
        f"readerd: {directory}/state: in use by a readerd (process {first.pid}); stop it first "
        "(service: systemctl stop readerd)"
    )
    assert await first.stop() == 0


async def test_a_reader_that_was_killed_is_not_taken_for_the_holder(directory):
    killed = await reader(directory)
    await runs(killed, directory)
    os.kill(killed.pid, signal.SIGKILL)
    await killed.ended(END_SECONDS)
    assert holder(directory) == [str(killed.pid), "run"]
    child = await reader(directory, "next")
    await runs(child, directory)
    assert holder(directory) == [str(child.pid), "run"]
    assert await child.stop() == 0


@pytest.mark.seconds(60)
async def test_a_start_and_the_commands_that_show_its_key_meet(directory):
    for number in range(ROUNDS):
        place = directory / str(number)
        (place / "state").mkdir(parents=True, mode=0o700)
        show = [str(binary()), "pkoc", "--state", str(place / "state")]
        pkoc = {"modes": ["access", "pkoc"]}
        child, *shown = await asyncio.gather(
            reader(place, advertising=pkoc), *(Child.start("pkoc", show) for _ in range(COMMANDS))
        )
        for command in shown:
            assert await command.ended(END_SECONDS) == 0, command.tail()
        await runs(child, place)
        key = await child.line(r"pkoc: site key (\w+)", END_SECONDS)
        keys = {command.lines[-1].text for command in shown}
        assert len(keys) == 1 and key.text.endswith(keys.pop())
        assert await child.stop() == 0
