# SPDX-License-Identifier: Apache-2.0
"""The Android Emulator's end of PacketStreamer: gRPC's own client with Bumble's messages, and the air that serves it.

No emulator runs here. What it sends is by its source and by logs of its users: a stream for each chip, with the name of
the virtual device.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
from pathlib import Path

import grpc
from bumble.transport.grpc_protobuf.netsim.common_pb2 import ChipKind
from bumble.transport.grpc_protobuf.netsim.hci_packet_pb2 import HCIPacket
from bumble.transport.grpc_protobuf.netsim.packet_streamer_pb2 import PacketRequest
from bumble.transport.grpc_protobuf.netsim.packet_streamer_pb2_grpc import PacketStreamerStub
from bumble.transport.grpc_protobuf.netsim.startup_pb2 import Chip, ChipInfo, DeviceInfo

from rig.air_process import AirProcess
from rig.emulation import LINE_SECONDS
from rig.reader import ROOT

PROGRAM = "readerlab-netsim"
BLUETOOTH, WIFI, UWB = ChipKind.BLUETOOTH, ChipKind.WIFI, ChipKind.UWB


def packet(h4: bytes) -> PacketRequest:
    """A request with an HCI packet, which H4 has with its type in front."""
    return PacketRequest(hci_packet=HCIPacket(packet_type=h4[0], packet=h4[1:]))


class PacketStream:
    """One stream. What the server sends is read as H4, by `reader`, once `read` runs."""

    def __init__(self, endpoint: str) -> None:
        # Otherwise gRPC keeps up to 16 MB for a reader that does not read.
        self._channel = grpc.aio.insecure_channel(endpoint, options=(("grpc.http2.bdp_probe", 0),))
        self.call = PacketStreamerStub(self._channel).StreamPackets()
        self.reader = asyncio.StreamReader()
        self._queue: asyncio.Queue[bytes] = asyncio.Queue()
        self._tasks: list[asyncio.Task] = []

    @classmethod
    async def open(cls, endpoint: str, kind: int = BLUETOOTH, name: str = "Pixel_7") -> PacketStream:
        """The stream of a chip, as the emulator opens it, without Reset."""
        stream = cls(endpoint)
        device = DeviceInfo(name=name, kind="EMULATOR", sdk_version="36")
        chip = Chip(kind=kind, manufacturer="Google")
        await stream.send(PacketRequest(initial_info=ChipInfo(name=name, chip=chip, device_info=device)))
        return stream

    async def send(self, request: PacketRequest) -> None:
        await self.call.write(request)

    def follow(self) -> PacketStream:
        """Reads and writes H4 from here on, by `reader` and `write`."""
        self._tasks = [asyncio.create_task(self._read()), asyncio.create_task(self._write())]
        return self

    async def _read(self) -> None:
        with contextlib.suppress(grpc.aio.AioRpcError, asyncio.CancelledError):
            while (response := await self.call.read()) is not grpc.aio.EOF:
                self.reader.feed_data(bytes([response.hci_packet.packet_type]) + response.hci_packet.packet)
        self.reader.feed_eof()

    async def _write(self) -> None:
        while True:
            await self.send(packet(await self._queue.get()))

    def write(self, h4: bytes) -> None:
        """One packet, as a StreamWriter takes it."""
        self._queue.put_nowait(h4)

    async def ask(self, h4: bytes) -> bytes:
        """The next packet after this one."""
        await self.send(packet(h4))
        response = await asyncio.wait_for(self.call.read(), LINE_SECONDS)
        assert response is not grpc.aio.EOF, (await self.call.code(), await self.call.details())
        assert not response.error, response.error
        return bytes([response.hci_packet.packet_type]) + response.hci_packet.packet

    async def end(self) -> tuple[grpc.StatusCode, str, str]:
        """The status with which the server ends, its text, and the last error message."""
        error = ""
        with contextlib.suppress(grpc.aio.AioRpcError):
            while (response := await asyncio.wait_for(self.call.read(), LINE_SECONDS)) is not grpc.aio.EOF:
                error = response.error
        return await self.call.code(), await self.call.details(), error

    async def close(self) -> None:
        """As the emulator's process ends."""
        for task in self._tasks:
            task.cancel()
        self.call.cancel()
        await self._channel.close()


class NetsimAir(AirProcess):
    """`readerlab air --netsim`, whose files are in a directory of the test."""

    @classmethod
    async def serve(cls, directory: Path, *places: str, options: tuple[str, ...] = ()) -> NetsimAir:
        """Starts it; it is open for streams."""
        environment = cls.environment(directory)
        air = await cls.start(*places, options=("--netsim", *options), environment=environment)
        await air.event("netsim-open")
        return air

    @staticmethod
    def environment(directory: Path) -> dict[str, str]:
        """The environment of the air, and of a program that looks for it."""
        programs = f"{ROOT / '.build/debug'}:{os.environ['PATH']}"
        return {**os.environ, "TMPDIR": str(directory), "XDG_RUNTIME_DIR": str(directory), "PATH": programs}

    @property
    def endpoint(self) -> str:
        """HOST:PORT."""
        return str(self.events("netsim-open")[-1]["endpoint"])

    async def phone_transport(self, name: str) -> str:
        """A chip of this name, with the first free place."""
        return f"android-netsim:{self.endpoint},name={name}"

    def program(self) -> int:
        """The process id of the program that serves."""
        children = Path(f"/proc/{self.child.pid}/task/{self.child.pid}/children").read_text().split()
        (pid,) = (int(pid) for pid in children if Path(f"/proc/{pid}/comm").read_text().strip() == PROGRAM[:15])
        return pid

    def notes(self) -> list[str]:
        """The texts about streams."""
        lines = (json.loads(line.text) for line in self.child.matching('"event":"netsim"'))
        return [str(line["text"]) for line in lines]
