# SPDX-License-Identifier: Apache-2.0
"""readerd at adapters of Linux, by the user channel, and BlueZ as the phone."""

from __future__ import annotations

import asyncio
import json
import sys

from bench import Bench, case, program
from machine import CACHE, ROOT, Failure
from rig.radio_process import RadioProcess

HERE = ROOT / "Tests/Kernel/bluetooth"
FAR_DBM, NEAR_DBM = -85, -45
"""25 dB under the gate's threshold, and 15 above it."""
SCENARIO = ROOT / "Tests/Interop/scenarios/lab/credentials.json"
"""The scenario that `test_scenario_airs.py` plays on the other airs."""
SCENARIO_PLACES = ("reader", "good", "stranger")


def run(bench: Bench, script: str, seconds: float, **environment: str) -> None:
    """A script in a machine; what it has looked at."""
    machine = bench.machine()
    values = {"READERD": str(program("readerd")), "PYTHON": sys.executable, **environment}
    result = machine.run((HERE / script).read_text(), seconds, values)
    bench.report(machine)
    bench.check("the script runs to its end", result.code == 0, machine.tail() if result.code else "")


@case("hci-socket", seconds=300)
def hci_socket(bench: Bench) -> None:
    """Each thing that keeps readerd from an adapter has its own message, and an unplugged adapter is taken again."""
    run(bench, "hci_socket.sh", 300)


def phone_packages() -> str:
    """Where bootstrap has put what the phone needs. Raises Failure if it has not."""
    directory = CACHE / "python"
    if not (directory / "bleak").is_dir():
        raise Failure(f"there is no bleak in {directory}: script/bootstrap --kernel fetches it")
    return str(directory)


@case("bluez-access", seconds=300)
def bluez_access(bench: Bench) -> None:
    """BlueZ finds the reader on a real adapter, connects, and opens the door."""
    run(bench, "access.sh", 300, PHONE_PACKAGES=phone_packages())


@case("bluez-pairing", seconds=400)
def bluez_pairing(bench: Bench) -> None:
    """BlueZ pairs by LE Secure Connections, reads what is protected, and comes back with its key."""
    run(bench, "pairing.sh", 400, PHONE_PACKAGES=phone_packages(), READERLAB=str(program("readerlab")))


@case("bluez-distance", seconds=300)
def bluez_distance(bench: Bench) -> None:
    """A far phone is refused and a near one opens, by the readings of RootCanal's controllers behind the adapters."""
    packages = phone_packages()
    asyncio.run(far_and_near(bench, packages))


async def far_and_near(bench: Bench, packages: str) -> None:
    """The machine, and the radio that its two adapters are on."""
    bench.directory.mkdir(exist_ok=True)
    radio = await RadioProcess.start(bench.directory)
    try:
        ports = {name: (await radio.listen_tcp(name)).rpartition(":")[2] for name in ("reader", "phone")}
        await radio.level("reader", "phone", FAR_DBM)
        machine = bench.machine(network=True)
        values = {"READERD": str(program("readerd")), "PYTHON": sys.executable, "PHONE_PACKAGES": packages}
        script = (HERE / "distance.sh").read_text()
        machine.start(script, {**values, "READER_PORT": ports["reader"], "PHONE_PORT": ports["phone"]})
        end = asyncio.create_task(asyncio.to_thread(machine.wait, 300))
        while not end.done() and not (machine.directory / "come-near").exists():
            await asyncio.sleep(0.1)
        await radio.level("reader", "phone", NEAR_DBM)
        (machine.directory / "is-near").touch()
        result = await end
        bench.report(machine)
        bench.check("the script runs to its end", result.code == 0, machine.tail() if result.code else "")
    finally:
        await radio.stop()


@case("scenario", seconds=400)
def scenario(bench: Bench) -> None:
    """A scenario at three adapters of Linux has the results and the openings of the virtual air."""
    asyncio.run(reader_and_two_phones(bench))


async def reader_and_two_phones(bench: Bench) -> None:
    """The machine with three adapters, on RootCanal's controllers on the host, and the results of both airs."""
    bench.directory.mkdir(exist_ok=True)
    radio = await RadioProcess.start(bench.directory)
    try:
        ports = [(await radio.listen_tcp(name)).rpartition(":")[2] for name in SCENARIO_PLACES]
        for phone in SCENARIO_PLACES[1:]:
            await radio.level(SCENARIO_PLACES[0], phone, NEAR_DBM)
        machine = bench.machine(network=True)
        values = {"READERLAB": str(program("readerlab")), "PYTHON": sys.executable, "PORTS": " ".join(ports)}
        machine.start((HERE / "scenario.sh").read_text(), {**values, "SCENARIO": str(SCENARIO)})
        result = await asyncio.to_thread(machine.wait, 400)
    finally:
        await radio.stop()
    bench.report(machine)
    bench.check("the script runs to its end", result.code == 0, machine.tail() if result.code else "")
    *runs, summary = [json.loads(line) for line in machine.file("airs").splitlines()]
    results = {run.get("air", "virtual"): [phone["result"] for phone in run["phones"]] for run in runs}
    opened = results == {"virtual": ["opened", "denied"], "hci": ["opened", "denied"]}
    bench.check("both airs open for the good phone alone", opened, results)
    differences = [row for row in summary["differences"] if row["hci-differs"] in ("RESULT", "YES")]
    bench.check("no result and no lock differs", summary["as-expected"] and not differences, summary)
