# SPDX-License-Identifier: Apache-2.0
"""`readerlab air` as a process: the virtual controllers of our own lab, offered to any host."""

from __future__ import annotations

import asyncio
import contextlib
import json
from pathlib import Path

from access.advertising import ACCESS
from rig.bench import NEAR_DBM, READER, Bench
from rig.emulation import LINE_SECONDS, binary
from rig.phone import Link, LinkLost
from rig.processes import Child
from rig.reader import UNLOCKED

PHONE, OTHER = "phone", "other"
"""The places of an AirBench next to the reader's."""

TOO_WEAK_DBM = -68
"""Below the gate's -60 dBm."""


class AirProcess:
    """The air with its places. It offers what a bench asks of a `RadioProcess`."""

    def __init__(self, child: Child) -> None:
        self.child = child
        self._turn = asyncio.Lock()

    @classmethod
    async def start(
        cls, *places: str, options: tuple[str, ...] = (), environment: dict[str, str] | None = None
    ) -> AirProcess:
        """Starts it with these values of `--listen`."""
        listen = [word for place in places for word in ("--listen", place)]
        command = [str(binary()), "air", "--json", *listen, *options]
        air = cls(await Child.start("air", command, stdin=asyncio.subprocess.PIPE, env=environment))
        for place in places:
            await air.event("open", place.partition("=")[0])
        return air

    @property
    def mark(self) -> int:
        """The number of lines so far."""
        return len(self.child.lines)

    async def event(self, name: str, place: str = "", after: int = 0) -> dict[str, object]:
        """The first line of that event, from line `after` on; with `place`, of that place."""
        pattern = f'"event":"{name}"' + (f',"place":"{place}"' if place else "")
        return json.loads((await self.child.line(pattern, LINE_SECONDS, after)).text)

    def events(self, name: str) -> list[dict[str, object]]:
        """Every line of that event so far."""
        return [json.loads(line.text) for line in self.child.matching(f'"event":"{name}"')]

    async def order(self, *words: object) -> dict[str, object]:
        """The answer to a typed line."""
        async with self._turn:
            mark = self.mark
            await self.child.type(" ".join(map(str, words)))
            return await self.event("answer", after=mark)

    async def obey(self, *words: object) -> str:
        """The same for a command that must succeed; the first line of its answer."""
        answer = await self.order(*words)
        assert answer["ok"], answer
        return answer["lines"][0]

    def hci(self, place: str) -> str:
        """The value of `--hci` for hosts of a place."""
        return next(event["hci"] for event in self.events("open") if event["place"] == place)

    async def listen_tcp(self, name: str, _profile: str = "full") -> str:
        """HOST:PORT of a place that exists."""
        return self.hci(name).removeprefix("tcp-client:")

    async def listen_unix(self, name: str) -> str:
        """The path of a place that exists."""
        return self.hci(name).removeprefix("unix:")

    async def phone_transport(self, name: str) -> str:
        """The transport of a phone on Bumble at a place."""
        return "unix:" + await self.listen_unix(name)

    async def level(self, one: str, other: str, dbm: float, noise: float = 0) -> None:
        """The same level in both directions."""
        assert not noise
        await self.obey("rssi", one, other, dbm)

    async def walk(self, one: str, other: str, start: float, end: float, seconds: float) -> None:
        """The same walk in both directions."""
        await self.obey("walk", one, other, start, end, f"{seconds}s")

    def last_words(self) -> str:
        """The last lines, for a failure's text."""
        return self.child.tail()

    async def stop(self) -> int:
        """SIGTERM; its exit code."""
        return await self.child.stop()


class AirBench(Bench):
    """A bench whose radio is the air of the lab: a place for the reader, and two for phones.

    `reader`: how the reader reaches its place, as `--listen` names it; PATH is in the bench's directory.
    `air`: options of the air.
    """

    def __init__(self, reader: str = "tcp:127.0.0.1:0", air: tuple[str, ...] = (), **options) -> None:
        super().__init__(**options)
        self._air_options = air
        self._reader_place = reader
        self.radio: AirProcess

    async def switch_on(self) -> AirProcess:
        """The air."""
        way = self._reader_place.replace("PATH", str(self._directory / "hci"))
        phones = (f"{name}=unix:{self._directory / name}" for name in (PHONE, OTHER))
        return await AirProcess.start(f"{READER}={way},strict", *phones, options=self._air_options)

    async def attach(self) -> str:
        """The reader's place."""
        return self.radio.hci(READER).removeprefix("tcp-client:")

    async def detach(self) -> None:
        """No host may have broken a rule."""
        for event in self.radio.events("violation"):
            assert event["place"] != READER, event

    async def opens_at_the_door(self, place: str) -> Link:
        """A phone at that place gets nothing far away, and opens when it has come near; the link that opened."""
        phone = await self.phone(place, dbm=TOO_WEAK_DBM)
        sighting = await phone.find(ACCESS)
        assert sighting.rssi == TOO_WEAK_DBM
        with contextlib.suppress(LinkLost):
            link = await phone.connect(sighting.address)
            await link.prepare()
            await link.run("tokn")
            raise AssertionError("a far phone was served")
        assert not self.reader.child.matching(UNLOCKED)
        await self.radio.walk(place, READER, TOO_WEAK_DBM, NEAR_DBM, 0.5)
        while True:
            link = await phone.connect((await phone.find(ACCESS)).address)
            with contextlib.suppress(LinkLost):
                await link.prepare()
                await link.run("tokn")
                break
        await self.reader.unlocked()
        return link


async def ask(control: Path, *lines: str) -> list[dict[str, object]]:
    """The answers of a control socket to these lines, one after the other."""
    reader, writer = await asyncio.open_unix_connection(str(control))
    answers = []
    for line in lines:
        writer.write(line.encode() + b"\n")
        answers.append(json.loads(await asyncio.wait_for(reader.readline(), LINE_SECONDS)))
    writer.close()
    await writer.wait_closed()
    return answers
