# SPDX-License-Identifier: Apache-2.0
"""`readerlab bench fleet`: many links from one process at mosquitto, and the storm after it was killed."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path

import pytest

from fleet.broker import program as mosquitto
from fleet.certificates import Authority
from fleet.door import program
from rig.ports import free_port

LINKS = int(os.environ.get("READERD_FLEET_LINKS", "200"))
"""CI's slow lane has 5,000."""
SPREAD_SECONDS = max(2, LINKS // 500)
TLS_LINKS = LINKS // 5
TLS_SPREAD_SECONDS = max(2, TLS_LINKS // 50)
PEAK = 4
"""The most connections in a second, against the mean while they are spread: without jitter all come in one or two."""
WAIT_SECONDS = 240
DESCRIPTORS = 100

pytestmark = pytest.mark.seconds(2 * WAIT_SECONDS + 120)


async def bench(*words: str, prefix: tuple[str, ...] = ()) -> tuple[int, str, str]:
    """The exit code and both outputs of `readerlab bench fleet`."""
    process = await asyncio.create_subprocess_exec(
        *prefix,
        *[program("readerlab"), "bench", "fleet", *words],
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    output, complaints = await process.communicate()
    return process.returncode, output.decode(), complaints.decode()


async def measured(links: int, spread: int, rate: int, *words: str) -> dict:
    """The report of a run that all links have survived."""
    options = ["--json", "-k", str(links), "--spread", str(spread), "--rate", str(rate), "--seconds", "5"]
    code, output, complaints = await bench(*options, "--wait", str(WAIT_SECONDS), *words)
    assert code == 0, output + complaints
    report = json.loads(output)
    print(output)
    assert report["links"] == links and "fault" not in report
    assert report["traffic"]["arrived"] == report["traffic"]["events"] == 5 * rate
    for arrival in (report["rise"], report["storm"]):
        assert arrival["connections-per-second-most"] <= PEAK * links / spread
        assert arrival["broker-cpu-us-per-link"] > 0
    # One attempt is enough at the start; a broker that is away for a second costs some links a second one.
    assert report["rise"]["attempts"] == links
    assert report["rise"]["broker-kB-per-link"] > 0
    return report


@pytest.mark.alone
@pytest.mark.thorough("ReconnectionTests spread what comes back; test_a_broker_that_ends_is_a_fault runs the bench")
async def test_many_links_arrive_and_come_back() -> None:
    report = await measured(LINKS, SPREAD_SECONDS, LINKS // 10, "--", mosquitto(), "-p", "{port}")
    assert not report["tls"]


@pytest.mark.thorough("ReconnectionTests have the storm; the links of test_fleet.py have TLS")
@pytest.mark.alone
async def test_many_links_with_tls(directory: Path) -> None:
    authority = Authority(directory)
    own, link = authority.issue("localhost", address="127.0.0.1"), authority.issue("links")
    port = free_port()
    lines = [f"listener {port} 127.0.0.1", f"cafile {authority.file}", f"certfile {own.certificate}"]
    lines += [f"keyfile {own.key}", "tls_version tlsv1.3", "require_certificate true"]
    lines += ["use_identity_as_username true", "user root", ""]
    (directory / "mosquitto.conf").write_text("\n".join(lines))
    words = ["--port", str(port), "--ca", str(authority.file), "--certificate", str(link.certificate)]
    words += ["--key", str(link.key), "--", mosquitto(), "-c", str(directory / "mosquitto.conf")]
    report = await measured(TLS_LINKS, TLS_SPREAD_SECONDS, TLS_LINKS // 10, *words)
    assert report["tls"]


async def test_a_limit_of_descriptors_is_told() -> None:
    # Without the right to raise it, also as root.
    prefix = ("setpriv", "--bounding-set", "-sys_resource", "sh", "-c", f'ulimit -n {DESCRIPTORS}; exec "$@"', "sh")
    if os.getuid() != 0:
        prefix = prefix[3:]
    code, output, complaints = await bench("-k", "100", "--", mosquitto(), "-p", "{port}", prefix=prefix)
    assert code == 1 and not output
    assert f"100 links need 264 descriptors, and {DESCRIPTORS} are permitted" in complaints
    assert complaints.count("\n") == 1


async def test_a_broker_that_ends_is_a_fault() -> None:
    code, output, complaints = await bench("-k", "1", "--", "sh", "-c", "echo too old >&2; exit 3", "{port}")
    assert code == 1 and "does not listen" in output and "too old" in complaints


@pytest.mark.parametrize(
    "words",
    [
        ("-k", "0", "--", "mosquitto", "-p", "{port}"),
        ("--", "mosquitto"),
        ("-k", "1"),
        ("--ca", "ca.pem", "--", "mosquitto", "-p", "{port}"),
        ("--wait", "0", "--", "mosquitto", "-p", "{port}"),
    ],
)
async def test_wrong_use(words: tuple[str, ...]) -> None:
    code, output, _ = await bench(*words)
    assert code == 2 and not output
