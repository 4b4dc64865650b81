# SPDX-License-Identifier: Apache-2.0
"""Tables that are executed in one run of the reader, over one link; each row's outcome is kept for a separate test."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

from access.oss import Event, event_query, events
from access.results import SystemStatus, VersionInfo
from access.status import Status
from access.tokens import Command, Timestamp
from access.wire import delimited, message
from rig.phone import Link, Refused

Row = TypeVar("Row")
Outcome = TypeVar("Outcome")

TABLE_SECONDS = 600.0
"""For a whole table: a row takes about a tenth of a second, on a busy machine ten times that."""

LONG_TIMEOUTS = {
    "advertising": {"modes": ["access"]},
    "links": {"max-connection-ms": 60_000, "longest-connection-s": 3600},
}
"""Settings of a reader on a machine that does much else: it waits for phones as long as it can, and has one mode, so
that it never has to guess by which one a phone came."""

UNGATED = {**LONG_TIMEOUTS, "proximity": {"gate": []}}
"""And a gate that measures nothing, for rows about other matters."""

ATTEMPTS = 5
"""For what waits for the disk: the reader gives each 1.5 s, and most need a millisecond."""

_OWN = {"PING", "EV_QUERY", "UPDATE", "BL_PUSH", "BL_CLEAR", "diof", "STATUS"}
"""Commands of the rig itself."""

_SYSTEM = 4


class Played:
    """The outcomes of a table, by the names of its rows."""

    def __init__(self, outcomes: dict[str, Outcome | Exception]) -> None:
        self._outcomes = outcomes

    def of(self, name: str) -> Outcome:
        """The outcome of the row. Raises the row's error."""
        outcome = self._outcomes[name]
        if isinstance(outcome, Exception):
            raise outcome
        return outcome


def play(table: Callable[[], Awaitable[Played]]) -> Played:
    """Plays a table, bounded in time."""
    return asyncio.run(asyncio.wait_for(table(), TABLE_SECONDS))


async def outcomes(rows: Iterable[tuple[str, Row]], one: Callable[[Row], Awaitable[Outcome]]) -> Played:
    """Plays the rows in their order; what goes wrong with one is kept as its outcome."""
    kept: dict[str, Outcome | Exception] = {}
    for name, row in rows:
        assert name not in kept, f"two rows are called {name}"
        try:
            kept[name] = await one(row)
        except Exception as error:
            kept[name] = error
    return Played(kept)


class Log:
    """The reader's event log, read over the link that is tested."""

    def __init__(self, link: Link, since: int) -> None:
        self._link = link
        self._since = since

    @classmethod
    async def open(cls, link: Link) -> Log:
        """From the newest event on."""
        log = cls(link, 1)
        while await log._read():
            pass
        return log

    async def _read(self) -> list[Event]:
        found = events(await stored(self._link, Command("EV_QUERY", data=event_query(self._since))))
        if found:
            self._since = found[-1].number + 1
        # The query before this one is always new.
        return [event for event in found if event.command != "EV_QUERY"]

    async def news(self) -> list[Event]:
        """The events since the last call, except those that the rig itself has caused."""
        return [
            event
            for event in await self._read()
            if event.event != _SYSTEM and not (event.command in _OWN and event.info == 0)
        ]


async def stored(link: Link, command: Command) -> bytes:
    """Sends a command that waits for the disk, and asks again as long as that takes too long (-21)."""
    for _ in range(ATTEMPTS):
        try:
            return await link.run(command)
        except Refused as refusal:
            if refusal.status != Status.UNAVAILABLE:
                raise
    raise TimeoutError(f"the disk takes too long for {command.name}, {ATTEMPTS} times")


async def ping(link: Link) -> None:
    """A good exchange on the link."""
    assert VersionInfo.decode(await link.run("PING")).build_time > 0


async def set_clock(link: Link, epoch: int, local: Timestamp) -> None:
    """Sets the reader's clock by the phone, and checks that it shows `local`, to the minute."""
    data = delimited(message((2, message((1, epoch)))))
    status = SystemStatus.decode(await link.run(Command("UPDATE", data=data)))
    shown = tuple(status.local_time[number][0] for number in range(1, 6))
    assert shown == (local.year, local.month, local.day, local.hours, local.minutes)
