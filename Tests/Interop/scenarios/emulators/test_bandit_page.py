# SPDX-License-Identifier: Apache-2.0
"""docs/emulators/bandit-api.md: each request as written, and answers with the members and types of the page's."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
from collections.abc import Iterator

from bandit.client import Camera
from bandit.device import device
from rig.page_blocks import blocks
from rig.ports import free_port


def requests() -> Iterator[tuple[str, str, str, str]]:
    """Method, path, body and answer of each example; empty text for none."""
    for block in blocks("bandit-api.md"):
        if block.language == "http":
            head, _, answer = block.text.partition("\n\n")
            line, _, body = head.partition("\n")
            method, path = line.split()
            yield method, path.removeprefix("/api/"), body, answer.strip()


def shape(value: object) -> object:
    """Members and types, without values; of a list those of its first element. Whole numbers are numbers."""
    if isinstance(value, dict):
        return {name: shape(each) for name, each in value.items()}
    if isinstance(value, list):
        return [shape(each) for each in value[:1]]
    return "number" if type(value) in (int, float) else type(value).__name__


@contextlib.contextmanager
def listening(body: str) -> Iterator[str]:
    """The body with a preview's port at which something listens."""
    if "preview_port" not in body:
        yield body
        return
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield body.replace("4010", str(server.getsockname()[1]))


def carried_out(camera: Camera) -> int:
    count = 0
    for method, path, body, wanted in requests():
        with listening(body.replace("4001", str(free_port()))) as sent:
            response = camera.ask(method, path, sent.encode() if sent else None)
        assert response.status == 200, (method, path, response.status)
        if wanted:
            assert shape(response.json) == shape(json.loads(wanted)), path
        else:
            assert response.body == b"", path
        count += 1
    return count


async def test_each_request_of_the_page() -> None:
    async with device() as emulated:
        assert await asyncio.to_thread(carried_out, emulated.camera) >= 15


async def test_the_notifications_and_the_first_datagrams_are_those_of_the_page() -> None:
    (notifications,) = [block.text for block in blocks("bandit-api.md") if block.language == "json"]
    wanted = [json.loads(line) for line in notifications.splitlines()]
    (start,) = [each.text.splitlines()[0] for each in blocks("bandit-api.md") if each.text.startswith("55 aa")]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
        receiver.bind(("127.0.0.1", 0))
        receiver.settimeout(10)
        port = receiver.getsockname()[1]
        async with device() as emulated:
            back = await emulated.backchannel()
            camera = emulated.camera
            request = {"viewfinder_active": True, "viewfinder_streaming_port": port}
            await asyncio.to_thread(camera.post, "viewfinder", request)
            first = await asyncio.to_thread(receiver.recv, 2048)
            second = await asyncio.to_thread(receiver.recv, 2048)
            await asyncio.to_thread(camera.record, True)
            await asyncio.to_thread(camera.post, "record/tag", {"tag_mobile": True})
            await asyncio.to_thread(camera.record, False)
            await asyncio.to_thread(camera.post, "viewfinder", {"viewfinder_active": False})
            told = [dict([await asyncio.to_thread(back.next)]) for _ in wanted]
    assert [shape(each) for each in told] == [shape(each) for each in wanted]
    # All but the octets of the picture, and the presentation time.
    assert len(first) == 15
    assert first[:9] == bytes.fromhex(start)[:9]
    assert second[:7] == bytes.fromhex("55aa01000103f9")
    assert second[7:10] == b"\xff\xd8\xff"
