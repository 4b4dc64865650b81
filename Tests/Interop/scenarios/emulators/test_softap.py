# SPDX-License-Identifier: Apache-2.0
"""Provisioning over an access point: independent apps on OpenSSL at `readerlab emulate nordic-softap`."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import http.client
import json
import os
import re
import socket
import ssl
import stat
import struct
import time
from pathlib import Path

import pytest

from access.wire import WireError
from rig.emulation import binary
from rig.matrix import some_of
from softap.app import IOS_SECONDS, NAME, Connection, trust
from softap.device import HOME, Device, device
from softap.messages import field, wifi_config, wifi_info

NO_MDNS = "--no-mdns"
GATEWAY = ("--profile", "gateway")
PASSPHRASE = b"thingyworld2024"
GOLDEN = wifi_config(
    wifi_info(b"cia-asusgold", bytes.fromhex("c87f54de23b8"), band=1, channel=1, auth=4), b"thingyworld2024"
)
CROSS_ORIGIN = [
    ("Access-Control-Allow-Origin", "*"),
    ("Access-Control-Allow-Methods", "GET, POST, OPTIONS"),
    ("Access-Control-Allow-Headers", "Content-Type"),
    ("Access-Control-Max-Age", "86400"),
]
NOT_ANSWERED = (http.client.RemoteDisconnected, ConnectionResetError, ssl.SSLEOFError)
"""The client's errors when the device closes the connection without a response."""


async def of(call, *arguments, **named):
    """A client's call, which blocks, next to the loop that reads the device's output."""
    return await asyncio.to_thread(call, *arguments, **named)


def secure(device: Device) -> ssl.SSLSocket:
    """A connection with its TLS handshake done, and no request yet."""
    return trust(device.certificate, name=True).wrap_socket(device.raw(), server_hostname=NAME)


def rest(stream: socket.socket) -> bytes:
    """All that comes until the end."""
    octets = b""
    with contextlib.suppress(ConnectionResetError, ssl.SSLEOFError):
        while piece := stream.recv(4096):
            octets += piece
    return octets


# The apps' ways.


@pytest.mark.parametrize("profile", [(), GATEWAY], ids=["exact", "gateway"])
@pytest.mark.parametrize("android", [False, True], ids=["ios", "android"])
async def test_the_stock_apps_ways(directory: Path, profile: tuple[str, ...], android: bool) -> None:
    async with device(directory, NO_MDNS, *profile) as emulated:
        app = emulated.app(android=android)
        records = await of(app.networks)
        assert [record.ssid for record in records] == [b"cia-linksys", b"cia-asusgold", b"Open"]
        assert (records[1].bssid, records[1].band, records[1].channel) == (bytes.fromhex("c87f54de23b8"), 1, 9)
        assert (records[1].auth, records[1].rssi) == (4, -49)
        assert await of(app.configure, records[1], PASSPHRASE) == 200
        joined = await emulated.event("joined")
        assert joined["text"] == 'joined "cia-asusgold" as 192.168.0.42'
        assert not any("thingyworld" in line.text for line in emulated.child.lines)


async def test_an_open_network_with_the_empty_passphrase_of_ios(directory: Path) -> None:
    async with device(directory, NO_MDNS) as emulated:
        assert await of(emulated.app().provision, b"Open", b"") == 200
        await emulated.event("joined")


async def test_the_published_body(directory: Path) -> None:
    assert GOLDEN.hex() == (
        "0a1c0a0c6369612d61737573676f6c641206c87f54de23b8180120012804120f7468696e6779776f726c6432303234"
    )
    async with device(directory, NO_MDNS) as emulated:
        assert (await of(emulated.app().ask, "POST", "/prov/configure", GOLDEN)).status == 200
        # One second later the access point is off, and no server listens.
        await emulated.event("access-point-down")
        with pytest.raises(ConnectionRefusedError):
            emulated.raw()


@pytest.mark.thorough("ExactSoftAPTests cure a wrong passphrase by the button")
async def test_the_button_is_the_cure_for_a_wrong_passphrase(directory: Path) -> None:
    async with device(directory, NO_MDNS) as emulated:
        assert await of(emulated.app().provision, b"cia-asusgold", b"something else") == 200
        await emulated.event("join-failed")
        mark = emulated.mark
        emulated.press()
        await emulated.event("access-point-up", mark)
        assert await of(emulated.app().provision, b"cia-asusgold", PASSPHRASE) == 200
        await emulated.event("joined", mark)


# TLS.


async def test_the_certificate_is_made_once_and_its_key_is_the_owners_alone(directory: Path) -> None:
    async with device(directory, NO_MDNS) as emulated:
        first = emulated.certificate.read_text()
        assert stat.S_IMODE(emulated.key.stat().st_mode) == 0o600
    async with device(directory, NO_MDNS) as emulated:
        assert emulated.certificate.read_text() == first
        fingerprint = (await emulated.event("device"))["sha256"]
        der = ssl.PEM_cert_to_DER_cert(first)
        assert fingerprint == hashlib.sha256(der).hexdigest()


async def test_the_certificate_satisfies_a_strict_reader(directory: Path) -> None:
    async with device(directory, NO_MDNS) as emulated:
        context = trust(emulated.certificate, name=True)
        context.verify_flags |= ssl.VERIFY_X509_STRICT

        def handshake(name: str) -> str | None:
            with context.wrap_socket(emulated.raw(), server_hostname=name) as stream:
                return stream.version()

        assert await of(handshake, NAME) == "TLSv1.2"
        assert await of(handshake, f"a.{NAME}") == "TLSv1.2"


async def test_gateway_has_tls_1_3(directory: Path) -> None:
    async with device(directory, NO_MDNS, *GATEWAY) as emulated:
        stream = await of(secure, emulated)
        with stream:
            assert stream.version() == "TLSv1.3"


async def test_a_certificate_of_ones_own(directory: Path) -> None:
    async with device(directory, NO_MDNS) as emulated:
        pair = emulated.certificate.rename(directory / "own.pem"), emulated.key.rename(directory / "own-key.pem")
    own = ("--certificate", str(pair[0]), "--key", str(pair[1]))
    async with device(directory, NO_MDNS, *own) as emulated:
        assert not emulated.certificate.exists()
        assert len(await of(emulated.app(pair[0]).networks)) == 3


async def test_an_app_that_trusts_another_certificate_restarts_the_firmware(directory: Path) -> None:
    other = directory / "other"
    other.mkdir()
    async with device(other, NO_MDNS) as stranger:
        pass
    async with device(directory, NO_MDNS) as emulated:
        mark = emulated.mark
        with pytest.raises(ssl.SSLCertVerificationError):
            await of(emulated.app(stranger.certificate).networks)
        told = await emulated.event("connection-failed", mark)
        assert told["text"] == "connection failed: the app does not trust the device's certificate"
        await emulated.event("restarting", mark)
        await emulated.event("access-point-up", mark)
        assert len(await of(emulated.app().networks)) == 3


@pytest.mark.parametrize(
    "garbage",
    some_of(
        [b"GET / HTTP/1.1\r\n\r\n", b"", bytes(300), b"\x16\x03\x01\xff\xff"],
        "ExactSoftAPTests restart after a connection that failed; test_gateway_survives_what_is_no_handshake",
    ),
)
async def test_what_is_no_handshake(directory: Path, garbage: bytes) -> None:
    async with device(directory, NO_MDNS) as emulated:
        mark = emulated.mark
        with emulated.raw() as stream:
            stream.sendall(garbage)
        await emulated.event("restarting", mark)
        await emulated.event("access-point-up", mark)
        assert len(await of(emulated.app().networks)) == 3


async def test_gateway_survives_what_is_no_handshake(directory: Path) -> None:
    async with device(directory, NO_MDNS, *GATEWAY) as emulated:
        for garbage in (b"", b"GET / HTTP/1.1\r\n\r\n", os.urandom(5000)):
            mark = emulated.mark
            with emulated.raw() as stream:
                stream.sendall(garbage)
            await emulated.event("connection-failed", mark)
        assert len(await of(emulated.app().networks)) == 3
        assert "restarting" not in emulated.events()


async def test_a_reset_restarts_the_firmware(directory: Path) -> None:
    async with device(directory, NO_MDNS) as emulated:
        mark = emulated.mark
        stream = await of(secure, emulated)
        stream.sendall(b"GET /prov/net")
        stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        # Without TLS's goodbye.
        socket.socket(fileno=stream.detach()).close()
        await emulated.event("restarting", mark)


# HTTP.


ROWS = [
    ("GET", "/prov/networks", 200),
    ("POST", "/prov/networks", 405),
    ("PUT", "/prov/configure", 405),
    ("GET", "/prov/configure", 405),
    ("GET", "/", 404),
    ("GET", "/prov/networks?a=b", 404),
    ("GET", "/prov/status", 404),
    ("GET", "/" + 600 * "x", 404),
    ("OPTIONS", "/prov/networks", 200),
    ("OPTIONS", "/anything", 200),
]


async def test_the_firmwares_answers(directory: Path) -> None:
    async with device(directory, NO_MDNS) as emulated:
        for method, path, status in ROWS:
            answer = await of(emulated.app().ask, method, path)
            assert answer.status == status, (method, path)
            length = ("Content-Length", str(len(answer.body)))
            kind = [("Content-Type", "application/x-protobuf")] if answer.body else []
            assert answer.headers == [*kind, length, *CROSS_ORIGIN], (method, path)
            assert answer.closed, (method, path)


async def test_the_whole_answer_octet_for_octet(directory: Path) -> None:
    def talk() -> bytes:
        with secure(emulated) as stream:
            stream.sendall(b"OPTIONS /prov/configure HTTP/1.1\r\nHost: wifiprov.local\r\n\r\n")
            return rest(stream)

    async with device(directory, NO_MDNS) as emulated:
        assert await of(talk) == (
            b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nAccess-Control-Allow-Origin: *\r\n"
            b"Access-Control-Allow-Methods: GET, POST, OPTIONS\r\nAccess-Control-Allow-Headers: Content-Type\r\n"
            b"Access-Control-Max-Age: 86400\r\n\r\n"
        )


REFUSED = [
    b"",
    field(1, wifi_info(b"", bytes(6))),
    field(1, wifi_info(b"Home", bytes(5))),
    field(1, wifi_info(b"Home", bytes(6))),
    bytes(257),
    bytes(1_000_000),
]
UNDECODABLE = [
    b"\xff",
    b"\x08",
    field(1, b""),
    field(1, wifi_info(b"Home", bytes(7))),
    field(1, wifi_info(33 * b"x", bytes(6))),
    wifi_config(wifi_info(b"Home", bytes(6)), 65 * b"x"),
    GOLDEN[:-1],
]


@pytest.mark.parametrize("body", REFUSED, ids=range(len(REFUSED)))
async def test_what_is_refused_is_not_answered(directory: Path, body: bytes) -> None:
    async with device(directory, NO_MDNS) as emulated:
        app = emulated.app()
        with pytest.raises((*NOT_ANSWERED, BrokenPipeError)):
            await of(app.ask, "POST", "/prov/configure", body)
        await emulated.event("refused")
        assert len(await of(app.networks)) == 3
        # The remainder that the firmware keeps is a message, and one more after it counts.
        assert (await of(app.ask, "POST", "/prov/configure", GOLDEN)).status == 200


@pytest.mark.parametrize(
    "body", some_of(UNDECODABLE, "ExactSoftAPTests have each body and the next one"), ids=range(len(UNDECODABLE))
)
async def test_what_is_no_message_is_not_answered_and_spoils_the_next(directory: Path, body: bytes) -> None:
    async with device(directory, NO_MDNS) as emulated:
        app = emulated.app()
        for each in (body, GOLDEN):
            with pytest.raises(NOT_ANSWERED):
                await of(app.ask, "POST", "/prov/configure", each)
            await emulated.event("refused")
        assert len(await of(app.networks)) == 3
        mark = emulated.mark
        emulated.press()
        await emulated.event("access-point-up", mark)
        assert (await of(app.ask, "POST", "/prov/configure", GOLDEN)).status == 200


@pytest.mark.thorough("HelpfulSoftAPTests have each body and its reason")
async def test_gateway_says_what_is_wrong(directory: Path) -> None:
    async with device(directory, NO_MDNS, *GATEWAY) as emulated:
        app = emulated.app()
        for body in REFUSED + UNDECODABLE:
            answer = await of(app.ask, "POST", "/prov/configure", body)
            assert answer.status == (413 if len(body) > 256 else 400), body[:40]
            assert answer.body.decode().strip(), body[:40]
        assert (await of(app.ask, "POST", "/prov/configure", GOLDEN)).status == 200
        await emulated.event("joined")


@pytest.mark.parametrize("profile", [(), GATEWAY], ids=["exact", "gateway"])
@pytest.mark.parametrize("request_", [b"\x00\x01\x02\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET " + 200_000 * b"x"])
async def test_what_is_no_request(directory: Path, profile: tuple[str, ...], request_: bytes) -> None:
    def talk() -> bytes:
        with secure(emulated) as stream:
            with contextlib.suppress(BrokenPipeError, ConnectionResetError, ssl.SSLEOFError):
                stream.sendall(request_)
            return rest(stream)

    async with device(directory, NO_MDNS, *profile) as emulated:
        said = await of(talk)
        if not profile:
            assert said == b""
        elif len(request_) < 1000:
            assert said.startswith(b"HTTP/1.1 400 Bad Request\r\n")
        assert len(await of(emulated.app().networks)) == 3


async def test_a_request_that_comes_octet_by_octet(directory: Path) -> None:
    def talk() -> bytes:
        with secure(emulated) as stream:
            head = b"POST /prov/configure HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(GOLDEN)
            for octet in head + GOLDEN:
                stream.sendall(bytes([octet]))
            return rest(stream)

    async with device(directory, NO_MDNS) as emulated:
        assert (await of(talk)).startswith(b"HTTP/1.1 200 OK\r\n")
        await emulated.event("joined")


async def test_a_request_that_is_not_finished(directory: Path) -> None:
    def talk() -> None:
        with secure(emulated) as stream:
            stream.sendall(b"POST /prov/configure HTTP/1.1\r\nContent-Length: 47\r\n\r\n" + GOLDEN[:20])
            stream.unwrap()

    async with device(directory, NO_MDNS) as emulated:
        # The firmware is in an endless loop then; that is not imitated.
        with contextlib.suppress(ssl.SSLError, OSError):
            await of(talk)
        assert len(await of(emulated.app().networks)) == 3


BLOCKED_SECONDS = 0.5
"""Many times the time of an answer."""


async def test_the_firmware_serves_one_at_a_time(directory: Path) -> None:
    async with device(directory, NO_MDNS) as emulated:
        first = await of(secure, emulated)
        second = asyncio.create_task(of(emulated.app().networks))
        await asyncio.sleep(BLOCKED_SECONDS)
        assert not second.done()
        with first:
            await of(first.sendall, b"GET /prov/networks HTTP/1.1\r\nHost: x\r\n\r\n")
            assert (await of(rest, first)).startswith(b"HTTP/1.1 200 OK\r\n")
        assert len(await second) == 3


async def test_gateway_serves_several_on_one_connection_each(directory: Path) -> None:
    def client() -> list[int]:
        context = trust(emulated.certificate, name=True)
        connection = Connection(emulated.address, emulated.port, context, IOS_SECONDS, NAME)
        with contextlib.closing(connection):
            statuses = []
            for path in ("/prov/networks", "/x", "/prov/status"):
                connection.request("GET", path)
                answer = connection.getresponse()
                answer.read()
                statuses.append(answer.status)
            return statuses

    async with device(directory, NO_MDNS, *GATEWAY) as emulated:
        held = [await of(secure, emulated) for _ in range(4)]
        answers = await asyncio.gather(*(of(client) for _ in range(4)))
        assert answers == [[200, 404, 200]] * 4
        for stream in held:
            stream.close()


# Additions of the gateway profile.


@pytest.mark.thorough("HelpfulSoftAPTests list more than five networks and scan again")
async def test_gateway_lists_more_than_five_and_scans_again(directory: Path) -> None:
    networks = {"networks": [{"ssid": f"n{number}", "rssi": -40 - number} for number in range(12)]}
    async with device(directory, NO_MDNS, *GATEWAY, networks=networks) as emulated:
        app = emulated.app()
        assert [record.ssid.decode() for record in await of(app.networks)] == [f"n{number}" for number in range(12)]
        again = await of(app.ask, "POST", "/prov/scan")
        assert again.status == 200 and again.body == (await of(app.ask, "GET", "/prov/networks")).body
    async with device(directory, NO_MDNS, networks=networks) as emulated:
        assert len(await of(emulated.app().networks)) == 5


async def test_gateway_tells_why_it_did_not_join_and_takes_another(directory: Path) -> None:
    async with device(directory, NO_MDNS, *GATEWAY) as emulated:
        app = emulated.app()
        assert await of(app.provision, b"cia-asusgold", b"something else") == 200
        await emulated.event("join-failed")
        status = await of(app.ask, "GET", "/prov/status")
        assert json.loads(status.body) == {"state": "failed", "ssid": "cia-asusgold", "reason": "auth"}
        assert await of(app.provision, b"cia-asusgold", PASSPHRASE) == 200
        await emulated.event("joined")
        status = await of(app.ask, "GET", "/prov/status")
        assert json.loads(status.body) == {"state": "connected", "ssid": "cia-asusgold", "ip": "192.168.0.42"}


# Faults.


async def test_faults(directory: Path) -> None:
    faults = ["configure:status=503*1", "networks:cut=10*1", "networks:close*1", "networks:body=0a01*1"]
    faults += ["networks:delay=1500*1", "configure:lost"]
    options = [word for fault in faults for word in ("--fault", fault)]
    async with device(directory, NO_MDNS, *options) as emulated:
        app = emulated.app()
        assert (await of(app.ask, "POST", "/prov/configure", GOLDEN)).status == 503
        with pytest.raises(http.client.IncompleteRead) as cut:
            await of(app.networks)
        assert len(cut.value.partial) == 10
        with pytest.raises(NOT_ANSWERED):
            await of(app.networks)
        with pytest.raises(WireError):
            await of(app.networks)
        began = time.monotonic()
        assert len(await of(app.networks)) == 3
        assert time.monotonic() - began >= 1.5
        assert "stored" not in emulated.events()
        with pytest.raises(NOT_ANSWERED):
            await of(app.ask, "POST", "/prov/configure", GOLDEN)
        await emulated.event("joined")


async def test_a_connection_that_is_closed_at_once(directory: Path) -> None:
    async with device(directory, NO_MDNS, "--fault", "connect:close*1") as emulated:
        with pytest.raises((*NOT_ANSWERED, ConnectionAbortedError, OSError)):
            await of(emulated.app().networks)
        assert len(await of(emulated.app().networks)) == 3


# The desk.


async def test_typed_faults_a_transcript_and_findings(directory: Path) -> None:
    transcript = directory / "transcript.json"
    async with device(directory, NO_MDNS, *GATEWAY, "--transcript", str(transcript)) as emulated:
        app = emulated.app()
        for line in ("fault code networks 503", "fault truncate networks 10", "fault replace networks 0a01"):
            assert (await emulated.type(line))["ok"]
        # Each counts from when it was typed: they happen together, and the first is taken.
        assert (await of(app.ask, "GET", "/prov/networks")).status == 503
        for line in ("fault drop configure", "fault delay networks 700", "fault refuse connect 3"):
            assert (await emulated.type(line))["ok"]
        began = time.monotonic()
        assert len(await of(app.networks)) == 3
        assert time.monotonic() - began >= 0.7
        with pytest.raises(NOT_ANSWERED):
            await of(app.ask, "POST", "/prov/configure", GOLDEN)
        await emulated.event("joined")
        with pytest.raises((*NOT_ANSWERED, ConnectionAbortedError, OSError)):
            await of(emulated.app().networks)
        assert not (await emulated.type("fault error networks 14"))["ok"]
        assert (await emulated.type("wifi down"))["ok"]
        await emulated.event("lost")
        assert (await of(emulated.app().ask, "GET", "/prov/network")).status == 404
        assert (await emulated.type("findings"))["lines"][0].startswith("! unknown-path")
        assert (await emulated.type("quit"))["ok"]
        await emulated.event("summary")
        assert await emulated.stop() == 0
    text = json.loads(transcript.read_text())
    assert [finding["rule"] for finding in text["findings"]] == ["unknown-path"]
    events = [entry["event"] for entry in text["entries"]]
    assert {"scanned", "connection", "requested", "fault", "stored", "joined", "lost", "command"} <= set(events)
    assert [entry["at-ms"] for entry in text["entries"]] == sorted(entry["at-ms"] for entry in text["entries"])
    assert "thingyworld" not in transcript.read_text()


async def test_a_scenario_of_the_desk(directory: Path) -> None:
    scenario = directory / "scenario.json"
    faults = [{"at": "configure", "do": {"code": 500}}, {"at": "networks", "do": "disconnect-before"}]
    events = [{"after-ms": 1, "fault": {"at": "networks", "do": {"truncate": 4}, "occurrence": 2}}]
    scenario.write_text(json.dumps({"faults": faults, "events": events}))
    async with device(directory, NO_MDNS, "--scenario", str(scenario)) as emulated:
        app = emulated.app()
        with pytest.raises(NOT_ANSWERED):
            await of(app.networks)
        with pytest.raises(http.client.IncompleteRead):
            await of(app.networks)
        assert (await of(app.ask, "POST", "/prov/configure", GOLDEN)).status == 500
        assert len(await of(app.networks)) == 3


async def test_a_failed_handshake_is_told_without_paths(directory: Path) -> None:
    async with device(directory, NO_MDNS, *GATEWAY) as emulated:
        for garbage, words in ((b"GET / HTTP/1.1\r\n\r\n", "write https"), (bytes(300), "TLS")):
            mark = emulated.mark
            with emulated.raw() as stream:
                stream.sendall(garbage)
            text = str((await emulated.event("connection-failed", mark))["text"])
            assert words in text and "/" not in text and ".cc" not in text, text


# Wrong use.


async def test_wrong_use_is_told_in_one_line(directory: Path) -> None:
    async def said(*options: str) -> tuple[int | None, str]:
        async with device(directory, NO_MDNS) as emulated:
            command = ["emulate", "nordic-softap", NO_MDNS, "--state", str(directory / "state")]
            listen = ("--listen", f"127.0.0.1:{emulated.port}")
            process = await asyncio.create_subprocess_exec(
                str(binary()),
                *command,
                *(() if "--listen" in options else listen),
                *options,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.PIPE,
            )
            _, errors = await asyncio.wait_for(process.communicate(), 10)
            return process.returncode, errors.decode()

    code, text = await said()
    assert code == 1 and re.fullmatch(r"readerlab: cannot listen at .*: Address already in use; give .*\n", text)
    code, text = await said("--listen", "nowhere")
    assert code == 2, text
    assert "--listen" in text
    code, text = await said("--certificate", "/nonexistent", "--key", "/nonexistent")
    assert code == 1 and "/nonexistent: cannot read a certificate" in text
    code, text = await said("--fault", "scan:close")
    assert code == 2 and "take --profile gateway" in text
    scenario = directory / "scenario.json"
    for content in ({"mtu": 23}, {"events": [{"after-ms": 1, "mtu": 23}]}):
        scenario.write_text(json.dumps(content))
        code, text = await said("--scenario", str(scenario))
        assert code == 2 and "scenario.json: an HTTP connection has no ATT_MTU" in text


def test_the_networks_are_the_published_ones() -> None:
    assert [network["ssid"] for network in HOME["networks"][:2]] == ["cia-linksys", "cia-asusgold"]
