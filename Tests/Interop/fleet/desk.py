# SPDX-License-Identifier: Apache-2.0
"""`readerlab fleet command`, and a reader's stand-in at the broker: paho-mqtt, cbor2 and OpenSSL's signatures."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import time
from collections.abc import Callable
from pathlib import Path

import cbor2
import paho.mqtt.client as mqtt
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from paho.mqtt.enums import CallbackAPIVersion

from fleet.broker import SECONDS, Broker
from fleet.door import DEVICE, program

DESK_ACCESS = "user desk\ntopic write acc/v1/+/down/cmd\ntopic read acc/v1/+/up/res\n"
"""As docs/operate/fleet.md gives it."""
SHA256 = ec.ECDSA(hashes.SHA256())

Answer = Callable[[dict], dict | None]
"""Of an order, the members of its answer; None for none."""


def der(key: ec.EllipticCurvePublicKey) -> bytes:
    """The SubjectPublicKeyInfo."""
    return key.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)


async def run(*words: str) -> tuple[int, str]:
    """The exit code and the lines of a command of readerlab."""
    process = await asyncio.create_subprocess_exec(
        program("readerlab"), *words, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    output, _ = await process.communicate()
    return process.returncode, output.decode()


class Desk:
    """The machine with the command key, and the demo site."""

    def __init__(self, directory: Path, broker: Broker | None = None) -> None:
        self.site = directory / "site.json"
        self.key = directory / "desk" / "command-key.pem"
        self._broker = broker

    async def open(self) -> Desk:
        """Makes site and key."""
        assert (await run("credentials", "site", "demo", "--site", str(self.site)))[0] == 0
        code, output = await run("fleet", "key", "init", str(self.key.parent))
        assert code == 0, output
        return self

    @property
    def public(self) -> ec.EllipticCurvePublicKey:
        """The half for readers."""
        return serialization.load_pem_public_key(self.key.with_name("command-key.pub.pem").read_bytes())

    def know(self, terminal: ec.EllipticCurvePublicKey) -> None:
        """The site has this terminal key for its reader."""
        content = json.loads(self.site.read_text())
        content["readers"][0]["terminal-public-key"] = base64.b64encode(der(terminal)).decode()
        self.site.write_text(json.dumps(content))

    async def command(self, *options: str, reader: str = "demo") -> tuple[int, str]:
        """`readerlab fleet command`."""
        return await self._run("command", *options, reader=reader)

    async def desired(self, *options: str, reader: str = "demo") -> tuple[int, str]:
        """`readerlab fleet desired`."""
        return await self._run("desired", *options, reader=reader)

    async def _run(self, subcommand: str, *options: str, reader: str) -> tuple[int, str]:
        words = ["--reader", reader, "--site", str(self.site), "--command-key", str(self.key)]
        if self._broker:
            identity = self._broker.authority.issue("desk")
            words += ["--broker", f"localhost:{self._broker.port}", "--ca", str(self._broker.authority.file)]
            words += ["--certificate", str(identity.certificate), "--key", str(identity.key)]
        return await run("fleet", subcommand, *words, *options)


def parsed(order: bytes, key: ec.EllipticCurvePublicKey) -> dict:
    """An order by the format in docs/operate/fleet.md; its signature and its only encoding are verified."""
    body, signature = cbor2.loads(order)
    assert cbor2.dumps([body, signature], canonical=True) == order
    key.verify(signature, b"readerd-remote-v1\0" + body, SHA256)
    members = cbor2.loads(body)
    assert cbor2.dumps(members, canonical=True) == body
    assert set(members) == {"reader", "key", "id", "counter", "not-before", "expires", "command", "args"}
    assert members["key"] == hashlib.sha256(der(key)).digest()[:8] and len(members["id"]) == 16
    return members


class StandIn:
    """A reader's place at the broker."""

    def __init__(self, broker: Broker, desk: Desk, answer: Answer) -> None:
        self.terminal = ec.generate_private_key(ec.SECP256R1())
        self.orders: list[dict] = []
        self.wires: list[bytes] = []
        self._broker = broker
        self._desk = desk
        self._answer = answer
        self._ready = asyncio.Event()

    async def __aenter__(self) -> StandIn:
        self._desk.know(self.terminal.public_key())
        loop = asyncio.get_running_loop()
        identity = self._broker.authority.issue(DEVICE)
        self._client = mqtt.Client(CallbackAPIVersion.VERSION2, protocol=mqtt.MQTTv5)
        self._client.tls_set(str(self._broker.authority.file), str(identity.certificate), str(identity.key))
        self._client.on_connect = lambda client, *_: client.subscribe(f"acc/v1/{DEVICE}/down/cmd", qos=1)
        self._client.on_subscribe = lambda *_: loop.call_soon_threadsafe(self._ready.set)
        self._client.on_message = self._take
        self._client.connect("localhost", self._broker.port)
        self._client.loop_start()
        await asyncio.wait_for(self._ready.wait(), SECONDS)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._client.disconnect()
        await asyncio.to_thread(self._client.loop_stop)

    def _take(self, client: mqtt.Client, _: object, message: mqtt.MQTTMessage) -> None:
        assert not message.retain
        order = parsed(message.payload, self._desk.public)
        self.wires.append(message.payload)
        self.orders.append(order)
        members = self._answer(order)
        if members is not None:
            client.publish(f"acc/v1/{DEVICE}/up/res", self.signed(order, members), qos=1)

    def signed(self, order: dict, members: dict) -> str:
        """The message of an answer; members of it that begin with an underscore are not sent."""
        content = {"reader": DEVICE, "id": order["id"].hex(), "command": order["command"]}
        content |= {name: value for name, value in members.items() if not name.startswith("_")}
        body = json.dumps(content, separators=(",", ":"))[:-1]
        key = members.get("_key", self.terminal)
        signature = key.sign(b"readerd-answer-v1\0" + body.encode(), SHA256)
        return f'{body},"signature":"{signature.hex()}"}}'


def is_current(order: dict) -> bool:
    """True if the order holds now, and no longer than an opening may."""
    return order["not-before"] <= time.time() <= order["expires"] <= order["not-before"] + 30
