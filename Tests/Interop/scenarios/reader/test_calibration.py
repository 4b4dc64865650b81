# SPDX-License-Identifier: Apache-2.0
"""`readerd calibrate` and `readerd run --rssi-trace`, as the owner of a site uses them."""

import asyncio
import json
import os
import signal
import stat
import subprocess

import pytest

from access.advertising import ACCESS
from rig.asking import ask, fault
from rig.bench import BELOW_DBM, FAR_DBM, NEAR_DBM, READER, Bench
from rig.emulation import binary as lab
from rig.operation import COMMAND_SECONDS, Operator
from rig.phone import LinkLost, NotReached, Phone
from rig.processes import Child
from rig.radio_process import RadioProcess
from rig.reader import ROOT, UNLOCKED, binary
from rig.rows import LONG_TIMEOUTS, ping
from rig.waiting import until

WALK_SECONDS = 5
"""For one walk: a link of the survey lasts three seconds, and a busy machine connects late."""
PROMPT_SECONDS = 60.0
"""For a prompt, the walk before it included."""
REPEAT_SECONDS = 0.5
"""The pause of the app after a link, as the published app has it after a refusal."""
READINGS = 40
"""Of a link: two windows of the default gate at least."""
HEADER = "trace,seconds,distance_m,condition,rssi_dbm"


async def _keep_connecting(phone: Phone, address) -> None:
    """The app: connects again and again, and asks for an opening each time."""
    while True:
        try:
            link = await phone.connect(address)
            await link.prepare()
            await link.run("tokn")
            await link.disconnect()
        except (LinkLost, NotReached, TimeoutError, asyncio.InvalidStateError):
            pass
        await asyncio.sleep(REPEAT_SECONDS)


async def _survey(bench: Bench, phone: Phone, traces, *options: str) -> Child:
    """`readerd calibrate`, with a person who walks where its prompts say."""
    words = ["calibrate", "--traces", str(traces), "--seconds", str(WALK_SECONDS), *options]
    child = await Child.start(
        "readerd calibrate",
        [str(binary()), *words, "--control", str(bench.control)],
        stdin=asyncio.subprocess.PIPE,
    )
    seen = 0
    while True:
        line = await child.line(r"press Enter|^\{|^gate ", PROMPT_SECONDS, after=seen)
        seen = child.lines.index(line) + 1
        if "press Enter" not in line.text:
            return child
        await bench.radio.level(phone.name, READER, BELOW_DBM if "at the door" in line.text else FAR_DBM, 1)
        await child.type("")


@pytest.mark.seconds(240)
@pytest.mark.thorough("SiteSurveyTests propose a gate, CalibrateCommandTests write it, SurveyTests walk")
async def test_walks_propose_a_gate_that_then_opens_and_the_door_stays_shut_meanwhile(directory):
    traces = directory / "site.csv"
    async with Bench(**LONG_TIMEOUTS) as bench:
        phone = await bench.phone(dbm=BELOW_DBM)
        address = (await phone.find(ACCESS)).address
        app = asyncio.create_task(_keep_connecting(phone, address))
        try:
            child = await _survey(bench, phone, traces, "--door", "2", "--away", "1", "--json")
            result = json.loads(child.matching(r"^\{")[-1].text)
            assert await child.ended(COMMAND_SECONDS) == 0, child.tail()
            assert not bench.reader.child.matching(UNLOCKED), "a walk has opened the door"

            assert result["present"]["threshold-dbm"] == -60 and result["present"]["window-ms"] == 400
            assert result["present"]["door"]["share"] == 0, "the phone is below the threshold in use"
            proposed = result["proposed"]
            assert FAR_DBM + 5 < proposed["threshold-dbm"] <= BELOW_DBM + 1
            assert proposed["door"]["walks"] == 2 and proposed["away"]["walks"] == 1
            assert proposed["away"]["share"] == 0
            # Two walks that agree: 0.025 to the power 1/2.
            if proposed["door"]["share"] == 1:
                assert proposed["door"]["interval"] == [0.1581, 1.0]

            _check_file(traces)
            rows = [line.split(",") for line in traces.read_text().splitlines()[1:]]
            assert {row[0] for row in rows} == {"door-1", "door-2", "away-1"}
            assert {row[3] for row in rows} == {"door", "away"}

            # More walks another day: nothing to walk, the same evaluation, and the lines for the configuration.
            done = await _evaluate(traces)
            assert done.returncode == 0, done.stderr
            lines = done.stdout.splitlines()
            configuration = lines[lines.index("[proximity]") :]
            assert configuration[1:] == [
                f"threshold-dbm = {proposed['threshold-dbm']}",
                f"window-ms = {proposed['window-ms']}",
                "samples = 3",
            ]
            await bench.radio.level(phone.name, READER, BELOW_DBM, 1)
            with bench.configuration.open("a") as file:
                file.write("\n".join(configuration) + "\n")
            os.kill(bench.reader.child.pid, signal.SIGHUP)
            await bench.reader.unlocked(PROMPT_SECONDS)
            events = await Operator(bench).events("--json", "--kind", "command")
            commands = [json.loads(line) for line in events.output.splitlines()]
            assert {command["command"] for command in commands} == {"survey"} and len(commands) >= 3
        finally:
            app.cancel()
            await asyncio.gather(app, return_exceptions=True)


async def _evaluate(traces) -> subprocess.CompletedProcess:
    words = [str(binary()), "calibrate", "--traces", str(traces), "--door", "0", "--away", "0"]
    return await asyncio.to_thread(
        subprocess.run, words, check=False, capture_output=True, text=True, timeout=COMMAND_SECONDS
    )


def _check_file(path) -> None:
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_text().splitlines()[0] == HEADER


async def test_what_cannot_be_measured_is_said_in_one_line(directory):
    socket, traces = directory / "none.sock", directory / "site.csv"

    def calibrate(*words: str, typed: str = "") -> tuple[int, list[str]]:
        run = subprocess.run(
            [str(binary()), "calibrate", "--traces", str(traces), *words],
            check=False,
            capture_output=True,
            text=True,
            input=typed,
            timeout=COMMAND_SECONDS,
        )
        return run.returncode, run.stderr.splitlines()

    code, lines = calibrate("--control", str(socket), typed="\n")
    assert code == 1 and lines[-1].endswith("no reader listens; start it, or name its socket with --control")
    code, lines = calibrate("--control", str(socket))
    assert code == 1
    assert lines[-1] == (
        "readerd: no walk was measured; open the phone's app at the door, and press Enter at the prompt"
    )
    traces.write_text(HEADER + "\ndoor-1,0,,door,near\n")
    assert calibrate("--door", "0") == (1, [f'readerd: {traces}:2: rssi_dbm "near": -126 to -1 is needed'])
    traces.write_text(HEADER + "\nx,0,,hall,-50\n")
    code, lines = calibrate("--door", "0")
    assert (code, lines) == (
        1,
        [f"readerd: {traces}: trace x is no walk of a survey; name another file with --traces"],
    )
    assert calibrate("--door", "many") == (2, ['readerd: --door takes 0 to 100, not "many"'])


async def test_a_survey_that_cannot_be_is_refused():
    async with Bench(controller="no-rssi") as bench:
        # As soon as the control socket exists.
        await Operator(bench).status()
        await fault(bench.control, "controller-without-rssi", PROMPT_SECONDS)
        assert (await ask(bench.control, {"survey": 3}))["refused"] == "no-rssi"
    async with Bench() as bench:
        await _ready(bench)
        clients = [await asyncio.open_unix_connection(str(bench.control)) for _ in range(2)]
        for _, writer in clients:
            before = len(bench.reader.child.lines)
            writer.write(b'{"survey":3}\n')
            await bench.reader.child.line('"survey":3', PROMPT_SECONDS, after=before)
        answers = [json.loads(await reader.readline()) for reader, _ in clients]
        for _, writer in clients:
            writer.close()
        # No one came: an answer without readings.
        assert answers[0]["ok"] and answers[0]["readings"] == [] and answers[0]["gate"]["samples"] == 3
        assert answers[1]["refused"] == "surveying"


async def _ready(bench: Bench) -> None:
    operator = Operator(bench)

    async def is_ready() -> bool:
        return (await operator.status())["controller"]["ready"]

    await until("the controller", is_ready)


async def _ask(bench: Bench, request: str) -> str:
    await _ready(bench)
    reader, writer = await asyncio.open_unix_connection(str(bench.control))
    writer.write(request.encode() + b"\n")
    await writer.drain()
    answer = await reader.readline()
    writer.close()
    return answer.decode()


async def test_a_trace_has_each_link_by_a_number_and_goes_to_readerlab_gate(directory):
    radio = await RadioProcess.start(directory)
    try:
        trace = directory / "trace.csv"
        configuration = directory / "readerd.toml"
        # A link stays for as long as a busy machine takes for the readings, and needs a single one to be near.
        configuration.write_text(
            '[advertising]\nmodes = ["access"]\n[proximity]\nsamples = 1\nwindow-ms = 1000\n'
            "[links]\nmax-connection-ms = 60000\n"
        )
        trace.write_text("of an earlier run")
        trace.chmod(0o644)
        hci = await radio.listen_tcp(READER)
        reader = await Child.start(
            "readerd",
            [
                *(str(binary()), "run", "--hci", f"tcp-client:{hci}", "--state", str(directory / "state")),
                *("--config", str(configuration), "--rssi-trace", str(trace), "--log-level", "debug"),
            ],
        )
        await radio.level("phone", READER, NEAR_DBM)
        phone = await Phone.open("phone", "unix:" + await radio.listen_unix("phone"))
        address = (await phone.find(ACCESS)).address
        for _ in range(2):
            link = await phone.connect(address)
            await link.prepare(ACCESS.service)
            await ping(link)
            # The reader reads on while the link is up.
            seen = len(reader.lines)
            for _ in range(READINGS):
                seen = reader.lines.index(await reader.line("RSSI", PROMPT_SECONDS, after=seen)) + 1
            await link.disconnect()
        await phone.close()
        assert await reader.stop() == 0, reader.tail()
        _check_file(trace)
        rows = [line.split(",") for line in trace.read_text().splitlines()[1:]]
        takes = list(dict.fromkeys(row[0] for row in rows))
        assert len(takes) == 2 and all(take.isdigit() for take in takes)
        assert all(row[2:] == ["", "access", str(NEAR_DBM)] for row in rows)
        run = subprocess.run(
            [lab(), "gate", str(trace), "--by", "condition", "--json"],
            cwd=ROOT,
            check=False,
            capture_output=True,
            text=True,
        )
        assert run.returncode == 0, run.stderr
        (row,) = json.loads(run.stdout)["rows"]
        assert row["group"] == ["access"] and row["rate"]["traces"] == 2 and row["rate"]["share"] == 1
    finally:
        await radio.stop()


async def test_a_trace_that_cannot_be_written_ends_the_start(directory):
    configuration = directory / "readerd.toml"
    configuration.write_text("")
    run = subprocess.run(
        [
            *(str(binary()), "run", "--hci", "tcp-client:127.0.0.1:1", "--state", str(directory / "state")),
            *("--config", str(configuration), "--rssi-trace", str(directory / "none/trace.csv")),
        ],
        check=False,
        capture_output=True,
        text=True,
        timeout=COMMAND_SECONDS,
    )
    assert run.returncode == 1
    assert "--rssi-trace: " in run.stderr and "use an existing directory" in run.stderr
