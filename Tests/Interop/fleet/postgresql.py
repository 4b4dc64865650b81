# SPDX-License-Identifier: Apache-2.0
"""A server of PostgreSQL on its own Unix socket, made by `initdb`, that can be killed and started again."""

from __future__ import annotations

import contextlib
import csv
import os
import pwd
import secrets
import shutil
import signal
import subprocess
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

from rig.processes import Child

SECONDS = 60.0
USER = "collector"
DATABASE = "fleet"


def tool(name: str) -> str:
    """A program of the server; Debian puts those next to each version, where no PATH reaches."""
    found = [*sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}")), shutil.which(name)]
    assert found[0], f"{name} of PostgreSQL is not installed: script/bootstrap"
    return str(found[0])


def unprivileged() -> tuple[list[str], int]:
    """The prefix that runs a command as another user than root, whom the server refuses; and the id of its user."""
    if os.getuid() != 0:
        return [], os.getuid()
    user = pwd.getpwnam("postgres")
    return ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"], user.pw_uid


class Server:
    """The server, with an empty database of UTF-8. Its user has a password, which `environment` knows."""

    def __init__(self) -> None:
        self._prefix, user = unprivileged()
        # Not in the test's own directory, which the server's user cannot reach.
        self.directory = Path(tempfile.mkdtemp(prefix="pg-"))
        os.chown(self.directory, user, -1)
        self.password = secrets.token_hex(16)
        self._data = self.directory / "data"
        self._child: Child | None = None
        self.uri = f"postgresql://{USER}@/{DATABASE}?host={self.directory}"
        passwords = self.directory / "pgpass"
        passwords.touch(0o600)
        passwords.write_text(f"*:*:*:{USER}:{self.password}\n")
        self.environment = os.environ | {"PGPASSFILE": str(passwords)}

    def _do(self, *command: str) -> None:
        words = [*self._prefix, *command]
        subprocess.run(words, check=True, capture_output=True, cwd=self.directory, env=self.environment)

    async def __aenter__(self) -> Server:
        secret = self.directory / "secret"
        secret.write_text(self.password)
        options = ["--auth=scram-sha-256", f"--pwfile={secret}", f"--username={USER}", "--encoding=UTF8"]
        self._do(tool("initdb"), "-D", str(self._data), "--locale=C", *options)
        secret.unlink()
        await self.start()
        self.ask(f"CREATE DATABASE {DATABASE}", "postgres")
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._child and self._child.returncode is None:
            await self.kill()
        shutil.rmtree(self.directory)

    async def start(self, *settings: str) -> None:
        """Starts it, also again, and waits until it serves."""
        command = [*self._prefix, tool("postgres"), "-D", str(self._data), "-k", str(self.directory), "-h", ""]
        for setting in settings:
            command += ["-c", setting]
        self._child = await Child.start("postgres", command, cwd=self.directory, env=os.environ | {"LC_ALL": "C"})
        await self._child.line("ready to accept connections", SECONDS)

    async def kill(self) -> None:
        """SIGKILL for the server and all processes of its connections."""
        self._signal(signal.SIGKILL)
        await self._child.ended(SECONDS)

    def hold(self) -> None:
        """SIGSTOP for all of them: connections stand, and no one answers."""
        self._signal(signal.SIGSTOP)

    def release(self) -> None:
        """SIGCONT."""
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        # Each process of a connection has its own session.
        pid = self._child.pid
        for each in (str(pid), *Path(f"/proc/{pid}/task/{pid}/children").read_text().split()):
            os.kill(int(each), number)

    def ask(self, statement: str, database: str = DATABASE) -> list[list[str]]:
        """The rows of a statement, by psql."""
        command = ["psql", "--no-psqlrc", "--quiet", "--csv", "--tuples-only", "-v", "ON_ERROR_STOP=1"]
        command += [f"postgresql://{USER}@/{database}?host={self.directory}", "-c", statement]
        done = subprocess.run(command, check=False, capture_output=True, text=True, env=self.environment)
        assert done.returncode == 0, done.stderr
        return list(csv.reader(done.stdout.splitlines()))


@contextlib.asynccontextmanager
async def kept_by(engine: str) -> AsyncIterator[Server | None]:
    """The server of a collector that keeps events in `postgresql`; None for `sqlite`, which has a file."""
    if engine == "sqlite":
        yield None
        return
    async with Server() as server:
        yield server
