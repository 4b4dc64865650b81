# SPDX-License-Identifier: Apache-2.0
"""`readerlab emulate bandit` against a client written from the published facts: REST, notifications, media."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
import re
import shlex
import socket
import struct
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

from bandit.client import Camera, PreviewServer, Viewfinder, decoded, number, packets, probe
from bandit.device import device
from bandit.load import Load
from rig.emulation import LINE_SECONDS, binary
from rig.page_blocks import beginning, blocks
from rig.page_blocks import path as programs
from rig.processes import Child
from rig.waiting import until
from softap.network import network

VIDEO_KEYS = {
    *("id", "path", "created", "size_bytes", "length_secs", "nr_highlights", "mode", "resolution"),
    *("aspect_ratio", "framerate_fps", "is_valid"),
}
STATUS_BOOLEANS = {
    *("recording_active", "battery_charging", "gnss_fix", "heart_rate_sensor_connected"),
    *("cadence_sensor_connected", "preview_active", "viewfinder_active", "transcoding_active"),
}
STATUS_NUMBERS = {
    *("recording_secs", "recoding_secs", "battery_level_pct", "gnss_strength_pct", "viewfinder_streaming_port"),
    *("backchannel_port", "memory_free_bytes", "remaining_time_secs", "remaining_photos", "transcoding_progress"),
}


async def of(call, *arguments, **named):
    """A client's call, which blocks, next to the loop that reads the device's output."""
    return await asyncio.to_thread(call, *arguments, **named)


def refused(camera: Camera, *requests: tuple[int, str, str, object]) -> None:
    for status, method, path, body in requests:
        response = camera.ask(method, path, body)
        assert response.status == status, (method, path, response.status)
        assert response.body == b""


# REST.


def first_calls(camera: Camera) -> None:
    version = camera.ask("GET", "version").json
    assert version == {"version": "2", "revision": "1", "supported_versions": ["2"]}
    status = camera.status
    assert set(status) == STATUS_BOOLEANS | STATUS_NUMBERS
    assert all(type(status[key]) is bool for key in STATUS_BOOLEANS)
    assert all(type(status[key]) is int and status[key] >= 0 for key in STATUS_NUMBERS)


async def test_the_first_calls_of_an_app() -> None:
    async with device() as emulated:
        await of(first_calls, emulated.camera)


async def test_errors_are_the_documented_ones() -> None:
    async with device() as emulated:
        item = emulated.camera.get("videos").json["items"][0]["id"]
        await of(
            refused,
            emulated.camera,
            (404, "GET", "2/none", None),
            (404, "GET", "3/status", None),
            (404, "GET", "2/videos/none", None),
            (404, "GET", f"2/videos/{item}/tags/99", None),
            (405, "PUT", "2/status", None),
            (405, "GET", "2/record", None),
            (400, "POST", "2/record", b"{"),
            (400, "POST", "2/record", {"recording_active": 1}),
            (400, "POST", "2/record", b"x" * 300_000),
            (400, "POST", "2/datetime", b"2026-11-22T10:00:00Z"),
            (400, "GET", "2/videos?offset=999", None),
            (400, "GET", "2/videos?count=%zz", None),
            (400, "POST", "2/viewfinder", {"viewfinder_active": True, "viewfinder_streaming_port": 65536}),
            (400, "POST", "2/preview", {"id": item, "preview_active": True, "preview_port": 80}),
            (404, "POST", "2/preview", {"id": "none", "preview_active": True, "preview_port": 4011}),
            (500, "POST", "2/record", {"recording_active": False}),
        )


async def test_lists_and_items() -> None:
    async with device() as emulated:
        camera = emulated.camera
        page = camera.get("videos").json
        assert len(page["items"]) == 1
        total = page["total"]
        items = camera.get("videos?sort=filename&order=desc&count=24").json["items"]
        assert len(items) == total > 2
        assert [item["path"] for item in items] == sorted((item["path"] for item in items), reverse=True)
        for item in items:
            assert set(item) >= VIDEO_KEYS
            assert re.fullmatch(r"/.+/MOV_\d+\.MP4", item["path"])
            assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", item["created"])
            assert type(item["size_bytes"]) is int
            assert item["framerate_fps"] in (15, 30, 60, 120, 180)
            assert camera.get(f"videos/{item['id']}/").json == item
        assert all("tags" in item for item in camera.get("videos?tags=1&count=9").json["items"])
        for kind in ("videos", "images"):
            sessions = camera.get(f"sessions/{kind}?count=9").json
            files = sum(item["number_of_files"] for item in sessions["items"])
            assert files == camera.get(kind).json["total"] >= sessions["total"]


@pytest.mark.seconds(150)
async def test_every_clip_plays_and_every_picture_decodes() -> None:
    async with device() as emulated:
        camera = emulated.camera

        def check() -> None:
            for item in camera.get("videos?count=99").json["items"]:
                content = camera.get(f"videos/{item['id']}/contents", Accept="binary/octet-stream")
                assert len(content.body) == item["size_bytes"]
                check_clip(item, content.body)
                width, height, grey = decoded(camera.get(f"videos/{item['id']}/thumb/").body)
                assert (width, height) == (320, 180)
                assert number(width, height, grey) == 0

        await of(check)


def check_clip(item: dict, octets: bytes) -> None:
    """A clip is what its item says, and all of it decodes."""
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "clip.mp4"
        path.write_bytes(octets)
        found = probe(str(path), "-count_frames")
        assert found["format"]["tags"]["major_brand"] == "avc1"
        video = next(stream for stream in found["streams"] if stream["codec_type"] == "video")
        assert video["codec_name"] == "h264"
        assert abs(float(found["format"]["duration"]) - item["length_secs"]) < 0.05
        height = {"4k": 2160, "1080p": 1080, "720p": 720, "wvga": 480}[item["resolution"]]
        assert video["height"] == height
        rate = int(video["nb_read_frames"]) / item["length_secs"]
        factor = {"1080p": 2, "720p": 4, "wvga": 6}.get(item["resolution"], 1) if item["mode"] == "slow_motion" else 1
        assert abs(rate - item["framerate_fps"] / factor) < 0.5
        sound = [stream for stream in found["streams"] if stream["codec_type"] == "audio"]
        assert bool(sound) == (item["mode"] not in ("time_lapse", "night_lapse"))
        assert all(stream["codec_name"] == "aac" and stream["channels"] == 1 for stream in sound)
        command = ["ffmpeg", "-v", "error", "-xerror", "-i", str(path), "-f", "null", "-"]
        assert subprocess.run(command, capture_output=True, check=True).stderr == b""


async def test_ranges_and_cuts() -> None:
    async with device() as emulated:
        camera = emulated.camera
        item = camera.get("videos").json["items"][0]
        path = f"2/videos/{item['id']}/contents"
        whole = camera.ask("GET", path).body
        part = camera.ask("GET", path, headers={"Range": "bytes=1000-1999"})
        assert (part.status, part.headers["content-range"]) == (206, f"bytes 1000-1999/{len(whole)}")
        assert part.body == whole[1000:2000]
        assert camera.ask("GET", path, headers={"Range": "bytes=-10"}).body == whole[-10:]
        assert camera.ask("GET", path, headers={"Range": f"bytes={len(whole)}-"}).status == 416
        cut = camera.ask("GET", path + "?offset_secs=3.5&length_secs=2").body
        await of(check_clip, item | {"length_secs": 3.0}, cut)
        copy = await of(camera.ask, "GET", path + "?resolution=720p&framerate=30fps")
        await of(check_clip, item | {"resolution": "720p"}, copy.body)


async def test_photos() -> None:
    async with device("--empty-card") as emulated:
        camera, lines = emulated.camera, await emulated.backchannel()
        camera.ask("PUT", "2/settings/image", {"mode": "single"})
        camera.post("settings/image", {"mode": "single", "resolution": "8MP"})
        camera.record(True)
        (photo,) = await of(lines.wait, "photo_captured")
        assert (photo["mode"], photo["resolution"]) == ("single", "8MP")
        octets = (await of(camera.get, f"images/{photo['id']}/contents")).body
        assert len(octets) == photo["size_bytes"]
        assert (await of(decoded, octets))[:2] == (3264, 2448)
        assert (await of(decoded, (await of(camera.get, f"images/{photo['id']}/thumb/")).body))[:2] == (320, 180)


RECORDING_SECONDS = 1.2
"""The camera counts whole seconds."""


async def test_a_recording_from_start_to_download() -> None:
    async with device("--empty-card") as emulated:
        camera = emulated.camera
        lines = await emulated.backchannel()
        camera.record(True)
        assert lines.next() == ("recording_started", {"recording_active": True})
        await asyncio.sleep(RECORDING_SECONDS)
        assert camera.status["recording_secs"] == camera.status["recoding_secs"] == 1
        camera.post("record/tag", {"tag_mobile": True})
        name, tag = lines.next()
        assert (name, tag["tag_mobile"]) == ("tag_created", True)
        camera.record(False)
        name, items = lines.next()
        assert name == "recording_stopped"
        assert camera.get("videos?count=9").json == {"total": 1, "items": items}
        assert items[0]["nr_highlights"] == 1
        content = camera.get(f"videos/{items[0]['id']}/contents")
        await of(check_clip, items[0], content.body)
        still = await of(camera.get, f"videos/{items[0]['id']}/frames?offset_secs=1.0")
        width, height, grey = await of(decoded, still.body)
        assert (width, height, number(width, height, grey)) == (1920, 1080, 30)
        lines.close()


async def test_a_clip_and_its_stills_show_the_same_frame(directory: Path) -> None:
    async with device() as emulated:
        camera = emulated.camera
        item = camera.get("videos").json["items"][0]
        (directory / "clip.mp4").write_bytes(camera.get(f"videos/{item['id']}/contents").body)
        for seconds in (0.0, 2.5, 11.0):
            still = await of(camera.get, f"videos/{item['id']}/frames?offset_secs={seconds}")
            command = ["ffmpeg", "-v", "error", "-ss", str(seconds), "-i", str(directory / "clip.mp4")]
            command += ["-frames:v", "1", "-f", "image2pipe", "-c:v", "mjpeg", "-q:v", "2", "-"]
            frame = await of(subprocess.run, command, capture_output=True, check=True)
            shown = number(*await of(decoded, frame.stdout))
            assert shown == number(*await of(decoded, still.body)) % 300 == int(seconds * 30) % 300


async def test_the_users_own_files_are_the_card(directory: Path) -> None:
    command = ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=1280x720:r=30:d=2", "-c:v", "libx264"]
    subprocess.run([*command, str(directory / "a.mp4")], check=True)
    subprocess.run([*command[:7], "-frames:v", "1", str(directory / "b.jpg")], check=True)
    (directory / "c.txt").write_text("no film")
    async with device("--card", str(directory)) as emulated:
        camera = emulated.camera
        page = camera.get("videos?count=9").json
        (item,) = page["items"]
        assert (item["resolution"], item["framerate_fps"], item["length_secs"]) == ("720p", 30, 2.0)
        assert item["path"] == "/DCIM/100TTCAM/MOV_0001.MP4"
        assert camera.get(f"videos/{item['id']}/contents").body == (directory / "a.mp4").read_bytes()
        (photo,) = camera.get("images?count=9").json["items"]
        assert camera.get(f"images/{photo['id']}/contents").body == (directory / "b.jpg").read_bytes()
        thumb = await of(camera.get, f"videos/{item['id']}/thumb")
        assert (await of(decoded, thumb.body))[:2] == (320, 180)


def brightness(width: int, height: int, grey: bytes) -> int:
    assert len(grey) == width * height
    return sum(grey) // len(grey)


async def test_pictures_of_the_users_own_files(directory: Path) -> None:
    """A clip that is white for a second, then black, and a white photo; what is drawn has some of everything."""
    parts = [
        "-f",
        "lavfi",
        "-i",
        "color=white:s=640x360:r=30:d=1",
        "-f",
        "lavfi",
        "-i",
        "color=black:s=640x360:r=30:d=1",
    ]
    joined = [
        "-filter_complex",
        "concat=n=2:v=1:a=0",
        "-c:v",
        "libx264",
        "-pix_fmt",
        "yuv420p",
        str(directory / "a.mp4"),
    ]
    subprocess.run(["ffmpeg", "-v", "error", *parts, *joined], check=True)
    subprocess.run(["ffmpeg", "-v", "error", *parts[:4], "-frames:v", "1", str(directory / "b.jpg")], check=True)

    async def pictures(camera: Camera) -> list[int]:
        clip = camera.get("videos").json["items"][0]["id"]
        photo = camera.get("images").json["items"][0]["id"]
        paths = (
            f"videos/{clip}/thumb",
            f"videos/{clip}/frames?offset_secs=0.5",
            f"videos/{clip}/frames?offset_secs=1.5",
        )
        found = [await of(decoded, (await of(camera.get, path)).body) for path in (*paths, f"images/{photo}/thumb")]
        assert [picture[:2] for picture in found] == [(320, 180), (640, 360), (640, 360), (320, 180)]
        return [brightness(*picture) for picture in found]

    async with device("--card", str(directory)) as emulated:
        first, white, black, photo = await pictures(emulated.camera)
        assert min(first, white, photo) > 220 and black < 30
    async with device("--card", str(directory), env={"PATH": "/nonexistent"}) as emulated:
        assert all(30 < picture < 220 for picture in await pictures(emulated.camera))


# Connections.


async def test_five_connections_and_no_more() -> None:
    async with device() as emulated:
        camera = emulated.camera
        lines = await emulated.backchannel()
        idle = [socket.create_connection((camera.address, camera.port)) for _ in range(4)]
        # Connections are accepted in their order.
        response = await of(camera.ask, "GET", "version")
        assert (response.status, response.body, response.headers["connection"]) == (503, b"", "close")
        idle[0].close()

        async def is_served() -> bool:
            return (await of(camera.ask, "GET", "version")).status == 200

        await until("a free connection", is_served)
        camera_findings = await emulated.type("findings")
        assert camera_findings["lines"][0].startswith("! too-many-connections")
        for connection in idle[1:]:
            connection.close()
        lines.close()


async def test_keep_alive_pipelining_and_broken_requests() -> None:
    async with device() as emulated:
        camera = emulated.camera

        def exchange(octets: bytes) -> bytes:
            with socket.create_connection((camera.address, camera.port), 5) as stream:
                stream.sendall(octets)
                stream.shutdown(socket.SHUT_WR)
                answer = b""
                with contextlib.suppress(ConnectionResetError):
                    while piece := stream.recv(4096):
                        answer += piece
                return answer

        request = b"GET /api/version HTTP/1.1\r\nHost: x\r\n\r\n"
        assert (await of(exchange, request * 3)).count(b"HTTP/1.1 200 OK") == 3
        assert (await of(exchange, b"nonsense\r\n\r\n")).startswith(b"HTTP/1.1 400")
        await of(exchange, b"POST /api/2/record HTTP/1.1\r\nContent-Length: 100\r\n\r\n{")
        assert (await of(camera.ask, "GET", "version")).status == 200
        assert camera.status["recording_active"] is False


async def test_a_half_open_connection_and_datagrams_to_the_wrong_port_stop_nobody() -> None:
    async with device() as emulated:
        camera = emulated.camera
        receiver = Viewfinder().start(camera)
        lines = await emulated.backchannel()
        half = [socket.create_connection((camera.address, camera.port)) for _ in range(2)]
        half[0].sendall(b"POST /api/2/record HTTP/1.1\r\nContent-Length: 27\r\n\r\n{")
        half[1].sendall(b"GET /api/2/sta")
        before = emulated.camera.status
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stray:
            for port in (camera.port, before["backchannel_port"], receiver.port):
                for octets in (b"", b"\x55\xaa", bytes(1400)):
                    stray.sendto(octets, ("127.0.0.1", port))
        frames = await of(receiver.take, 30)
        assert len(frames) == 30
        await emulated.done("button record")
        assert (await of(lines.next))[0] == "recording_started"
        assert camera.status["viewfinder_active"] is True
        for stream in half:
            stream.close()


async def test_several_cameras_on_several_addresses() -> None:
    async with device(address="127.0.0.2") as first, device("--serial", "OTHER", address="127.0.0.3") as second:
        cameras = [emulated.camera for emulated in (first, second)]
        receivers = [Viewfinder().start(camera) for camera in cameras]
        lines = [await emulated.backchannel() for emulated in (first, second)]
        for receiver in receivers:
            await of(receiver.take, 10)
        cameras[0].record(True)
        assert (await of(lines[0].next))[0] == "recording_started"
        assert [camera.status["recording_active"] for camera in cameras] == [True, False]
        lines[1].socket.settimeout(0.5)
        with pytest.raises(TimeoutError):
            await of(lines[1].next)
        ids = [camera.get("videos").json["items"][0]["id"] for camera in cameras]
        assert ids[0] != ids[1]


LOAD_SECONDS = 20.0
GROWTH_KB = 1500
"""Between the first quarter of the load and its end: some pages that the allocator has not used before."""


@pytest.mark.thorough("the other tests of test_bandit.py have each part of the load")
@pytest.mark.seconds(LOAD_SECONDS + 60)
async def test_mixed_load_lets_nothing_grow() -> None:
    async with device("--preview-pace", "0") as emulated:
        load = Load(emulated.camera, emulated.child.pid)
        await of(load.run, LOAD_SECONDS)
        assert load.rounds >= 8 and load.frames >= 5 * LOAD_SECONDS
        first, last = load.samples[len(load.samples) // 4], load.samples[-1]
        print(f"{load.rounds} rounds, {load.frames} pictures; {first}, {last}")
        assert last.kilobytes <= first.kilobytes + GROWTH_KB, (first, last)
        assert last.descriptors <= first.descriptors + 2, (first, last)


# The viewfinder.


@pytest.mark.thorough("StreamTests have the pace; test_bandit_faults.py receives pictures and decodes them")
@pytest.mark.alone
@pytest.mark.seconds(90)
async def test_the_viewfinder_is_30_pictures_a_second() -> None:
    async with device() as emulated:
        camera, receiver = emulated.camera, Viewfinder()
        lines = await emulated.backchannel()
        receiver.start(camera)
        assert lines.next() == ("viewfinder_started", {"viewfinder_active": True})
        frames = await of(receiver.take, 30)
        started = time.monotonic()
        frames += await of(receiver.take, 150)
        rate = 150 / (time.monotonic() - started)
        print(f"{rate:.2f} pictures a second, {receiver.datagrams} datagrams, {receiver.dropped} dropped")
        assert 29 <= rate <= 31
        assert receiver.dropped == 0
        numbers = []
        for frame in frames[::45]:
            width, height, grey = await of(decoded, frame.jpeg)
            assert (width, height) == (768, 432)
            numbers.append(number(width, height, grey))
        assert numbers == sorted(set(numbers))
        assert all(frame.time == 0 for frame in frames)
        camera.record(True)
        recorded = (frame.time for frame in receiver.frames() if frame.time > 0)
        times = await of(lambda: list(itertools.islice(recorded, 40)))
        assert times == sorted(set(times))
        camera.record(False)
        again = camera.ask("POST", "2/viewfinder", {"viewfinder_active": True, "viewfinder_streaming_port": 4001})
        assert again.status == 409
        for port in (-1, 0):
            camera.post("viewfinder", {"viewfinder_active": False, "viewfinder_streaming_port": port})
        lines.wait("viewfinder_stopped")
        receiver.close()
        lines.close()


async def test_a_viewfinder_that_nobody_receives_ends() -> None:
    async with device() as emulated:
        receiver = Viewfinder().start(emulated.camera)
        await of(receiver.take, 3)
        receiver.close()
        await emulated.child.line("viewfinder-unreachable", 15)
        assert emulated.camera.status["viewfinder_active"] is False


# The preview.


def shown(camera: Camera, item: dict, server: PreviewServer, **members: float):
    camera.post("preview", {"id": item["id"], "preview_active": True, "preview_port": server.port} | members)
    return server.accept()


async def test_a_preview() -> None:
    async with device() as emulated:
        camera = emulated.camera
        server = PreviewServer(camera)
        item = camera.get("videos").json["items"][0]
        started = time.monotonic()
        stream = await of(shown, camera, item, server, offset_secs=2.0, length_secs=3.0)
        assert camera.status["preview_active"] is True
        second = {"id": item["id"], "preview_active": True, "preview_port": server.port}
        assert camera.ask("POST", "2/preview", second).status == 409
        assert camera.ask("DELETE", f"2/videos/{item['id']}").status == 409
        got = await of(lambda: list(packets(stream)))
        took = time.monotonic() - started
        assert [got[0].kind, got[-1].kind] == [127, 128]
        assert (got[0].payload, got[-1].payload) == (b"", b"")
        pictures = [packet for packet in got if packet.kind == 0]
        sounds = [packet for packet in got if packet.kind == 1]
        assert [packet.pts for packet in pictures] == [180_000 + 3000 * index for index in range(90)]
        assert all(later.pts - earlier.pts == 1920 for earlier, later in itertools.pairwise(sounds))
        times = [packet.pts for packet in got[1:-1]]
        assert times == sorted(times)
        assert all(packet.payload[:4] == b"\xff\xf1\x4c\x40" for packet in sounds)
        for packet in pictures[::30]:
            width, height, grey = await of(decoded, packet.payload)
            assert (width, height, number(width, height, grey)) == (768, 432, packet.pts // 3000)
        # Real time, which is what the stock library's buffer takes.
        print(f"3 s of preview took {took:.2f} s")
        assert 2.8 <= took <= 4.5
        assert camera.status["preview_active"] is False


async def test_a_preview_to_nobody_is_500_and_a_stop_is_always_200() -> None:
    async with device() as emulated:
        camera = emulated.camera
        server = PreviewServer(camera)
        item = camera.get("videos").json["items"][0]
        server.close()
        start = {"id": item["id"], "preview_active": True, "preview_port": server.port}
        assert camera.ask("POST", "2/preview", start).status == 500
        camera.post("preview", start | {"preview_active": False, "id": "another"})


PAUSE_SECONDS = 1.5
"""The buffers of both sides are full long before."""


async def test_a_reader_that_pauses_loses_nothing() -> None:
    async with device("--preview-pace", "0") as emulated:
        camera = emulated.camera
        server = PreviewServer(camera)
        item = camera.get("videos").json["items"][0]
        server.listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        stream = await of(shown, camera, item, server)
        await asyncio.sleep(PAUSE_SECONDS)
        assert camera.status["preview_active"] is True
        got = await of(lambda: list(packets(stream)))
        assert sum(packet.kind == 0 for packet in got) == 360
        assert got[-1].kind == 128


async def test_a_client_that_leaves_ends_the_preview() -> None:
    async with device() as emulated:
        camera = emulated.camera
        server = PreviewServer(camera)
        item = camera.get("videos").json["items"][0]
        stream = await of(shown, camera, item, server)
        stream.close()
        await emulated.line("closed the preview")
        assert camera.status["preview_active"] is False
        await of(shown, camera, item, server)


# The backchannel and the desk.


async def test_what_happens_at_the_camera_is_told() -> None:
    async with device() as emulated:
        lines = await emulated.backchannel()
        for line, name in [
            ("button record", "recording_started"),
            ("button tag", "tag_created"),
            ("button record", "recording_stopped"),
            ("card fill", "memory_low"),
            ("card pull", "memory_error"),
        ]:
            await emulated.done(line)
            assert (await of(lines.next))[0] == name
        assert emulated.camera.get("videos").json == {"total": 0, "items": []}
        await emulated.done("battery 5")
        assert emulated.camera.status["battery_level_pct"] == 5
        await emulated.done("power off")
        assert (await of(lines.next))[0] == "shutting_down"
        with pytest.raises(EOFError):
            await of(lines.next)
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection((emulated.camera.address, emulated.camera.port))
        mark = emulated.mark
        await emulated.done("power on")
        await emulated.line("listening at", mark)
        assert (await of(emulated.camera.ask, "GET", "version")).status == 200


async def test_a_scenario_and_its_transcript(directory: Path) -> None:
    scenario, transcript = directory / "day.json", directory / "transcript.json"
    scenario.write_text(
        json.dumps(
            {
                "seed": 7,
                "faults": [{"at": "status", "do": {"status": 500}}],
                "events": [{"after-ms": 300, "button": "record"}, {"after-ms": 900, "battery": 3}],
            }
        )
    )
    async with device("--scenario", str(scenario), "--transcript", str(transcript)) as emulated:
        assert emulated.camera.ask("GET", "2/status").status == 500
        await emulated.line("recording_started")
        await emulated.line("scenario|battery")
        await until("the battery", lambda: emulated.camera.status["battery_level_pct"] == 3)
        await emulated.child.stop()
    told = json.loads(transcript.read_text())
    assert any(entry["event"] == "requested" and entry["result"].startswith("500") for entry in told["entries"])
    assert "no-backchannel" in [finding["rule"] for finding in told["findings"]]


def test_wrong_files_and_options_are_refused(directory: Path) -> None:
    (directory / "day.json").write_text('{"events": [{"after-ms": 1, "battery": 101}]}')
    for options, code in [
        (["--scenario", str(directory / "day.json")], 2),
        (["--card", str(directory / "none")], 2),
        (["--listen", "nowhere"], 2),
        (["--split", "0"], 2),
        (["--listen", "192.0.2.1:8080"], 1),
    ]:
        command = [str(binary()), "emulate", "bandit", *options]
        run = subprocess.run(command, check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=20)
        assert run.returncode == code, (options, run.returncode, run.stderr)
        assert run.stderr


async def test_uploads_are_taken() -> None:
    async with device() as emulated:
        camera = emulated.camera
        body = b'--x\r\nContent-Disposition: form-data; name="upgrade"; filename="f"\r\n\r\n' + bytes(5_000_000)
        fields = {"Content-Type": "multipart/form-data; boundary=x"}
        for path in ("firmware", "quickgpsfix", "glonass"):
            assert (await of(camera.ask, "POST", f"2/{path}", body + b"\r\n--x--\r\n", fields)).status == 200
        assert camera.get("firmware").json["pending_major"] == 1
        assert camera.get("license").headers["content-type"] == "text/html"
        assert camera.get("log").body[257:262] == b"ustar"


async def test_binary_sensor_data() -> None:
    async with device() as emulated:
        item = emulated.camera.get("videos").json["items"][0]
        sets = emulated.camera.get(f"videos/{item['id']}/sensors").json
        assert [entry["offset_msecs"] for entry in sets] == [second * 1000 for second in range(12)]
        octets = emulated.camera.get(f"videos/{item['id']}/sensors", Accept="binary/octet-stream").body
        sizes, at, milliseconds = {0xFF: 4, 0: 12, 1: 4, 2: 12, 3: 12, 5: 92}, 0, []
        while at < len(octets):
            if octets[at] == 0xFF:
                milliseconds.append(struct.unpack_from("<I", octets, at + 1)[0])
            at += 1 + sizes[octets[at]]
        assert at == len(octets)
        assert milliseconds == [second * 1000 for second in range(12)]


async def test_the_commands_of_the_page(directory: Path) -> None:
    """docs/emulators/bandit.md: its first command, what it has curl ask, and its scenario, all but for the port."""
    assert beginning("bandit.md", "readerlab emulate bandit --listen ") == [
        "readerlab emulate bandit --listen 127.0.0.1:8080\n"
    ]
    page = [block.text for block in blocks("bandit.md")]
    (file,) = [block for block in page if block.startswith("{")]
    (directory / "day.json").write_text(file)
    asked = [line for block in page for line in block.splitlines() if line.startswith("curl ")]
    assert len(asked) == 3
    async with device("--scenario", str(directory / "day.json")) as emulated:
        for line in asked:
            command = shlex.split(line.replace(":8080", f":{emulated.camera.port}"))
            command[1:1] = ["--silent", "--fail"]
            result = await of(subprocess.run, command, capture_output=True, check=True)
            assert json.loads(result.stdout)
        typed = next(block for block in page if block.startswith("button"))
        for line in ("button record", "button tag", "mode single", "heart-rate 142", "clock 2026-11-22T10:00:00Z"):
            assert line.split()[0] in typed
            answer = await emulated.type(line)
            assert answer["ok"] == (line != "mode single"), line


async def test_an_address_of_its_own(directory: Path) -> None:
    """docs/emulators/bandit.md: the first way to point the app at it, on a host with a Wi-Fi interface."""
    block, _ = beginning("bandit.md", "sysctl net.ipv4.ip_unprivileged_port_start=80")
    async with network() as hosts:
        environment = os.environ | {"PATH": programs()}
        child = await Child.start("bash", [*hosts.phone, "bash", "-e", "-c", block], cwd=directory, env=environment)
        try:
            await child.line("192.168.1.101:80", LINE_SECONDS)
        finally:
            await child.stop()
