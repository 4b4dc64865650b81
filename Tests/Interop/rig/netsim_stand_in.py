# SPDX-License-Identifier: Apache-2.0
"""A stand-in for netsim, the radio of the Android Emulator: RootCanal's controllers behind an HCI port, `netsim.ini`.

netsim contains RootCanal, and gives each connection its own controller, as this does. It has no gRPC service: the file
names a port that is closed. Neither an Android Emulator nor netsim runs here.
"""

from __future__ import annotations

import os
from pathlib import Path

from rig.ports import free_port
from rig.radio_process import RadioProcess

GRPC_PORT = 8554
"""As the file names it."""


class NetsimStandIn:
    """One instance; it can end and start again."""

    def __init__(self, directory: Path, instance: int = 1) -> None:
        """The files are in `directory`."""
        self.port = free_port()
        self.ini = directory / ("netsim.ini" if instance == 1 else f"netsim_{instance}.ini")
        self._directory = directory
        self._radio: RadioProcess | None = None

    @property
    def environment(self) -> dict[str, str]:
        """The environment of a program that looks for it: another port than 6402, which is one for all tests."""
        return {**os.environ, "TMPDIR": str(self._directory), "NETSIM_HCI_PORT": str(self.port)}

    @property
    def hci(self) -> str:
        """The transport for a Bumble host on the same air."""
        return f"tcp-client:127.0.0.1:{self.port}"

    def write_ini(self) -> None:
        """The file, which netsim writes at its start."""
        self.ini.write_text(f"grpc.port={GRPC_PORT}\n")

    async def start(self) -> None:
        """File, controllers and port."""
        self.write_ini()
        (self._directory / "control").unlink(missing_ok=True)
        self._radio = await RadioProcess.start(self._directory)
        await self._radio.ask("listen", "netsim", f"tcp:127.0.0.1:{self.port}", "full")

    async def stop(self) -> None:
        """As netsim ends: all connections close, and the file is removed."""
        if self._radio:
            await self._radio.stop()
        self._radio = None
        self.ini.unlink(missing_ok=True)
