# SPDX-License-Identifier: Apache-2.0
"""A client of the camera, from the published facts alone: REST, viewfinder, preview, backchannel."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import struct
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass

SECONDS = 10.0
"""For anything that the camera sends. Not a bound of a test."""


@dataclass(frozen=True)
class Response:
    """A response, whose body has as many octets as its header says."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self):
        return json.loads(self.body)


class Camera:
    """The camera's REST API, a connection each request as the Android library has it."""

    def __init__(self, address: str, port: int) -> None:
        self.address = address
        self.port = port
        self.sockets: list[socket.socket] = []

    def ask(self, method: str, path: str, body: object = None, headers: dict[str, str] | None = None) -> Response:
        connection = http.client.HTTPConnection(self.address, self.port, timeout=SECONDS)
        try:
            octets = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
            fields = {"Accept-Encoding": "gzip", "Content-Type": "application/json; charset=UTF-8"} | (headers or {})
            connection.request(method, "/api/" + path, octets, fields)
            response = connection.getresponse()
            content = response.read()
            fields = {name.lower(): value for name, value in response.getheaders()}
            if response.status != 416:
                assert int(fields["content-length"]) == len(content)
            assert "content-encoding" not in fields
            return Response(response.status, fields, content)
        finally:
            connection.close()

    def get(self, path: str, **headers: str) -> Response:
        response = self.ask(
            "GET", "2/" + path, headers={name.replace("_", "-"): text for name, text in headers.items()}
        )
        assert response.status == 200, (path, response.status)
        return response

    def post(self, path: str, body: object, status: int = 200) -> Response:
        response = self.ask("POST", "2/" + path, body)
        assert response.status == status, (path, response.status)
        return response

    def record(self, active: bool) -> None:
        assert self.post("record", {"recording_active": active}).body == b""

    @property
    def status(self) -> dict:
        return self.get("status").json

    def backchannel(self) -> Backchannel:
        made = Backchannel(self.address, self.status["backchannel_port"])
        self.sockets.append(made.socket)
        return made


class Backchannel:
    """The notifications: a JSON object with one key a line."""

    def __init__(self, address: str, port: int) -> None:
        self.socket = socket.create_connection((address, port), SECONDS)
        self.octets = b""

    def line(self) -> bytes:
        while b"\n" not in self.octets:
            piece = self.socket.recv(4096)
            if not piece:
                raise EOFError
            self.octets += piece
        line, _, self.octets = self.octets.partition(b"\n")
        return line

    def next(self) -> tuple[str, object]:
        """The next notification: its name and its value."""
        notification = json.loads(self.line())
        assert len(notification) == 1
        return next(iter(notification.items()))

    def wait(self, name: str) -> object:
        """The value of the next notification of that name."""
        while True:
            got, value = self.next()
            if got == name:
                return value

    def close(self) -> None:
        self.socket.close()


@dataclass(frozen=True)
class Frame:
    """A picture of the viewfinder with its presentation time, and the number of its first datagram."""

    jpeg: bytes
    time: float
    number: int


class Viewfinder:
    """The UDP port of the viewfinder. Invalid datagrams are dropped, and counted."""

    def __init__(self, address: str = "127.0.0.1") -> None:
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_000_000)
        self.socket.bind((address, 0))
        self.socket.settimeout(SECONDS)
        self.port = self.socket.getsockname()[1]
        self.dropped = 0
        self.datagrams = 0

    def start(self, camera: Camera) -> Viewfinder:
        camera.sockets.append(self.socket)
        camera.post("viewfinder", {"viewfinder_active": True, "viewfinder_streaming_port": self.port})
        return self

    def frames(self) -> Iterator[Frame]:
        jpeg, size, time, number, expected = b"", 0, 0.0, 0, None
        while True:
            datagram = self.socket.recv(2048)
            self.datagrams += 1
            if len(datagram) < 7:
                self.dropped += 1
                continue
            sync, kind, packet, length = struct.unpack(">HBHH", datagram[:7])
            if sync != 0x55AA or len(datagram) != 7 + length or kind not in (0, 1):
                self.dropped += 1
                continue
            if kind == 0:
                if expected is not None:
                    self.dropped += 1
                size, time = struct.unpack(">If", datagram[7:15])
                jpeg, number, expected = b"", packet, packet + 1
                continue
            if expected is None:
                continue
            if packet != expected:
                self.dropped += 1
                expected = None
                continue
            jpeg += datagram[7:]
            expected += 1
            if len(jpeg) >= size:
                expected = None
                if len(jpeg) == size and jpeg[:2] == b"\xff\xd8" and jpeg[-2:] == b"\xff\xd9":
                    yield Frame(jpeg, time, number)
                else:
                    self.dropped += 1

    def drain(self) -> None:
        """Forgets the datagrams that have come."""
        self.socket.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            while self.socket.recv(2048):
                pass
        self.socket.settimeout(SECONDS)

    def take(self, count: int) -> list[Frame]:
        frames = self.frames()
        return [next(frames) for _ in range(count)]

    def close(self) -> None:
        self.socket.close()


@dataclass(frozen=True)
class Packet:
    """A packet of a preview."""

    kind: int
    pts: int
    payload: bytes


class PreviewServer:
    """The TCP port that the camera connects to for a preview."""

    def __init__(self, camera: Camera) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        camera.sockets.append(self.listener)
        self.camera = camera
        self.listener.settimeout(SECONDS)
        self.port = self.listener.getsockname()[1]

    def accept(self) -> socket.socket:
        stream, _ = self.listener.accept()
        stream.settimeout(SECONDS)
        self.camera.sockets.append(stream)
        return stream

    def close(self) -> None:
        self.listener.close()


def packets(stream: socket.socket) -> Iterator[Packet]:
    """The packets of a preview up to the end of its connection."""
    with stream.makefile("rb") as reader:
        while header := reader.read(20):
            version, kind, size, pts, status = struct.unpack(">5I", header)
            assert (version, status) == (1, 0)
            payload = reader.read(size)
            assert len(payload) == size
            yield Packet(kind, pts, payload)


# Pictures.


def decoded(jpeg: bytes) -> tuple[int, int, bytes]:
    """Width, height and luminance of a picture, by ffmpeg's decoder, which must find no fault in it."""
    from_jpeg = ["ffmpeg", "-v", "error", "-xerror", "-f", "jpeg_pipe", "-i", "-"]
    to_grey = ["-f", "image2pipe", "-c:v", "pgm", "-pix_fmt", "gray", "-"]
    result = subprocess.run([*from_jpeg, *to_grey], input=jpeg, capture_output=True, check=True)
    assert result.stderr == b"", result.stderr
    magic, width, height, depth = result.stdout.split(maxsplit=4)[:4]
    assert (magic, depth) == (b"P5", b"255")
    return int(width), int(height), result.stdout[-int(width) * int(height) :]


def number(width: int, height: int, grey: bytes) -> int:
    """The frame number in a picture's bar code: 23 cells, of which the first two are white and black."""
    unit = max(2, height // 54)

    def bit(index: int) -> int:
        x, y = 2 * unit + index * 2 * unit + unit, unit + unit
        return grey[y * width + x] > 128

    assert (bit(0), bit(1)) == (True, False)
    bits = [bit(index) for index in range(2, 23)]
    assert sum(bits) % 2 == 0
    return int("".join("1" if one else "0" for one in bits[:20]), 2)


def probe(path: str, *options: str) -> dict:
    """The report of ffprobe on a file."""
    command = ["ffprobe", "-v", "error", "-of", "json", "-show_format", "-show_streams", *options, path]
    result = subprocess.run(command, capture_output=True, check=True)
    assert result.stderr == b"", result.stderr
    return json.loads(result.stdout)
