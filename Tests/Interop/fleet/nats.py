# SPDX-License-Identifier: Apache-2.0
"""nats-server: a broker that speaks MQTT 3.1.1 and no more, with TLS and certificates of clients."""

from __future__ import annotations

import shutil
from pathlib import Path

from fleet.broker import SECONDS
from fleet.certificates import Authority
from rig.ports import free_port
from rig.processes import Child


class OldBroker:
    """It listens on loopback alone."""

    def __init__(self, directory: Path) -> None:
        self.authority = Authority(directory)
        self.port = free_port()
        own = self.authority.issue("localhost", address="127.0.0.1")
        self._configuration = directory / "nats.conf"
        # MQTT needs its streams, and a name of the server.
        self._configuration.write_text(f"""\
listen: "127.0.0.1:{free_port()}"
server_name: old
jetstream {{ store_dir: "{directory}/streams" }}
mqtt {{
  listen: "127.0.0.1:{self.port}"
  tls {{ cert_file: "{own.certificate}", key_file: "{own.key}", ca_file: "{self.authority.file}", verify: true }}
}}
""")

    async def __aenter__(self) -> OldBroker:
        program = shutil.which("nats-server", path="/usr/bin:/usr/sbin")
        assert program, "nats-server is not installed: script/bootstrap"
        self._child = await Child.start("nats-server", [program, "-c", str(self._configuration)])
        await self._child.line("Server is ready", SECONDS)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._child.stop()
