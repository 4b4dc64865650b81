# SPDX-License-Identifier: Apache-2.0
"""A bench: radio, one reader, and phones that come and go."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from access.advertising import ACCESS, Mode
from rig.clock import ARM64
from rig.phone import Link, Phone, Sighting
from rig.radio_process import RadioProcess
from rig.reader import LONGEST_DISK_WAIT_MS, Reader, Settings

READER = "reader"
NEAR_DBM, FAR_DBM, BELOW_DBM = -45, -85, -68
"""Well above the gate's -60 dBm; hopeless (more than 15 dB under it); under it, but not by that much."""
BEGIN_SECONDS = 60.0
"""From an emulated reader's start to the end of it."""


class Bench:
    """`async with Bench(links={"max": 3}) as bench:` names tables of the reader's configuration.

    `controller`: the profile of the reader's controller (see rig/profiles.py).
    `prepare`: is given the state directory before the reader starts.
    `environment`: variables of the reader's, such as rig/clock.py's.
    `options`: more of the reader's command line.
    """

    def __init__(
        self,
        controller: str = "full",
        prepare: Callable[[Path], None] | None = None,
        environment: Mapping[str, str] | None = None,
        options: Sequence[str] = (),
        **tables: dict[str, object],
    ) -> None:
        self._controller = controller
        self._prepare = prepare
        self.environment = environment
        """May be set until it starts: the directory is known then."""
        self._options = options
        tables["events"] = {"max-wait-ms": LONGEST_DISK_WAIT_MS} | tables.get("events", {})
        self._settings = Settings(tables)
        # A short path: a Unix socket's has at most 107 octets.
        self._directory = Path(tempfile.mkdtemp(prefix="rig-"))
        self._phones: list[Phone] = []
        self.radio: RadioProcess
        self.reader: Reader

    async def __aenter__(self) -> Bench:
        try:
            self.radio = await self.switch_on()
            try:
                self._hci = await self.attach()
                if self._prepare:
                    self._prepare(self.state)
                self.reader = await self.start()
            except BaseException:
                await self.radio.stop()
                raise
        except BaseException:
            shutil.rmtree(self._directory, ignore_errors=True)
            raise
        return self

    async def switch_on(self) -> RadioProcess:
        """The radio with its controllers."""
        return await RadioProcess.start(self._directory)

    async def attach(self) -> str:
        """The address of the reader's controller: HOST:PORT, or another transport's name."""
        return await self.radio.listen_tcp(READER, self._controller)

    async def detach(self) -> None:
        """After the reader's end: what `attach` has made is taken away."""

    async def __aexit__(self, kind, _error, _traceback) -> None:
        if kind is not None:
            print(f"readerd's last lines:\n{self.reader.child.tail(40)}", file=sys.stderr)
            print(f"The radio's last lines:\n{self.radio.last_words()}", file=sys.stderr)
        code = await self.reader.stop()
        for phone in self._phones:
            await phone.close()
        await self.detach()
        await self.radio.stop()
        shutil.rmtree(self._directory, ignore_errors=True)
        if kind is None:
            assert code == 0, f"readerd ended with {code} at SIGTERM:\n{self.reader.child.tail()}"

    @property
    def state(self) -> Path:
        """The reader's state directory."""
        return self._directory / "state"

    @property
    def configuration(self) -> Path:
        """The reader's configuration file."""
        return self._directory / "readerd.toml"

    async def restart(self, environment: Mapping[str, str] | None = None) -> None:
        """Stops the reader and starts it again on the same state directory, optionally in another environment."""
        assert await self.reader.stop() == 0
        self.environment = environment or self.environment
        self.reader = await self.start()

    async def start(self) -> Reader:
        options = ("--control", str(self.control), *self._options)
        reader = await Reader.start(self._hci, self._directory, self._settings, options, self.environment)
        # An emulated reader is on the air seconds before it knows its policy, and answers phones that it is busy.
        if ARM64 in os.environ:
            try:
                await self._begun()
            except BaseException:
                await reader.stop()
                raise
        return reader

    async def _begun(self) -> None:
        """Waits until the reader has recorded its start. Raises TimeoutError."""
        async with asyncio.timeout(BEGIN_SECONDS):
            while not await self._has_begun():
                await asyncio.sleep(0.1)

    async def _has_begun(self) -> bool:
        """Whether the reader has recorded its start, by its control socket."""
        try:
            answers, requests = await asyncio.open_unix_connection(self.control)
        except (FileNotFoundError, ConnectionRefusedError):
            return False
        requests.write(b'{"get":"status"}\n')
        answer = json.loads(await answers.readline())
        requests.close()
        return answer["events"].get("last", 0) > 0

    @property
    def control(self) -> Path:
        """The reader's control socket."""
        return self._directory / "readerd.sock"

    async def phone(self, name: str = "phone", dbm: float = NEAR_DBM, noise: float = 0) -> Phone:
        """A phone that the reader hears at that level, and the other way round."""
        await self.radio.level(name, READER, dbm, noise)
        phone = await Phone.open(name, await self.radio.phone_transport(name))
        self._phones.append(phone)
        return phone

    async def connected(
        self, name: str = "phone", dbm: float = NEAR_DBM, mode: Mode = ACCESS, **options
    ) -> tuple[Phone, Link]:
        """A phone that found the reader and is connected."""
        phone = await self.phone(name, dbm, **options)
        return phone, await phone.connect((await phone.find(mode)).address)

    async def ready(self, mode: Mode = ACCESS) -> Link:
        """A near phone's link, subscribed: the next thing is a frame."""
        _, link = await self.connected(mode=mode)
        return await link.prepare(mode.service)


def packets(seen: list[Sighting]) -> dict[str, tuple[set[bytes], set[bytes]]]:
    """Advertising data and scan responses by address."""
    found: dict[str, tuple[set[bytes], set[bytes]]] = {}
    for sighting in seen:
        found.setdefault(str(sighting.address), (set(), set()))[sighting.scan_response].add(sighting.data)
    return found
