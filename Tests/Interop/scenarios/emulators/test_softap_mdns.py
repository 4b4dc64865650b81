# SPDX-License-Identifier: Apache-2.0
"""The device on its own network: found by zeroconf, provisioned at the address and port that the stock apps use,
and found again once it has joined. Both hosts are namespaces of this machine."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from rig.matrix import some_of
from rig.processes import Child
from rig.reader import ROOT
from softap.browse import NAME
from softap.device import device
from softap.network import DEVICE, PHONE, Network, network

BROWSE_SECONDS = 15.0
"""Probing and announcing take 2.5 s; zeroconf asks for the first time within 1 s, and then after 1, 2, 4 s."""
SAME_SECONDS = 1.0
"""zeroconf takes packets with the same octets within 0.8 s for one."""
ANNOUNCED_SECONDS = 2.0
"""Both announcements are over: there is one second between them (RFC 6762, 8.3)."""

TEXT = {"txtvers": "1", "protovers": "1", "linkaddr": "02001A2B3C4D"}
MAC = "02:00:1a:2b:3c:4d"
NETWORKS = {
    "mac": MAC,
    "networks": [
        {
            "ssid": "Home",
            "bssid": "aa:bb:cc:dd:ee:ff",
            "channel": 6,
            "security": "wpa2-psk",
            "passphrase": "open sesame",
        }
    ],
}
INTEROP = ROOT / "Tests/Interop"


@contextlib.asynccontextmanager
async def browser(hosts: Network, *options: str) -> AsyncIterator[Child]:
    """zeroconf at the phone."""
    command = [*hosts.phone, sys.executable, "-m", "softap.browse", PHONE, *options]
    child = await Child.start("zeroconf", command, cwd=INTEROP)
    try:
        yield child
    finally:
        await child.stop()


async def event(child: Child, name: str, after: int = 0) -> dict:
    line = await child.line(f'"event": "{name}"', BROWSE_SECONDS, after)
    return json.loads(line.text)


async def provisioned(hosts: Network, kind: str, certificate: Path) -> dict:
    """The app's whole way, at the phone."""
    process = await asyncio.create_subprocess_exec(
        *hosts.phone,
        *(sys.executable, "-m", "softap.app", kind, DEVICE, "443", str(certificate), "Home", "open sesame"),
        cwd=INTEROP,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    output, errors = await asyncio.wait_for(process.communicate(), BROWSE_SECONDS)
    assert process.returncode == 0, errors.decode()
    return json.loads(output)


@pytest.mark.seconds(90)
@pytest.mark.parametrize("kind", some_of(["android", "ios"], "test_the_stock_apps_ways has both apps"))
@pytest.mark.parametrize("profile", some_of(["gateway", "nordic-exact"], "MDNSResponderTests and ExactSoftAPTests"))
async def test_found_provisioned_and_found_again(directory: Path, kind: str, profile: str) -> None:
    async with network() as hosts:
        place = {"prefix": hosts.device, "address": DEVICE, "port": 443, "networks": NETWORKS}
        async with browser(hosts) as phone, device(directory, "--profile", profile, **place) as emulated:
            added = await event(phone, "added")
            assert added["name"] == NAME
            assert added["host"] == "wifiprov.local."
            assert added["addresses"] == [DEVICE]
            assert added["port"] == 443
            assert added["text"] == TEXT
            assert await provisioned(hosts, kind, emulated.certificate) == {"networks": ["Home"], "status": 200}
            mark = len(phone.lines)
            await emulated.event("joined")
            # In the joined network: the same device by its linkaddr.
            down = emulated.mark
            if profile == "gateway":
                # Its access point sends the goodbye first, after the app has had time to read the status.
                await emulated.child.line('"event":"access-point-down"', BROWSE_SECONDS)
                await event(phone, "removed", mark)
                again = await event(phone, "added", mark)
                assert again["text"] == TEXT
                await asyncio.sleep(SAME_SECONDS)
            else:
                await emulated.event("mdns", down)
            # It goes with a goodbye, and is not found any more.
            mark = len(phone.lines)
            await emulated.stop()
            await event(phone, "removed", mark)


@pytest.mark.seconds(60)
async def test_who_looks_later_finds_it_by_asking(directory: Path) -> None:
    async with network() as hosts:
        place = {"prefix": hosts.device, "address": DEVICE, "port": 443, "networks": NETWORKS}
        async with device(directory, **place) as emulated:
            await emulated.event("mdns")
            await asyncio.sleep(ANNOUNCED_SECONDS)
            async with browser(hosts) as phone:
                assert (await event(phone, "added"))["text"] == TEXT


@pytest.mark.seconds(60)
async def test_a_name_that_is_taken_is_told(directory: Path) -> None:
    async with network() as hosts:
        place = {"prefix": hosts.device, "address": DEVICE, "port": 443, "networks": NETWORKS}
        async with browser(hosts, "--claim") as other:
            await event(other, "claimed")
            async with device(directory, **place) as emulated:
                told = await emulated.event("mdns")
                assert "another host here is wifiprov" in told["text"]


@pytest.mark.seconds(60)
async def test_an_interface_that_is_not_there_is_told(directory: Path) -> None:
    async with network() as hosts:
        place = {"prefix": hosts.device, "address": DEVICE, "port": 443, "networks": NETWORKS}
        with pytest.raises(Exception, match="there is no interface eth7"):
            async with device(directory, "--interface", "eth7", **place):
                pass
