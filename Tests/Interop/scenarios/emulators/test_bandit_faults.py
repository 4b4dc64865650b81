# SPDX-License-Identifier: Apache-2.0
"""Every fault of `readerlab emulate bandit`, as an app meets it: each step with each of its words."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from bandit.client import Backchannel, Camera, PreviewServer, Viewfinder, decoded, number, packets
from bandit.device import Device, device
from rig.fault_table import accepted
from rig.matrix import some_of
from rig.waiting import until

of = asyncio.to_thread
"""A client's call, which blocks, next to the loop that reads the device's output."""

STEPS = accepted("bandit")
STREAMS = ("connection", "line", "frame", "datagram", "preview-packet", "preview-end")
DELAY_MS = 400
CUT = 7
SENT_SECONDS = 0.3
"""Nine pictures: what was sent before the fault has come, and a delay of 1.5 s has not passed."""
PICTURES_SECONDS = 1.0
"""Thirty pictures without the fault."""
"""Octets of a body that are sent."""


def words(step: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(
        "word", some_of(STEPS[step], "CameraCommandTests and FaultPlanTests have each fault", keep=2)
    )


def test_each_step_has_its_effects_here() -> None:
    assert set(STEPS) == set(REQUESTS) | set(STREAMS)


# Requests.


def toggled(camera: Camera) -> dict:
    return {"recording_active": not camera.status["recording_active"]}


REQUESTS: dict[str, tuple[str, Callable[[Camera], object] | None]] = {
    "version": ("version", None),
    "status": ("2/status", None),
    "record": ("2/record", toggled),
    "record-tag": ("2/record/tag", lambda _: {"tag_mobile": True}),
    "viewfinder": ("2/viewfinder", lambda _: {"viewfinder_active": False}),
    "preview": ("2/preview", lambda _: {"id": "another", "preview_active": False, "preview_port": 4011}),
    "capabilities": ("2/capabilities/recording", None),
    "settings": ("2/settings", None),
    "videos": ("2/videos", None),
    "video": ("2/videos/{video}", None),
    "video-thumb": ("2/videos/{video}/thumb", None),
    "video-frames": ("2/videos/{video}/frames?offset_secs=1", None),
    "video-contents": ("2/videos/{video}/contents", None),
    "video-sensors": ("2/videos/{video}/sensors", None),
    "tags": ("2/videos/{video}/tags", None),
    "tag-thumb": ("2/videos/{video}/tags/{tag}/thumb", None),
    "tag-contents": ("2/videos/{video}/tags/{tag}/contents", None),
    "tag-sensors": ("2/videos/{video}/tags/{tag}/sensors", None),
    "images": ("2/images", None),
    "image": ("2/images/{image}", None),
    "image-thumb": ("2/images/{image}/thumb", None),
    "image-contents": ("2/images/{image}/contents", None),
    "sessions": ("2/sessions/videos", None),
    "datetime": ("2/datetime", None),
    "upload": ("2/firmware", None),
    "license": ("2/license", None),
    "log": ("2/log", None),
    "any-request": ("2/status", None),
}
"""A path for each step, and the body of its POST; a GET otherwise."""


@dataclass(frozen=True)
class Received:
    """A response to a request on a connection that the app would keep."""

    status: int
    announced: int
    body: bytes
    closed: bool
    seconds: float


def exchange(camera: Camera, path: str, body: object) -> Received:
    """Raises EOFError without a response, ConnectionResetError if the connection is reset."""
    octets = b"" if body is None else json.dumps(body).encode()
    method = "GET" if body is None else "POST"
    head = f"{method} /api/{path} HTTP/1.1\r\nHost: camera\r\nContent-Length: {len(octets)}\r\n\r\n"
    began = time.monotonic()
    with socket.create_connection((camera.address, camera.port), 10) as stream:
        stream.sendall(head.encode() + octets)
        return answer(stream, began)


def answer(stream: socket.socket, began: float) -> Received:
    with stream.makefile("rb") as reader:
        status = reader.readline()
        if not status:
            raise EOFError
        fields = {}
        while line := reader.readline().strip():
            name, _, value = line.decode().partition(":")
            fields[name.lower()] = value.strip()
        announced = int(fields["content-length"])
        body = reader.read(announced)
        seconds = time.monotonic() - began
        return Received(int(status.split()[1]), announced, body, fields.get("connection") == "close", seconds)


def places(camera: Camera) -> dict[str, str]:
    """A clip with a tag, and a photo."""
    image = camera.get("images").json["items"][0]["id"]
    for item in camera.get("videos?count=9").json["items"]:
        tags = camera.get(f"videos/{item['id']}/tags").json
        if tags:
            return {"video": item["id"], "tag": tags[0]["id"], "image": image}
    raise AssertionError("no clip has a tag")


@pytest.mark.parametrize("step", REQUESTS)
@pytest.mark.seconds(60)
async def test_faults_of_a_request(step: str) -> None:
    path, body_of = REQUESTS[step]
    async with device() as emulated:
        camera = emulated.camera
        path = path.format(**places(camera))
        if step == "record-tag":
            camera.record(True)

        async def ask() -> Received:
            return await of(exchange, camera, path, await of(body_of, camera) if body_of else None)

        normal = await ask()
        assert (normal.status, normal.closed) == (200, False)
        for word in STEPS[step]:
            await fails(emulated, step, word, ask)
            again = await ask()
            assert (again.status, again.closed, again.seconds < DELAY_MS / 1000) == (200, False, True), word


async def fails(emulated: Device, step: str, word: str, ask: Callable) -> None:
    """One request meets the fault."""
    number = {"delay": DELAY_MS, "status": 503, "cut": CUT}.get(word)
    # A fault of every request would meet the question for the state, too.
    is_recording = step == "record" and (await of(lambda: emulated.camera.status))["recording_active"]
    await emulated.done(f"fault {word} {step}" + (f" {number}" if number else ""))
    if word in ("close", "lost", "reset"):
        with pytest.raises(ConnectionResetError if word == "reset" else EOFError):
            await ask()
    else:
        met = await ask()
        assert met.status == (503 if word == "status" else 200)
        assert (met.seconds >= DELAY_MS / 1000) == (word == "delay")
        assert met.closed == (word == "cut")
        assert len(met.body) == (min(CUT, met.announced) if word == "cut" else met.announced)
    if step == "record":
        acted = word in ("delay", "lost", "cut")
        assert (await of(lambda: emulated.camera.status))["recording_active"] == (is_recording != acted)


@words("connection")
async def test_faults_of_a_connection(word: str) -> None:
    async with device() as emulated:
        await emulated.done(f"fault {word} connection")
        with pytest.raises(ConnectionError if word == "reset" else (EOFError, ConnectionError)):
            await of(exchange, emulated.camera, "version", None)
        assert (await of(exchange, emulated.camera, "version", None)).status == 200


async def test_a_fault_that_cannot_happen_is_refused() -> None:
    async with device() as emulated:
        assert not (await emulated.type("fault split videos"))["ok"]


# The backchannel.


@words("line")
async def test_faults_of_a_notification(word: str) -> None:
    async with device() as emulated:
        lines = await emulated.backchannel()
        lines.socket.settimeout(0.7)
        await emulated.done(f"fault {word} line" + (" 1200" if word == "delay" else ""))
        await emulated.done("button record")
        await LINES[word](emulated, lines)


async def name(lines: Backchannel) -> str:
    return (await of(lines.next))[0]


async def stays_silent(lines: Backchannel) -> None:
    with pytest.raises(TimeoutError):
        await of(lines.next)


async def comes_late(_: Device, lines: Backchannel) -> None:
    await stays_silent(lines)
    lines.socket.settimeout(5)
    assert await name(lines) == "recording_started"


async def is_dropped(emulated: Device, lines: Backchannel) -> None:
    await stays_silent(lines)
    await emulated.done("button record")
    assert await name(lines) == "recording_stopped"


async def comes_twice(_: Device, lines: Backchannel) -> None:
    assert [await name(lines), await name(lines)] == ["recording_started"] * 2


async def comes_in_two_segments(_: Device, lines: Backchannel) -> None:
    lines.octets = await of(lines.socket.recv, 100)
    assert b"\n" not in lines.octets
    assert await name(lines) == "recording_started"


async def comes_with_the_next(emulated: Device, lines: Backchannel) -> None:
    await stays_silent(lines)
    await emulated.done("button record")
    assert (await of(lines.socket.recv, 65536)).count(b"\n") == 2


async def ends(_: Device, lines: Backchannel) -> None:
    with pytest.raises(EOFError):
        await of(lines.next)


async def is_reset(_: Device, lines: Backchannel) -> None:
    with pytest.raises(ConnectionResetError):
        await of(lines.next)


async def is_silent(emulated: Device, lines: Backchannel) -> None:
    await stays_silent(lines)
    await emulated.done("button record")
    await stays_silent(lines)


LINES = {
    "delay": comes_late,
    "drop": is_dropped,
    "duplicate": comes_twice,
    "split": comes_in_two_segments,
    "merge": comes_with_the_next,
    "close": ends,
    "reset": is_reset,
    "silence": is_silent,
}


# The viewfinder.


@words("frame")
async def test_faults_of_a_picture(word: str) -> None:
    async with device() as emulated:
        receiver = Viewfinder().start(emulated.camera)
        (before,) = await of(receiver.take, 1)
        number_of = {"cut": " 100", "size": " 7", "gap": " 30000"}.get(word, "")
        if word == "gap":
            await emulated.done(f"fault gap frame{number_of}")
            frames = await of(receiver.take, 30)
            assert receiver.dropped == 0
            assert any(frame.number - before.number >= 30_000 for frame in frames)
            return
        await emulated.done(f"fault {word} frame{number_of} every")
        await asyncio.sleep(SENT_SECONDS)
        receiver.drain()
        taken, datagrams = asyncio.create_task(of(receiver.take, 1)), receiver.datagrams
        await asyncio.sleep(PICTURES_SECONDS)
        assert not taken.done()
        assert (receiver.datagrams > datagrams) == (word != "drop")
        await emulated.done("clear")
        (frame,) = await taken
        assert number(*await of(decoded, frame.jpeg)) > 10


@words("datagram")
async def test_faults_of_a_datagram(word: str) -> None:
    async with device() as emulated:
        receiver = Viewfinder().start(emulated.camera)
        await of(receiver.take, 5)
        assert receiver.dropped == 0
        if word == "delay":
            # Whole pictures, and the first of them only after the delay.
            began = time.monotonic()
            await emulated.done("fault delay datagram 1500 every")
            await asyncio.sleep(SENT_SECONDS)
            receiver.drain()
            await of(receiver.take, 1)
            assert time.monotonic() - began >= 1.4
            return
        await emulated.done(f"fault {word} datagram every 1%")
        await of(receiver.take, 30)
        assert receiver.dropped > 0


# The preview.


@dataclass
class Shown:
    """The packets of a preview of half a second, the longest wait for one, and the end of its connection."""

    kinds: list[int]
    wait: float
    end: str


def received(stream: socket.socket) -> Shown:
    kinds: list[int] = []
    longest, last, end = 0.0, time.monotonic(), "closed"
    try:
        for packet in packets(stream):
            now = time.monotonic()
            longest, last = max(longest, now - last), now
            kinds.append(packet.kind)
    except ConnectionResetError:
        end = "reset"
    except TimeoutError:
        end = "silent"
    return Shown(kinds, longest, end)


@pytest.mark.parametrize("step", some_of(["preview-packet", "preview-end"], "CameraCommandTests have each step"))
async def test_faults_of_a_preview(step: str) -> None:
    async with device() as emulated:
        camera = emulated.camera
        item = camera.get("videos").json["items"][0]

        async def preview() -> Shown:
            server = PreviewServer(camera)
            start = {"id": item["id"], "preview_active": True, "preview_port": server.port, "length_secs": 0.5}
            await of(camera.post, "preview", start)
            stream = await of(server.accept)
            stream.settimeout(1.5)
            with contextlib.closing(server), contextlib.closing(stream):
                return await of(received, stream)

        normal = await preview()
        count = len(normal.kinds)
        assert (normal.kinds[0], normal.kinds[-1], normal.end) == (127, 128, "closed")
        for word in STEPS[step]:
            await over(emulated)
            await emulated.done(f"fault {word} {step}" + (" 1000" if word == "delay" else ""))
            shown = await preview()
            assert shown.end == {"reset": "reset", "silence": "silent"}.get(word, "closed"), word
            assert (shown.wait >= 0.9) == (word == "delay"), word
            assert len(shown.kinds) == (count if word == "delay" else count - 1) or (
                step == "preview-packet" and word != "drop" and len(shown.kinds) < 2
            ), (word, shown.kinds)
            assert (128 in shown.kinds) == (word == "delay" or (word, step) == ("drop", "preview-packet")), word


async def over(emulated: Device) -> None:
    """The camera knows that the preview has ended."""

    async def is_over() -> bool:
        return not (await of(lambda: emulated.camera.status))["preview_active"]

    await until("the end of the preview", is_over)
