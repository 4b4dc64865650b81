# SPDX-License-Identifier: Apache-2.0
"""Devices whose network changes under them: interfaces and addresses that come later, go, come back or are others.
zeroconf at the phone sees what is announced and withdrawn. Both hosts are namespaces of this machine."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from matter.bench import DEVICE_INTERFACE, INTEROP, PHONE_INTERFACE, Bench
from matter.lock import Lock
from rig.matrix import some_of
from rig.processes import Child
from softap.device import device
from softap.network import DEVICE, PHONE, Network, network, run

COMMISSIONABLE = "_matterc._udp.local."
SECONDS = 30.0
DOWN_SECONDS = 1.0
"""Longer than the kernel and the program take to notice a link that is down."""
"""For what is seen: some seconds where nothing else runs. Nothing is seen until a record of 120 s expires."""
FIRST, SECOND, LOCAL, GLOBAL = DEVICE, "192.168.0.77", "fe80::1", "fd00::1"

pytestmark = pytest.mark.seconds(240)

Start = Callable[[], Awaitable[Child]]


class Wire:
    """The device's end of the wire, and views from the phone's."""

    def __init__(self, hosts: Network) -> None:
        self._hosts = hosts

    async def device(self, *words: str) -> None:
        """A command of ip(8) at the device."""
        await run(*self._hosts.device, "ip", *words)

    async def phone(self, *words: str) -> None:
        """A command of ip(8) at the phone."""
        await run(*self._hosts.phone, "ip", *words)

    async def add(self, *addresses: str) -> None:
        """Gives the device these addresses."""
        for address in addresses:
            prefix = 24 if "." in address else 64
            words = ("nodad",) if prefix == 64 else ()
            await self.device("address", "add", f"{address}/{prefix}", "dev", DEVICE_INTERFACE, *words)

    async def remove(self, address: str) -> None:
        """Takes an address from the device."""
        prefix = 24 if "." in address else 64
        await self.device("address", "del", f"{address}/{prefix}", "dev", DEVICE_INTERFACE)

    async def clear(self) -> None:
        """Takes down the device's interface, with all addresses."""
        await self.device("link", "set", DEVICE_INTERFACE, "down")
        await self.device("address", "flush", "dev", DEVICE_INTERFACE)

    async def up(self) -> None:
        """Sets up the device's interface, which makes itself no address."""
        await self.device("link", "set", DEVICE_INTERFACE, "addrgenmode", "none", "up")

    async def cut(self) -> None:
        """Removes the device's interface, and with it the other end."""
        await self.device("link", "del", DEVICE_INTERFACE)

    async def mend(self) -> None:
        """Makes the wire again, with the phone's end set up."""
        ends = (DEVICE_INTERFACE, "type", "veth", "peer", "name", PHONE_INTERFACE)
        holder = next(word for word in self._hosts.phone if word.startswith("--target=")).partition("=")[2]
        await self.device("link", "add", *ends)
        await self.device("link", "set", PHONE_INTERFACE, "netns", holder)
        await self.phone("link", "set", PHONE_INTERFACE, "addrgenmode", "none", "up")
        await self.phone("address", "add", "fe80::2/64", "dev", PHONE_INTERFACE, "nodad")
        await self.phone("address", "add", f"{PHONE}/24", "dev", PHONE_INTERFACE)

    @contextlib.asynccontextmanager
    async def view(self, *addresses: str, kind: str = COMMISSIONABLE) -> AsyncIterator[View]:
        """zeroconf at the phone: over IPv6, and over IPv4 with an address."""
        words = (sys.executable, "-m", "softap.view", kind, PHONE_INTERFACE, *addresses)
        child = await Child.start("zeroconf", [*self._hosts.phone, *words], cwd=INTEROP)
        try:
            yield View(child)
        finally:
            await child.stop()


class View:
    """What zeroconf knows."""

    def __init__(self, child: Child) -> None:
        self.child = child

    async def sees(self, *addresses: str) -> None:
        """Returns once the one service has just these addresses; without addresses, once there is no service."""
        wanted = json.dumps([sorted(addresses)] if addresses else [])
        async with asyncio.timeout(SECONDS):
            while True:
                count = len(self.child.lines)
                lines = self.child.matching('"event": "seen"')
                if lines and json.dumps(json.loads(lines[-1].text)["services"]) == wanted:
                    return
                await self.child.line('"event": "seen"', SECONDS, count)


@contextlib.asynccontextmanager
async def emulated(directory: Path) -> AsyncIterator[tuple[Wire, Start]]:
    """An emulated lock, whose label opens its window."""
    async with Bench(directory) as bench:

        async def start() -> Child:
            return (await bench.device()).child

        yield Wire(bench.hosts), start


@contextlib.asynccontextmanager
async def reader(directory: Path) -> AsyncIterator[tuple[Wire, Start]]:
    """A reader's lock, whose operator opens its window."""
    async with Lock(directory) as lock:
        await lock.stop()

        async def start() -> Child:
            await lock.start()
            await lock.open_window()
            return lock.process

        yield Wire(lock.network.hosts), start


PROGRAMS = pytest.mark.parametrize(
    "program", some_of([reader, emulated], "NetworkTableTests and MDNSServicesTests have the changes for both programs")
)


@PROGRAMS
async def test_started_before_its_interface(directory: Path, program) -> None:
    """No interface at the start; then it is made, is up, has a link-local address, an IPv4 address and another one."""
    async with program(directory) as (wire, start):
        await wire.cut()
        child = await start()
        await child.line(f"there is no interface {DEVICE_INTERFACE} that is up yet", SECONDS)
        await wire.mend()
        async with wire.view(PHONE) as view:
            await wire.up()
            await child.line(f"{DEVICE_INTERFACE} has no address yet", SECONDS)
            await wire.add(LOCAL)
            await view.sees(LOCAL)
            await wire.add(FIRST)
            await view.sees(FIRST, LOCAL)
            await wire.add(GLOBAL)
            await view.sees(FIRST, GLOBAL, LOCAL)


@PROGRAMS
async def test_started_before_its_lease(directory: Path, program) -> None:
    """An interface that is up without any address, as at boot where a DHCP server answers later; then IPv6."""
    async with program(directory) as (wire, start):
        await wire.clear()
        await wire.up()
        child = await start()
        await child.line(f"{DEVICE_INTERFACE} has no address yet", SECONDS)
        async with wire.view(PHONE) as view:
            await wire.add(FIRST)
            await view.sees(FIRST)
            await wire.add(LOCAL)
            await view.sees(FIRST, LOCAL)
        # Whoever looks later over one family alone finds it by asking.
        async with wire.view() as view:
            await view.sees(FIRST, LOCAL)


@PROGRAMS
async def test_another_lease(directory: Path, program) -> None:
    """An address that goes is withdrawn, not left to expire; the last one goes without a word and comes back."""
    async with program(directory) as (wire, start):
        await start()
        async with wire.view(PHONE) as view:
            await view.sees(FIRST, LOCAL)
            await wire.remove(FIRST)
            await view.sees(LOCAL)
            await wire.add(SECOND)
            await view.sees(SECOND, LOCAL)
            await wire.remove(LOCAL)
            await view.sees(SECOND)
            await wire.add(LOCAL)
            await view.sees(SECOND, LOCAL)


@PROGRAMS
async def test_an_interface_that_is_made_again(directory: Path, program) -> None:
    """Another index, and another network perhaps."""
    async with program(directory) as (wire, start):
        child = await start()
        async with wire.view(PHONE) as view:
            await view.sees(FIRST, LOCAL)
        for addresses in ((LOCAL,), (SECOND, LOCAL)):
            await wire.cut()
            await wire.mend()
            async with wire.view(PHONE) as view:
                await wire.up()
                await wire.add(*addresses)
                await view.sees(*addresses)
                if len(addresses) == 2:
                    # It goes with a goodbye over both families.
                    await child.stop()
                    await view.sees()


@PROGRAMS
async def test_a_link_that_was_down(directory: Path, program) -> None:
    """Without a carrier nothing can be said; with it everything is announced again."""
    async with program(directory) as (wire, start):
        await start()
        async with wire.view(PHONE) as view:
            await view.sees(FIRST, LOCAL)
        await wire.phone("link", "set", PHONE_INTERFACE, "down")
        await asyncio.sleep(DOWN_SECONDS)
        await wire.phone("link", "set", PHONE_INTERFACE, "up")
        await wire.phone("address", "add", "fe80::2/64", "dev", PHONE_INTERFACE, "nodad")
        async with wire.view(PHONE) as view:
            await view.sees(FIRST, LOCAL)


async def test_an_access_point_whose_address_comes_back(directory: Path) -> None:
    """The emulation of a SoftAP device, which uses the same responder."""
    async with network() as hosts:
        wire = Wire(hosts)
        place = {"prefix": hosts.device, "address": DEVICE, "port": 443}
        emulated = device(directory, "--interface", DEVICE_INTERFACE, **place)
        async with emulated, wire.view(PHONE, kind="_http._tcp.local.") as view:
            await view.sees(DEVICE)
            await wire.remove(DEVICE)
            await wire.add(SECOND)
            await view.sees(SECOND)
            await wire.remove(SECOND)
            await wire.add(DEVICE)
            await view.sees(DEVICE)
