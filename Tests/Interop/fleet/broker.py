# SPDX-License-Identifier: Apache-2.0
"""mosquitto with TLS and certificates of clients, on its own port."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path

from fleet.certificates import Authority, Identity
from rig.ports import free_port
from rig.processes import Child

SECONDS = 20.0
ACCESS = """\
pattern write acc/v1/%u/up/#
pattern read acc/v1/%u/down/#
pattern write homeassistant/device/%u/config
pattern read homeassistant/status
user collector
topic read acc/v1/+/up/#
topic write acc/v1/+/down/mark
"""
"""As docs/operate/fleet.md gives it."""


def program() -> str:
    """mosquitto; Debian puts it where a user's PATH does not reach."""
    found = shutil.which("mosquitto", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
    assert found, "mosquitto is not installed: script/bootstrap"
    return found


class Broker:
    """A broker that can be killed, held, and started again at the same port."""

    def __init__(self, directory: Path, *, access: str = ACCESS, **settings: object) -> None:
        """With `settings` of mosquitto.conf in addition to `use`."""
        self._settings = settings
        self.authority = Authority(directory)
        self.port = free_port()
        self._child: Child | None = None
        self._full_disk: Path | None = None
        self._clients = self.authority.file
        self._configuration = directory / "mosquitto.conf"
        (directory / "access").write_text(access)
        (directory / "access").chmod(0o600)
        self._access = directory / "access"
        self.use(self.authority.issue("localhost", address="127.0.0.1"))

    def use(self, own: Identity) -> None:
        """Its certificate, before it starts."""
        lines = {
            "listener": f"{self.port} 127.0.0.1",
            "cafile": self._clients,
            "certfile": own.certificate,
            "keyfile": own.key,
            "tls_version": "tlsv1.3",
            "require_certificate": "true",
            "use_identity_as_username": "true",
            "use_username_as_clientid": "true",
            "acl_file": self._access,
            "persistence": "false",
            "user": "root",
        }
        lines |= self._settings
        if self._full_disk:
            lines |= {"persistence": "true", "persistence_location": f"{self._full_disk}/"}
            lines |= {"autosave_on_changes": "true", "autosave_interval": "1"}
        self._configuration.write_text("".join(f"{name} {value}\n" for name, value in lines.items()))

    def trust(self, authority: Path) -> None:
        """The authority of clients, instead of its own, before it starts."""
        self._clients = authority
        self.use(self.authority.issue("localhost", address="127.0.0.1"))

    def store_on_full_disk(self, place: Path) -> None:
        """Stores what it has to keep on a full disk at `place`, before it starts."""
        place.mkdir()
        self._full_disk = place
        self.use(self.authority.issue("localhost", address="127.0.0.1"))

    @property
    def is_disk_full(self) -> bool:
        """True if the disk of `store_on_full_disk` takes nothing, as the broker sees it."""
        return os.statvfs(f"/proc/{self._child.pid}/root{self._full_disk}").f_bfree == 0

    async def start(self) -> None:
        """Starts it, and waits until it listens."""
        command = [program(), "-c", str(self._configuration)]
        if self._full_disk:
            # In its own namespace, so that no privilege is needed and nothing stays mounted.
            mount = 'mount -t tmpfs -o size=16k none "$0" && ! cat /dev/zero 2>/dev/null >"$0/full" && exec "$@"'
            command = ["unshare", "--map-root-user", "--mount", "sh", "-c", mount, str(self._full_disk), *command]
        self._child = await Child.start("mosquitto", command)
        await self._child.line("running", SECONDS)

    async def kill(self) -> None:
        """SIGKILL."""
        os.kill(self._child.pid, signal.SIGKILL)
        await self._child.ended(SECONDS)

    def hold(self) -> None:
        """SIGSTOP: connections stand, and no one answers."""
        os.kill(self._child.pid, signal.SIGSTOP)

    def release(self) -> None:
        """SIGCONT."""
        os.kill(self._child.pid, signal.SIGCONT)

    async def stop(self) -> None:
        """SIGTERM, if it runs."""
        if self._child and self._child.returncode is None:
            await self._child.stop()

    async def __aenter__(self) -> Broker:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    @property
    def log(self) -> str:
        """All that it has said."""
        return "\n".join(line.text for line in self._child.lines)
