# SPDX-License-Identifier: Apache-2.0
"""Every fault of `readerlab emulate nordic-softap`, as an app meets it: each step with each of its words."""

from __future__ import annotations

import asyncio
import http.client
import time
from pathlib import Path

import pytest

from rig.fault_table import ARGUMENTS, accepted
from rig.matrix import some_of
from softap.app import App
from softap.device import Device, device
from softap.messages import wifi_config

of = asyncio.to_thread
"""A client's call, which blocks, next to the loop that reads the device's output."""

STEPS = accepted("nordic-softap")
OPTIONS = ("--no-mdns", "--profile", "gateway")
STATUS, CUT, SLOW_MS = 503, 3, 1500
"""A status, octets of a body that are sent, and a delay: the app itself looks 0.5 s for the end of the connection."""
NETWORK, PASSPHRASE = b"cia-asusgold", b"thingyworld2024"
PATHS = {
    "networks": ("GET", "/prov/networks"),
    "configure": ("POST", "/prov/configure"),
    "scan": ("POST", "/prov/scan"),
    "status": ("GET", "/prov/status"),
}


def test_each_step_has_its_effects_here() -> None:
    assert set(STEPS) == {"connect", *PATHS}


def typed(word: str, step: str) -> str:
    argument = {"code": str(STATUS), "truncate": str(CUT), "delay": str(SLOW_MS)}.get(word, ARGUMENTS.get(word, ""))
    return f"fault {word} {step} {argument}".strip()


async def obey(emulated: Device, word: str, step: str) -> None:
    answer = await emulated.type(typed(word, step))
    assert answer["ok"], answer


@pytest.mark.thorough("FaultPlanTests and DevicesTests have each fault")
@pytest.mark.parametrize("step", [step for step in PATHS if step != "configure"])
@pytest.mark.seconds(60)
async def test_faults_of_a_request(directory: Path, step: str) -> None:
    async with device(directory, *OPTIONS) as emulated:
        app = emulated.app()
        normal = await of(app.ask, *PATHS[step])
        for word in STEPS[step]:
            await meets(emulated, app, step, word, None, normal.body)
            assert (await of(app.ask, *PATHS[step])).body == normal.body


@pytest.mark.parametrize("word", some_of(STEPS["configure"], "FaultPlanTests and DevicesTests have each fault"))
async def test_faults_of_a_configuration(directory: Path, word: str) -> None:
    async with device(directory, *OPTIONS) as emulated:
        app = emulated.app()
        record = next(record for record in await of(app.networks) if record.ssid == NETWORK)
        await meets(emulated, app, "configure", word, wifi_config(record.info, PASSPHRASE), b"")
        # A fault with an effect ends the access point; the list is still served where there was none.
        acts = word not in ("disconnect-before", "code")
        await (emulated.event("joined") if acts else of(app.networks))
        assert ("joined" in emulated.events()) == acts


async def meets(emulated: Device, app: App, step: str, word: str, octets: bytes | None, normal: bytes) -> None:
    """A request meets the fault."""
    await obey(emulated, word, step)
    began = time.monotonic()
    if word in ("drop", "disconnect-before"):
        with pytest.raises((http.client.RemoteDisconnected, ConnectionResetError)):
            await of(app.ask, *PATHS[step], octets)
    elif word == "truncate" and normal:
        with pytest.raises(http.client.IncompleteRead) as caught:
            await of(app.ask, *PATHS[step], octets)
        assert caught.value.partial == normal[:CUT]
    else:
        met = await of(app.ask, *PATHS[step], octets)
        assert word != "delay" or time.monotonic() - began >= SLOW_MS / 1000
        assert met.status == (STATUS if word == "code" else 200)
        assert word == "code" or met.body == (bytes.fromhex(ARGUMENTS["replace"]) if word == "replace" else normal)
        assert word != "truncate" or met.closed


async def test_faults_of_a_connection(directory: Path) -> None:
    async with device(directory, *OPTIONS) as emulated:
        for word in STEPS["connect"]:
            await obey(emulated, word, "connect")
            with pytest.raises((OSError, http.client.RemoteDisconnected)):
                await of(emulated.app().networks)
            assert len(await of(emulated.app().networks)) == 3
