# SPDX-License-Identifier: Apache-2.0
"""A reader of a fleet: readerd without a controller, with readerd-link; and the fleet's collector."""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from fleet.broker import SECONDS, Broker
from fleet.certificates import Identity
from fleet.postgresql import Server
from rig.lines import Lines
from rig.processes import Child, listens
from rig.reader import LONGEST_DISK_WAIT_MS
from rig.waiting import until

DEVICE = "7761307931597753"
"""The demo identity's identifier in topics."""
BUILD = Path(__file__).parents[3] / ".build/debug"


def program(name: str) -> str:
    """A built program, or the program that a variable names: READERD_LINK for readerd-link."""
    path = Path(os.environ.get(name.upper().replace("-", "_")) or BUILD / name)
    assert path.exists(), f"{path} is not built: script/test --interop builds it"
    return str(path)


class Door:
    """A reader with the demo identity. Its controller is absent: it opens by its control socket."""

    def __init__(
        self,
        directory: Path,
        capacity: int = 100_000,
        may: tuple[str, ...] = (),
        may_set: tuple[str, ...] = (),
        lines: Lines | None = None,
    ) -> None:
        """With `lines`, line 0 of their chip is the lock's."""
        self.directory = directory
        directory.mkdir(exist_ok=True)
        self.control = directory / "control"
        self.socket = directory / "link"
        (directory / "readerd.toml").write_text(
            f'hci = "unix:{directory}/nobody"\n'
            f"[events]\ncapacity = {capacity}\nmax-wait-ms = {LONGEST_DISK_WAIT_MS}\n"
            f'[link]\nsocket = "{self.socket}"\nuser = "{os.getuid()}"\nname = "Front door"\n'
            f"may = {json.dumps(may)}\nmay-set = {json.dumps(may_set)}\n"
            + ('[gpio]\nlock = "gpiochip0:0"\n[door]\npulse-s = 1\n' if lines else "")
        )
        self.environment = os.environ | (lines.environment if lines else {})
        self.reader: Child | None = None
        self.link: Child | None = None

    async def __aenter__(self) -> Door:
        await self._start_reader()
        return self

    async def restart(self) -> None:
        """Ends readerd, and starts it again."""
        await self.reader.stop()
        await self.start_again()

    async def start_again(self) -> None:
        """Starts readerd, which has ended."""
        await self._start_reader()

    async def _start_reader(self) -> None:
        state = self.directory / "state"
        state.mkdir(exist_ok=True)
        command = [program("readerd"), "run", "--config", str(self.directory / "readerd.toml")]
        command += ["--state", str(state), "--control", str(self.control), "--log-level", "notice"]
        sockets = (self.control, self.socket)
        for path in sockets:
            path.unlink(missing_ok=True)
        self.reader = await Child.start("readerd", command, env=self.environment)
        await until(
            "the reader's sockets",
            lambda: all(listens(path) for path in sockets) or self.reader.returncode is not None,
        )

    async def __aexit__(self, *_: object) -> None:
        for child in (self.link, self.reader):
            if child and child.returncode is None:
                await child.stop()

    async def start_link(
        self, broker: str, authority: Path, identity: Identity, *options: str, preload: Path | None = None
    ) -> Child:
        """Starts readerd-link, with this library before all others."""
        command = [program("readerd-link"), "run", "--broker", broker, "--reader", str(self.socket)]
        command += ["--ca", str(authority), "--certificate", str(identity.certificate), "--key", str(identity.key)]
        environment = os.environ | ({"LD_PRELOAD": str(preload)} if preload else {})
        self.link = await Child.start("readerd-link", [*command, "--spread", "1", *options], env=environment)
        return self.link

    async def start_plain_link(self, broker: str) -> Child:
        """Starts readerd-link without TLS."""
        command = [program("readerd-link"), "run", "--broker", broker, "--plain", "--reader", str(self.socket)]
        self.link = await Child.start("readerd-link", [*command, "--spread", "1"])
        return self.link

    async def join(self, broker: Broker, *options: str, host: str = "localhost", preload: Path | None = None) -> Child:
        """Starts readerd-link with a certificate of the broker's authority."""
        identity = broker.authority.issue(DEVICE)
        return await self.start_link(
            f"{host}:{broker.port}", broker.authority.file, identity, *options, preload=preload
        )

    async def ask(self, request: str) -> dict:
        """One request to the control socket."""
        reader, writer = await asyncio.open_unix_connection(str(self.control))
        writer.write(request.encode() + b"\n")
        answer = await reader.readline()
        writer.close()
        return json.loads(answer)

    async def open(self, count: int, rate: float) -> None:
        """Opens the door this often, at this rate a second."""
        reader, writer = await asyncio.open_unix_connection(str(self.control))
        begin = asyncio.get_running_loop().time()
        for number in range(count):
            writer.write(b'{"unlock":"pulse"}\n')
            assert json.loads(await reader.readline())["ok"]
            await asyncio.sleep(max(0, begin + number / rate - asyncio.get_running_loop().time()))
        writer.close()

    async def status(self) -> dict:
        """The reader's status."""
        return await self.ask('{"get":"status"}')

    async def faults(self) -> set[str]:
        """The codes of the link's faults."""
        codes = {fault["code"] for fault in (await self.status())["faults"]}
        return {code for code in codes if code.startswith("link-")}

    async def has(self, fault: str) -> bool:
        """True while the reader reports this fault."""
        return fault in await self.faults()

    async def text(self, fault: str) -> str:
        """The text of a fault that the reader reports."""
        return next(each["text"] for each in (await self.status())["faults"] if each["code"] == fault)

    async def last(self) -> int:
        """The last sequence number of the log."""
        return (await self.status())["events"]["last"]

    async def delivered(self) -> bool:
        """True if the mark is at the log's end."""
        status = await self.status()
        # A reader that has just begun has not opened its log yet.
        last = status["events"].get("last")
        return last is not None and status["link"].get("delivered") == last

    async def events(self) -> list[dict]:
        """The log as `readerd events` reads it."""
        command = [program("readerd"), "events", "--state", str(self.directory / "state"), "--json", "--since", "1"]
        process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
        output, _ = await process.communicate()
        return [json.loads(line) for line in output.decode().splitlines()]


class Collector:
    """`readerlab fleet collect` of the demo site, with a file or at a server of PostgreSQL."""

    def __init__(self, directory: Path, broker: Broker, server: Server | None = None) -> None:
        self._broker = broker
        self._server = server
        self._environment = server.environment if server else os.environ
        self.site = directory / "site.json"
        self.database = server.uri if server else str(directory / "fleet.db")
        self._identity = broker.authority.issue("collector")
        self.child: Child | None = None

    async def __aenter__(self) -> Collector:
        if not self.site.exists():
            made = await asyncio.create_subprocess_exec(
                program("readerlab"),
                "credentials",
                "site",
                "demo",
                "--site",
                str(self.site),
                stdout=asyncio.subprocess.DEVNULL,
            )
            assert await made.wait() == 0
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        if self.child and self.child.returncode is None:
            await self.child.stop()

    async def start(self) -> None:
        """Starts it, also again."""
        command = [program("readerlab"), "fleet", "collect", "--broker", f"localhost:{self._broker.port}"]
        command += ["--ca", str(self._broker.authority.file), "--certificate", str(self._identity.certificate)]
        command += ["--key", str(self._identity.key), "--site", str(self.site), "--database", self.database]
        self.child = await Child.start("readerlab fleet collect", command, env=self._environment)

    async def kill(self) -> None:
        """SIGKILL."""
        os.kill(self.child.pid, 9)
        await self.child.ended(SECONDS)

    def rows(self) -> list[tuple[int, dict]]:
        """The events, by number."""
        rows = self.ask("SELECT sequence, document FROM {}event ORDER BY log, sequence")
        return [(int(sequence), json.loads(document)) for sequence, document in rows]

    def ask(self, statement: str) -> list:
        """The rows of a statement, in which {} stands for the schema."""
        if self._server:
            return self._server.ask(statement.format("readerd."))
        with sqlite3.connect(f"file:{self.database}?mode=ro", uri=True) as database:
            return database.execute(statement.format("")).fetchall()

    async def status(self) -> list[dict]:
        """`readerlab fleet status --json`."""
        return [json.loads(line) for line in (await self._look("status", "--json")).splitlines()]

    async def metrics(self) -> dict[str, float]:
        """`readerlab fleet metrics` of one reader, as Prometheus' own parser reads it."""
        families = text_string_to_metric_families(await self._look("metrics"))
        return {sample.name: sample.value for family in families for sample in family.samples}

    async def _look(self, command: str, *options: str) -> str:
        words = [program("readerlab"), "fleet", command, "--database", self.database, *options]
        process = await asyncio.create_subprocess_exec(*words, stdout=asyncio.subprocess.PIPE, env=self._environment)
        output, _ = await process.communicate()
        return output.decode()
