# SPDX-License-Identifier: Apache-2.0
"""The desired state of a reader, by docs/operate/fleet.md alone: chunks, the signed order, both ends of the way."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
from pathlib import Path

import cbor2
from cryptography.hazmat.primitives.asymmetric import ec

from fleet.back_end import BackEnd, Signer, verified
from fleet.door import DEVICE, Door, program

DESIRED = f"acc/v1/{DEVICE}/down/desired"
ACCESS = f"""\
user back-end
topic write {DESIRED}/#
topic write acc/v1/{DEVICE}/down/cmd
topic read acc/v1/{DEVICE}/up/#
"""
DAY = 86_400
PER_CHUNK = 70


def chunks(credentials: list[str], settings: dict | None = None) -> list[bytes]:
    """The chunks of a state."""
    parts = [credentials[at : at + PER_CHUNK] for at in range(0, len(credentials), PER_CHUNK)] or [[]]
    made = [{"blacklist": [[each, None] for each in part]} for part in parts]
    if settings is not None:
        made[-1]["settings"] = settings
    return [cbor2.dumps(each, canonical=True) for each in made]


def order(signer: Signer, version: int, parts: list[bytes], **other: object) -> bytes:
    """The signed order for a state in these chunks."""
    digests = [hashlib.sha256(each).digest() for each in parts]
    return signer.message(signer.order(version, "desired", life=DAY, args={"chunks": digests}, **other))


class Publisher(BackEnd):
    """A back end that leaves states at the broker."""

    def leave(self, version: int, parts: list[bytes], signed: bytes) -> None:
        """Leaves the chunks, and then the order."""
        for index, part in enumerate(parts):
            self.publish(f"{DESIRED}/{index}", part)
        self.publish(DESIRED, signed)

    def publish(self, topic: str, payload: bytes) -> None:
        """Publishes a retained message with QoS 0."""
        self.raw(0x31, len(topic).to_bytes(2) + topic.encode() + b"\0" + payload)

    async def wait(self, signed: bytes, result: str = "done") -> dict:
        """Sends the order again until the reader answers so, or otherwise than that it waits for chunks."""
        while True:
            answer = await self.ask(signed)
            if answer["result"] in (result, "refused"):
                return answer
            await asyncio.sleep(0.2)


class LinkEnd:
    """The place of readerd-link at the reader's socket."""

    def __init__(self, door: Door, terminal_key: ec.EllipticCurvePublicKey) -> None:
        self._door, self._terminal_key = door, terminal_key
        self.state: dict = {}
        self._number = 0

    async def __aenter__(self) -> LinkEnd:
        self._reader, self._writer = await asyncio.open_unix_connection(str(self._door.socket), limit=1 << 17)
        await self._report("reader")
        self._sign = asyncio.create_task(self._give_signs())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._sign.cancel()
        self._writer.close()

    async def _give_signs(self) -> None:
        """The status again and again: the reader disconnects a process that is silent."""
        while True:
            self._send({"status": {"connected": True, "delivered": None, "faults": {}}})
            await asyncio.sleep(5)

    async def _report(self, name: str) -> object:
        while True:
            line = await self._reader.readline()
            if not line:
                raise EOFError
            report = json.loads(line)
            if "state" in report:
                self.state = report["state"]
            if name in report:
                return report[name]

    async def answer(self, message: bytes, *, retained: bool = False) -> dict:
        """The reader's answer to an order."""
        self._number += 1
        self._send({"order": message.hex(), "retained": retained, "number": self._number})
        while True:
            report = await self._report("answer")
            if report["number"] == self._number:
                return verified(report["message"].encode(), self._terminal_key)

    async def fetch(self) -> str:
        """The part that the reader asks for next."""
        return await self._report("fetch")

    def chunk(self, octets: bytes, index: int) -> None:
        """A chunk as it came from the broker."""
        self._send({"chunk": octets.hex(), "index": index})

    async def settled(self, message: bytes) -> dict:
        """The answer to an order once it is not pending any more."""
        while (answer := await self.answer(message))["result"] == "pending":
            await asyncio.sleep(0.1)
        return answer

    def _send(self, request: dict) -> None:
        self._writer.write(json.dumps(request).encode() + b"\n")


async def policy(state: Path) -> dict:
    """`readerd policy show`."""
    command = [program("readerd"), "policy", "show", "--json", "--state", str(state)]
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    output, _ = await process.communicate()
    assert process.returncode == 0, output
    return json.loads(output)


def environment(state: Path, **others: object) -> dict[str, str]:
    """The environment in which readerd's files fail at an operation: lab/Sources/CPowerCut."""
    library = Path(program("libPowerCut.so"))
    names = {f"READERLAB_CUT_{name.upper()}": str(value) for name, value in others.items()}
    return os.environ | {"LD_PRELOAD": str(library), "READERLAB_CUT_DIRECTORY": str(state)} | names
