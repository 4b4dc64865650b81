# SPDX-License-Identifier: Apache-2.0
"""Mixed load for a camera: a viewfinder and a backchannel all the time, and in turn requests, recordings, downloads,
previews, and clients that vanish.

    cd Tests/Interop && ../../.venv/bin/python -m bandit.load 600

starts a camera, and shows how its process grows in so many seconds."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from bandit.client import Camera, PreviewServer, Viewfinder, packets
from bandit.device import device


@dataclass(frozen=True)
class Sample:
    """The size of the process."""

    seconds: float
    kilobytes: int
    descriptors: int

    @classmethod
    def of(cls, pid: int, began: float) -> Sample:
        status = Path(f"/proc/{pid}/status").read_text()
        resident = next(line for line in status.splitlines() if line.startswith("VmRSS:"))
        descriptors = len(list(Path(f"/proc/{pid}/fd").iterdir()))
        return cls(time.monotonic() - began, int(resident.split()[1]), descriptors)


class Load:
    """The clients' work, and the growth of the process."""

    def __init__(self, camera: Camera, pid: int) -> None:
        self._camera, self._pid = camera, pid
        self._is_over = threading.Event()
        self.frames = 0
        self.rounds = 0
        self.samples: list[Sample] = []

    def run(self, seconds: float) -> None:
        """A sample at the end of each round."""
        began = time.monotonic()
        watching = threading.Thread(target=self._watch)
        watching.start()
        try:
            while time.monotonic() - began < seconds:
                self._round()
                self.rounds += 1
                self.samples.append(Sample.of(self._pid, began))
        finally:
            self._is_over.set()
            watching.join()

    def _watch(self) -> None:
        """The viewfinder, and whatever is reported meanwhile."""
        receiver = Viewfinder().start(self._camera)
        lines = self._camera.backchannel()
        lines.socket.setblocking(False)
        frames = receiver.frames()
        while not self._is_over.is_set():
            next(frames)
            self.frames += 1
            with contextlib.suppress(BlockingIOError):
                assert lines.socket.recv(65536), "the backchannel ended"
        receiver.close()
        lines.close()

    def _round(self) -> None:
        camera = self._camera
        for path in ("status", "settings", "videos?count=24", "images", "capabilities/recording", "sessions/videos"):
            camera.get(path)
        assert camera.ask("GET", "2/none").status == 404
        assert camera.ask("POST", "2/record", b"{").status == 400
        camera.record(True)
        time.sleep(0.2)
        camera.post("record/tag", {"tag_mobile": True})
        camera.record(False)
        newest = camera.get("videos?sort=filename&order=desc&count=1").json["items"][0]["id"]
        assert camera.get(f"videos/{newest}/contents").body
        camera.get(f"videos/{newest}/thumb")
        camera.get(f"videos/{newest}/frames?offset_secs=0.1")
        server = PreviewServer(camera)
        start = {"id": newest, "preview_active": True, "preview_port": server.port, "length_secs": 0.1}
        camera.post("preview", start)
        with contextlib.closing(server), server.accept() as stream:
            assert [packet.kind for packet in packets(stream)][-1] == 128
        assert camera.ask("DELETE", f"2/videos/{newest}").status == 200
        # Clients that vanish: in the middle of a request, and of a download.
        oldest = camera.get("videos").json["items"][0]["id"]
        for request, answer in (
            ("POST /api/2/record HTTP/1.1\r\nContent-Length: 30\r\n\r\n{", 0),
            (f"GET /api/2/videos/{oldest}/contents HTTP/1.1\r\nHost: x\r\n\r\n", 1000),
        ):
            with socket.create_connection((camera.address, camera.port)) as stream:
                stream.sendall(request.encode())
                if answer:
                    stream.recv(answer)


async def main(seconds: float) -> None:
    """A line for each tenth of the time."""
    async with device("--preview-pace", "0") as emulated:
        load = Load(emulated.camera, emulated.child.pid)
        await asyncio.to_thread(load.run, seconds)
    print(f"{load.rounds} rounds, {load.frames} pictures")
    for part in range(11):
        sample = load.samples[min(len(load.samples) - 1, part * len(load.samples) // 10)]
        print(f"{sample.seconds:6.0f} s {sample.kilobytes:7} kB {sample.descriptors:4} descriptors")


if __name__ == "__main__":
    asyncio.run(main(float(sys.argv[1])))
