# SPDX-License-Identifier: Apache-2.0
"""Readers of a fleet and mosquitto: events once, whatever the broker loses; each failure its own fault."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import time
from pathlib import Path

import pytest

from fleet.broker import ACCESS, Broker
from fleet.certificates import DAY, Authority, Identity
from fleet.door import DEVICE, Collector, Door
from fleet.nats import OldBroker
from fleet.postgresql import kept_by
from rig.matrix import some_of
from rig.waiting import until

EVENTS = int(os.environ.get("READERD_FLEET_EVENTS", "2000"))
"""Openings while the broker dies; 10,000 are the figure of docs/operate/fleet.md."""
RATE = 300.0
"""A second."""
REFUSED_SECONDS = 15.0
"""Of which the link's start takes the most, on a busy machine."""
FAULT_SECONDS = 60.0
RENEWAL_SECONDS = 120.0
"""The link looks at its files each minute, and tries no sooner than 5 s after another attempt."""

pytestmark = pytest.mark.seconds(420)
ENGINES = pytest.mark.parametrize(
    "engine", some_of(["sqlite", "postgresql"], "the case of SQLite collects by the same code")
)


@ENGINES
async def test_events_and_states_arrive(directory: Path, engine: str) -> None:
    async with contextlib.AsyncExitStack() as stack:
        server = await stack.enter_async_context(kept_by(engine))
        broker = await stack.enter_async_context(Broker(directory))
        collector = await stack.enter_async_context(Collector(directory, broker, server))
        door = await stack.enter_async_context(Door(directory / "d"))
        await door.join(broker)
        await door.open(20, RATE)
        await until("delivery", door.delivered)
        assert [event for _, event in collector.rows()] == await door.events()
        reader = (await collector.status())[0]
        assert (reader["device"], reader["online"], reader["lost"]) == (DEVICE, True, 0)
        assert reader["state"]["lock"] in ("LOCKED", "UNLOCKED")
        assert "link-undelivered" not in await door.faults()
        metrics = await collector.metrics()
        assert metrics["readerd_fleet_link_up"] == 1
        assert (
            metrics["readerd_fleet_events_total"] == metrics["readerd_fleet_stored_sequence"] == len(collector.rows())
        )


DEATHS = 2
SERVING_SECONDS = 3.0
"""Between deaths: events are delivered meanwhile."""
DEAD_SECONDS = 1.0
"""Of a collector or a server: events come meanwhile."""
IDLE_SECONDS = 8.0
"""Several attempts of the link, over which its share of a processor is taken."""


@ENGINES
@pytest.mark.thorough("EventDeliveryTests send again from the mark; a silent broker is lost in test_fleet.py")
@pytest.mark.seconds(900)
async def test_events_arrive_once_though_broker_and_back_end_die(directory: Path, engine: str) -> None:
    """And the server of the database, where there is one."""
    async with contextlib.AsyncExitStack() as stack:
        server = await stack.enter_async_context(kept_by(engine))
        broker = await stack.enter_async_context(Broker(directory))
        collector = await stack.enter_async_context(Collector(directory, broker, server))
        door = await stack.enter_async_context(Door(directory / "d"))
        await door.join(broker)

        opening = asyncio.create_task(door.open(EVENTS, RATE))
        number = 0
        # On a busy machine one death takes as long as all openings.
        while not opening.done() or number < DEATHS:
            await asyncio.sleep(SERVING_SECONDS)
            await broker.kill()
            if number % 3 == 1:
                await collector.kill()
                await asyncio.sleep(DEAD_SECONDS)
                await collector.start()
            if server and number % 3 == 0:
                await server.kill()
            await broker.start()
            if server and number % 3 == 0:
                await asyncio.sleep(DEAD_SECONDS)
                await server.start()
            number += 1
        await opening
        await until("delivery of all", door.delivered, 400)
        rows = collector.rows()
        assert [number for number, _ in rows] == list(range(1, len(rows) + 1))
        assert [event for _, event in rows] == await door.events()
        assert sum(event["kind"] == "unlocked" for _, event in rows) == EVENTS
        assert (await collector.status())[0]["events"] == len(rows)


async def test_no_secret_is_in_logs_nor_retained(directory: Path) -> None:
    """Rule 15. Retained messages have the states that docs/operate/fleet.md lists, and no one's name."""
    async with Broker(directory) as broker, Collector(directory, broker) as collector, Door(directory / "d") as door:
        identity = broker.authority.issue(DEVICE)
        await door.start_link(f"localhost:{broker.port}", broker.authority.file, identity, "--log-level", "debug")
        await door.open(3, RATE)
        await until("delivery", door.delivered)
        state = (await collector.status())[0]["state"]
        assert set(state) <= {"lock", "state", "open", "alarm", "tampered", "sequence", "clock", "faults"}
        said = [broker.log] + ["\n".join(line.text for line in child.lines) for child in (door.reader, door.link)]
        assert all(said), "each of them has a log"
        logs = "\n".join(said)
        key = identity.key.read_text().splitlines()[1:-1]
        site = json.loads(collector.site.read_text())
        assert len(key) > 1
        for secret in [*key, "PRIVATE KEY", *secrets_of(site)]:
            assert secret not in logs


def secrets_of(site: dict) -> list[str]:
    """The texts of a site file that are long enough to be keys, and not public."""
    found: list[str] = []

    def look(name: str, value: object) -> None:
        match value:
            case dict():
                for inner, content in value.items():
                    look(inner, content)
            case list():
                for content in value:
                    look(name, content)
            case str() if len(value) >= 32 and "public" not in name:
                found.append(value)

    look("", site)
    assert found, "a site file has keys"
    return found


async def test_what_leaves_the_log_is_told_as_lost(directory: Path) -> None:
    async with Door(directory / "d") as door:
        await door.open(300, 1000)
    # The share of one user in so small a log is less.
    door = Door(directory / "d", capacity=100)
    async with door, Broker(directory) as broker, Collector(directory, broker) as collector:
        await door.join(broker)
        await until("delivery", door.delivered)
        (reader,) = await collector.status()
        kept = [number for number, _ in collector.rows()]
        assert reader["lost"] == kept[0] - 1 > 100
        assert kept == list(range(kept[0], kept[-1] + 1))


async def test_a_name_without_an_address_is_a_fault(directory: Path) -> None:
    async with Broker(directory) as broker, Door(directory / "d") as door:
        await door.join(broker, host="broker.invalid")
        await until("the fault", lambda: door.has("link-unresolved"), FAULT_SECONDS)


@pytest.mark.thorough("ReconnectionTests have the pauses; test_a_server_that_is_no_broker_is_a_fault has the fault")
async def test_a_refused_connection_is_a_fault_and_costs_nothing(directory: Path) -> None:
    broker = Broker(directory)
    async with Door(directory / "d") as door:
        link = await door.join(broker)
        # At once, and not after the 30 s of a broker that does not answer.
        await until("the fault", lambda: door.has("link-unreachable"), REFUSED_SECONDS)
        assert "Connection refused" in await door.text("link-unreachable")
        begin, used = time.monotonic(), processor_seconds(link.pid)
        await asyncio.sleep(IDLE_SECONDS)
        share = (processor_seconds(link.pid) - used) / (time.monotonic() - begin)
        assert share < 0.01, f"{share:.1%} of a processor"
        # The broker that comes serves.
        await broker.start()
        await until("the connection", lambda: connected(door), FAULT_SECONDS)
        assert not await door.has("link-unreachable")
        await broker.stop()


async def test_a_broker_without_mqtt_5_is_a_fault(directory: Path) -> None:
    async with OldBroker(directory) as broker, Door(directory / "d") as door:
        await door.start_link(f"localhost:{broker.port}", broker.authority.file, broker.authority.issue(DEVICE))
        await until("the fault", lambda: door.has("link-old-protocol"), FAULT_SECONDS)


async def test_a_server_that_is_no_broker_is_a_fault(directory: Path) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(10)
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with Door(directory / "d") as door:
        await door.start_plain_link(f"127.0.0.1:{port}")
        await until("the fault", lambda: door.has("link-unreachable"), FAULT_SECONDS)
    server.close()


@pytest.mark.parametrize(
    ("name", "days", "fault"),
    [
        ("elsewhere", 0, "link-certificate-name"),
        ("localhost", 30, "link-certificate-time"),
        ("localhost", -30, "link-certificate-time"),
    ],
)
async def test_a_certificate_that_does_not_fit_is_a_fault(directory: Path, name: str, days: int, fault: str) -> None:
    broker = Broker(directory)
    broker.use(broker.authority.issue(name, days=days))
    async with broker, Door(directory / "d") as door:
        await door.join(broker)
        await until("the fault", lambda: door.has(fault), FAULT_SECONDS)
        assert await door.faults() == {fault}


async def test_a_name_outside_the_alternative_names_does_not_count(directory: Path) -> None:
    """RFC 9525, 2: a common name alone is no name."""
    broker = Broker(directory)
    broker.use(broker.authority.issue("localhost", is_common_name_only=True))
    async with broker, Door(directory / "d") as door:
        await door.join(broker)
        await until("the fault", lambda: door.has("link-certificate-name"), FAULT_SECONDS)
        assert "subject alternative name" in await door.text("link-certificate-name")
        assert await door.faults() == {"link-certificate-name"}


async def test_a_certificate_of_a_stranger_is_a_fault(directory: Path) -> None:
    other = directory / "other"
    other.mkdir()
    async with Broker(directory) as broker, Door(directory / "d") as door:
        stranger = Authority(other)
        await door.start_link(f"localhost:{broker.port}", stranger.file, broker.authority.issue(DEVICE))
        await until("the fault", lambda: door.has("link-certificate-untrusted"), FAULT_SECONDS)


async def test_a_reader_that_the_broker_does_not_know_is_a_fault(directory: Path) -> None:
    other = directory / "other"
    other.mkdir()
    async with Broker(directory) as broker, Door(directory / "d") as door:
        stranger = Authority(other)
        await door.start_link(f"localhost:{broker.port}", broker.authority.file, stranger.issue(DEVICE))
        await until("the fault", lambda: door.has("link-refused"), FAULT_SECONDS)


async def test_a_key_that_is_missing_is_a_fault(directory: Path) -> None:
    async with Broker(directory) as broker, Door(directory / "d") as door:
        identity = broker.authority.issue(DEVICE)
        identity.key.unlink()
        await door.start_link(f"localhost:{broker.port}", broker.authority.file, identity)
        await until("the fault", lambda: door.has("link-identity"), FAULT_SECONDS)


async def test_a_key_that_others_can_read_is_a_fault(directory: Path) -> None:
    async with Broker(directory) as broker, Door(directory / "d") as door:
        identity = broker.authority.issue(DEVICE)
        identity.key.chmod(0o640)
        await door.start_link(f"localhost:{broker.port}", broker.authority.file, identity)
        await until("the fault", lambda: door.has("link-identity"), FAULT_SECONDS)
        assert f"chmod 600 {identity.key}" in await door.text("link-identity")


async def test_an_own_certificate_that_ends_soon_is_a_fault(directory: Path) -> None:
    async with Broker(directory) as broker, Door(directory / "d") as door:
        identity = broker.authority.issue(DEVICE, life=13.5 * DAY)
        await door.start_link(f"localhost:{broker.port}", broker.authority.file, identity)
        await until("the fault", lambda: door.has("link-own-certificate"), FAULT_SECONDS)
        assert "ends in 13 days" in await door.text("link-own-certificate")
        await until("the connection", lambda: connected(door), FAULT_SECONDS)


@pytest.mark.thorough("test_fleet_enrolment.py connects with an issued identity")
async def test_a_renewed_identity_is_taken_and_the_former_serves_until_then(directory: Path) -> None:
    """The link looks at its files each minute. Two renewals: first an identity that the broker does not know, then a
    known one."""
    async with Broker(directory) as broker, Door(directory / "d") as door:
        identity = broker.authority.issue(DEVICE)
        await door.start_link(f"localhost:{broker.port}", broker.authority.file, identity)
        await until("the connection", lambda: connected(door), FAULT_SECONDS)
        assert not await door.has("link-own-certificate")

        (directory / "other").mkdir()
        replace(identity, Authority(directory / "other").issue(DEVICE))
        await until("the fault", lambda: door.has("link-own-certificate"), RENEWAL_SECONDS)
        assert "the former one does until its end" in await door.text("link-own-certificate")
        await until("the connection by the former", lambda: connected(door), FAULT_SECONDS)

        (directory / "new").mkdir()
        again = broker.authority.issue(DEVICE, life=20 * DAY, directory=directory / "new")
        replace(identity, again)
        await until("the fault's end", lambda: has_no(door, "link-own-certificate"), RENEWAL_SECONDS)
        await until("the connection by the renewed", lambda: connected(door), FAULT_SECONDS)
        assert door.link.returncode is None


def replace(former: Identity, renewed: Identity) -> None:
    """Puts the files of the one in the place of the other's, as a renewal does: each as a whole."""
    for old, new in ((former.key, renewed.key), (former.certificate, renewed.certificate)):
        os.replace(new, old)


@pytest.mark.thorough("MQTTClientTests end a connection without an answer")
async def test_a_silent_broker_is_found_within_two_keepalives(directory: Path) -> None:
    async with Broker(directory) as broker, Door(directory / "d") as door:
        await door.join(broker, "--keepalive", "5")
        await until("the connection", lambda: connected(door), FAULT_SECONDS)
        broker.hold()
        begin = time.monotonic()
        await until("the fault", lambda: door.has("link-lost"), FAULT_SECONDS)
        # Two keepalives, a second of the library's and one of a busy machine.
        assert time.monotonic() - begin <= 12
        broker.release()
        await until("the connection", lambda: connected(door), FAULT_SECONDS)


async def test_an_access_list_without_the_reader_is_a_fault(directory: Path) -> None:
    access = ACCESS.replace("pattern write acc/v1/%u/up/#", "pattern write acc/v1/%u/up/state")
    async with Broker(directory, access=access) as broker, Door(directory / "d") as door:
        await door.join(broker)
        await until("the fault", lambda: door.has("link-undelivered"), FAULT_SECONDS)
        assert "reason 135" in await door.text("link-undelivered")


async def test_without_a_back_end_there_is_a_fault(directory: Path) -> None:
    async with Broker(directory) as broker, Door(directory / "d") as door:
        await door.join(broker)
        await until("the fault", lambda: door.has("link-undelivered"), FAULT_SECONDS)
        async with Collector(directory, broker):
            await until("delivery", door.delivered, FAULT_SECONDS)
            await until("the fault's end", lambda: has_no(door, "link-undelivered"), FAULT_SECONDS)


@pytest.mark.thorough(
    "test_fleet_session.py has a session that another link has taken; ReconnectionTests count the losses"
)
async def test_two_links_with_one_identity_are_a_fault(directory: Path) -> None:
    async with Broker(directory) as broker, Door(directory / "one") as one, Door(directory / "two") as two:
        await one.join(broker)
        await two.join(broker)
        await until("the fault", lambda: either(one, two, "link-identity-twice"), FAULT_SECONDS)


async def test_a_batch_that_another_key_has_signed_is_refused(directory: Path) -> None:
    async with Broker(directory) as broker, Collector(directory, broker) as collector, Door(directory / "d") as door:
        site = collector.site.read_text()
        await collector.kill()
        # The site knows another terminal key for this reader.
        made = (await run("openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout")).encode()
        der = await run("openssl", "ec", "-pubout", "-outform", "DER", stdin=made, binary=True)
        collector.site.write_text(with_terminal_key(site, der))
        await collector.start()
        await door.join(broker)
        await collector.child.line("refused: .*signature", FAULT_SECONDS)
        assert collector.rows() == []


def with_terminal_key(site: str, der: bytes) -> str:
    """The site with another key for its reader."""
    import base64

    content = json.loads(site)
    content["readers"][0]["terminal-public-key"] = base64.b64encode(der).decode()
    return json.dumps(content)


async def run(*command: str, stdin: bytes = b"", binary: bool = False):
    """The output of a command."""
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    output, _ = await process.communicate(stdin)
    return output if binary else output.decode()


def processor_seconds(pid: int) -> float:
    """The processor time of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def connected(door: Door) -> bool:
    """True while the broker serves the door's link."""
    return (await door.status())["link"]["connected"]


async def has_no(door: Door, fault: str) -> bool:
    """True while the reader does not report this fault."""
    return not await door.has(fault)


async def either(one: Door, two: Door, fault: str) -> bool:
    """True if either has the fault."""
    return await one.has(fault) or await two.has(fault)
