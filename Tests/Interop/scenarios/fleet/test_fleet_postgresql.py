# SPDX-License-Identifier: Apache-2.0
"""A collector at a server of PostgreSQL: what it does while the server is away, and what it refuses."""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
from pathlib import Path

import pytest

from fleet.broker import Broker
from fleet.desk import run
from fleet.door import DEVICE, Collector, Door, program
from fleet.postgresql import USER, Server
from rig.page_blocks import commands
from rig.waiting import until

RATE = 100.0
SECONDS = 60.0
AWAY_SECONDS = 30.0
"""The collector waits 10 s for an answer, tries each 5 s, and a reader sends again within 30 s."""
PASSWORD = "correct-horse"

pytestmark = [
    pytest.mark.seconds(300),
    pytest.mark.thorough("test_fleet.py collects into SQLite by the same code"),
]


@contextlib.asynccontextmanager
async def fleet(directory: Path):
    """A server, a collector at it, and a reader that has delivered."""
    async with contextlib.AsyncExitStack() as stack:
        server = await stack.enter_async_context(Server())
        broker = await stack.enter_async_context(Broker(directory))
        collector = await stack.enter_async_context(Collector(directory, broker, server))
        door = await stack.enter_async_context(Door(directory / "d"))
        await door.join(broker)
        await door.open(5, RATE)
        await until("delivery", door.delivered, SECONDS)
        yield server, collector, door


async def test_nothing_is_acknowledged_while_the_server_is_away(directory: Path) -> None:
    async with fleet(directory) as (server, collector, door):
        await server.kill()
        before = (await door.status())["link"]["delivered"]
        await door.open(20, RATE)
        await collector.child.line("nothing is acknowledged, retries follow", AWAY_SECONDS)
        # The broker reports that no back end exists, and the reader keeps its events.
        await until("the fault", lambda: door.has("link-undelivered"), SECONDS)
        assert (await door.status())["link"]["delivered"] == before
        await server.start()
        await collector.child.line("serves again", SECONDS)
        await until("delivery", door.delivered, SECONDS)
        assert [event for _, event in collector.rows()] == await door.events()
        (reader,) = await collector.status()
        assert (reader["device"], reader["online"], reader["events"]) == (DEVICE, True, len(collector.rows()))
        # One line for the fault, however often it was tried.
        assert len(collector.child.matching("retries follow")) == 1
        assert server.password not in collector.child.tail(1000)


async def test_a_server_that_does_not_answer_is_left(directory: Path) -> None:
    async with fleet(directory) as (server, collector, door):
        server.hold()
        try:
            await door.open(5, RATE)
            await collector.child.line("has not answered for 10 s; nothing is acknowledged", AWAY_SECONDS)
        finally:
            server.release()
        await until("delivery", door.delivered, SECONDS)
        assert [event for _, event in collector.rows()] == await door.events()


async def test_a_conflict_is_kept_and_counted(directory: Path) -> None:
    async with fleet(directory) as (server, collector, door):
        server.ask("UPDATE readerd.event SET document = '{}' WHERE sequence = 2; UPDATE readerd.log SET mark = 1")
        await collector.kill()
        await collector.start()
        # The next batch is beyond the mark: the reader receives the mark, and goes back to it.
        await door.open(1, RATE)
        await collector.child.line("event 2 is stored with other contents", SECONDS)
        await until("the count", lambda: conflicts(collector), SECONDS)
        assert [int(row[0]) for row in collector.ask("SELECT sequence FROM {}conflict")] == [2]


async def test_statements_of_the_page_run(directory: Path) -> None:
    async with fleet(directory) as (server, _, _):
        grants, query = commands("fleet.md", "### In PostgreSQL", "sql")
        server.ask(grants)
        # The demo's doors are opened by the control socket, which no credential does.
        assert server.ask(query) == []
        assert len(server.ask(query.replace("'granted'", "'unlocked'"))) == 5
        assert server.ask("SET ROLE reports; SELECT count(*) FROM readerd.event") != [["0"]]


async def conflicts(collector: Collector) -> bool:
    """True once the conflict is in the overview."""
    return (await collector.status())[0]["conflicts"] == 1


async def look(database: str, **environment: str) -> tuple[int, str]:
    """The exit code and what `readerlab fleet status` says."""
    process = await asyncio.create_subprocess_exec(
        *[program("readerlab"), "fleet", "status", "--database", database],
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        env=os.environ | environment,
    )
    output, _ = await process.communicate()
    return process.returncode, output.decode()


@pytest.mark.parametrize(
    "database",
    [
        f"postgresql://{USER}:{PASSWORD}@db.example/fleet",
        f"postgres://db.example/fleet?user={USER}&password={PASSWORD}",
        f"postgresql:///fleet?sslpassword={PASSWORD}",
        f"postgresql://db.example:{PASSWORD}@/fleet?{PASSWORD}",
    ],
)
async def test_a_password_on_the_command_line_is_refused_and_not_repeated(database: str) -> None:
    code, output = await look(database)
    assert code == 2 and output.count("\n") == 1
    assert PASSWORD not in output
    if "?" not in database or "=" in database.partition("?")[2]:
        assert "~/.pgpass" in output


async def test_what_a_server_has_to_be_is_told(directory: Path) -> None:
    async with Server() as server, Broker(directory) as broker:
        passwords = server.environment["PGPASSFILE"]
        code, output = await look(server.uri, PGPASSFILE=passwords)
        assert code == 1 and "has no tables; readerlab fleet collect makes them" in output
        code, output = await look(server.uri, PGPASSFILE=str(directory / "none"))
        assert code == 1 and "no password supplied" in output and output.count("\n") == 1
        code, output = await look(server.uri + "/nowhere", PGPASSFILE=passwords)
        assert code == 1 and "No such file or directory" in output and output.count("\n") == 1

        server.ask("CREATE DATABASE other ENCODING 'SQL_ASCII' TEMPLATE template0")
        other = server.uri.replace("/fleet?", "/other?")
        assert "has the encoding SQL_ASCII" in await refusal(directory, broker, other, passwords)
        await server.kill()
        await server.start("fsync=off")
        assert "fsync = off" in await refusal(directory, broker, server.uri, passwords)


async def test_over_a_network_a_server_has_to_prove_who_it_is() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # The request for TLS (PostgreSQL, 55.7), which is declined.
        assert await reader.readexactly(8) == bytes.fromhex("0000000804d2162f")
        writer.write(b"N")
        await writer.drain()
        assert await reader.read() == b"", "nothing is said in the clear"
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    code, output = await look(f"postgresql://{USER}@127.0.0.1:{port}/fleet")
    server.close()
    assert code == 1 and "does not support SSL, but SSL was required" in output and output.count("\n") == 1


async def refusal(directory: Path, broker: Broker, database: str, passwords: str) -> str:
    """The output of a collector that ends at once."""
    site = directory / "site.json"
    if not site.exists():
        assert (await run("credentials", "site", "demo", "--site", str(site)))[0] == 0
    words = [program("readerlab"), "fleet", "collect", "--broker", f"127.0.0.1:{broker.port}", "--plain"]
    words += ["--site", str(site), "--database", database]
    done = await asyncio.to_thread(
        subprocess.run, words, check=False, capture_output=True, text=True, env=os.environ | {"PGPASSFILE": passwords}
    )
    assert done.returncode == 2 and done.stderr.count("\n") == 1, done
    return done.stderr
