# SPDX-License-Identifier: Apache-2.0
"""The app's end of SimBLE's wire, version 1, from its public schema (nirapod-labs/simble, protocol.cddl), with cbor2: a
connection for each request and one for events, as the published library opens them."""

from __future__ import annotations

import asyncio
import contextlib
import json
import struct
from pathlib import Path

import cbor2

from rig.emulation import LINE_SECONDS, Emulation, binary
from rig.processes import Child

HOST = "127.0.0.1"
OPERATION, STATUS, ERROR, TOKEN, VERSION, CODE = 0, 1, 6, 7, 8, 10
PERIPHERAL, SERVICE, CHARACTERISTIC, VALUE, RSSI, NAME, ADVERTISED = 30, 31, 32, 33, 34, 35, 36
WRITE_TYPE, NOTIFY, STATE, SERVICES, CHARACTERISTICS = 39, 40, 41, 50, 51
HELLO, CENTRAL_STATE, SCAN_START, SCAN_STOP, CONNECT, DISCONNECT = 1, 2, 3, 4, 5, 6
DISCOVER_SERVICES, DISCOVER_CHARACTERISTICS, READ, WRITE, SET_NOTIFY, READ_RSSI = 7, 8, 9, 10, 11, 12
DISCOVERED, VALUE_EVENT, DISCONNECTED = 128, 129, 130
POWERED_ON = 5

Message = dict[int, object]


class Refused(Exception):
    """The helper answered with an error: its code."""

    def __init__(self, answer: Message) -> None:
        super().__init__(answer[ERROR])
        self.code = answer[CODE]


def framed(message: Message) -> bytes:
    payload = cbor2.dumps(message, canonical=True)
    return struct.pack(">I", len(payload)) + payload


async def receive(reader: asyncio.StreamReader) -> Message:
    """The next frame. Raises IncompleteReadError at the end."""
    (length,) = struct.unpack(">I", await reader.readexactly(4))
    payload = await reader.readexactly(length)
    message = cbor2.loads(payload)
    assert cbor2.dumps(message, canonical=True) == payload
    return message


async def closed(writer: asyncio.StreamWriter) -> None:
    """Closes a connection, which the other end may have closed."""
    writer.close()
    with contextlib.suppress(ConnectionError):
        await writer.wait_closed()


class SimulatorApp:
    """An app in a Simulator."""

    def __init__(self, port: int, token: bytes) -> None:
        self.port = port
        self.token = token
        self.events: list[Message] = []
        self._news = asyncio.Condition()
        self._reading: asyncio.Task | None = None

    async def listen(self) -> None:
        """Opens the connection for events, which sends nothing."""
        reader, writer = await asyncio.open_connection(HOST, self.port)

        async def read() -> None:
            try:
                while True:
                    message = await receive(reader)
                    async with self._news:
                        self.events.append(message)
                        self._news.notify_all()
            except (asyncio.IncompleteReadError, ConnectionError):
                pass
            finally:
                await closed(writer)

        self._reading = asyncio.create_task(read())

    async def ask(self, operation: int, members: Message | None = None) -> Message:
        """The answer to a request, on its own connection. Raises Refused."""
        reader, writer = await asyncio.open_connection(HOST, self.port)
        writer.write(framed({OPERATION: operation, TOKEN: self.token, **(members or {})}))
        try:
            answer = await asyncio.wait_for(receive(reader), LINE_SECONDS)
        finally:
            await closed(writer)
        if answer[STATUS] != 0:
            raise Refused(answer)
        assert answer[OPERATION] == operation
        return answer

    async def event(self, operation: int, **wanted: object) -> Message:
        """The first event of that kind; with `name`, of a device of that name."""

        def found() -> Message | None:
            return next(
                (
                    event
                    for event in self.events
                    if event[OPERATION] == operation and all(event.get(NAME) == name for name in wanted.values())
                ),
                None,
            )

        async with self._news:
            await asyncio.wait_for(self._news.wait_for(lambda: found() is not None), LINE_SECONDS)
        return found() or {}

    async def values(self, is_last) -> list[bytes]:
        """The notified values, once one of them is the last."""

        def so_far() -> list[bytes]:
            return [event[VALUE] for event in self.events if event[OPERATION] == VALUE_EVENT]

        async with self._news:
            await asyncio.wait_for(self._news.wait_for(lambda: any(map(is_last, so_far()))), LINE_SECONDS)
        return so_far()

    async def close(self) -> None:
        if self._reading:
            self._reading.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._reading


@contextlib.asynccontextmanager
async def helper(directory: Path, place: str, *options: str):
    """`readerlab phone simble` at a place, and an app that listens."""
    state = directory / "simble.json"
    command = [str(binary()), "phone", "simble", "--hci", place, "--port", "0", "--state", str(state), "--json"]
    running = Emulation(await Child.start("simble", [*command, *options]))
    await running.event("ready")
    found = json.loads(state.read_text())
    assert state.stat().st_mode & 0o777 == 0o600
    app = SimulatorApp(found["port"], bytes.fromhex(found["token"]))
    await app.listen()
    try:
        yield app, running
    finally:
        await app.close()
        assert await running.stop() == 0, running.child.tail()
        assert not state.exists()
        # The token is in the file alone.
        assert found["token"] not in running.child.tail(1000)
