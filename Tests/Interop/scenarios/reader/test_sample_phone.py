# SPDX-License-Identifier: Apache-2.0
"""samples/phone.py: a phone, written from docs/protocol/access-profile.md, with the demo site and a bundle."""

import asyncio
import json
import sys
from pathlib import Path

import pytest

from rig.air_process import PHONE, AirBench
from rig.backend import CREDENTIAL, UNTIL, run
from rig.matrix import some_of
from rig.reader import UNLOCKED

ROOT = Path(__file__).parents[4]
SAMPLE, VECTOR = ROOT / "samples/phone.py", ROOT / "protocols/access/session-vector.json"
SECONDS = 60


async def sample(*arguments: object) -> tuple[int, str]:
    """Exit code and output of the sample."""
    child = await asyncio.create_subprocess_exec(
        *map(str, (sys.executable, SAMPLE, *arguments)),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        output, _ = await asyncio.wait_for(child.communicate(), SECONDS)
    finally:
        if child.returncode is None:
            child.kill()
    return child.returncode, output.decode()


def demo_bundle(folder: Path, *words: str) -> Path:
    """The bundle of one token of the demo site, by the commands of docs/operate/credentials.md."""
    site, token, bundle = (folder / name for name in ("site.json", "token.json", "phone.json"))
    run("readerlab", "credentials", "site", "demo", "--site", site)
    wanted = ("--site", site, "--reader", "demo", "--credential", CREDENTIAL, "--out", token)
    run("readerlab", "credentials", "token", *words, *wanted)
    run("readerlab", "credentials", "phone-bundle", "--site", site, "--token", token, "--out", bundle)
    return bundle


async def test_it_computes_the_session_vector():
    code, output = await sample("--vector", VECTOR)
    assert (code, output) == (0, f"{VECTOR}: handshake, request and answer agree\n")


@pytest.mark.parametrize("section", ["handshake", "request", "answer"])
async def test_a_changed_vector_is_found(tmp_path, section):
    vector = json.loads(VECTOR.read_text())
    message = vector[section]["message"]
    vector[section]["message"] = message[:-1] + ("0" if message[-1] != "0" else "1")
    (tmp_path / "vector.json").write_text(json.dumps(vector))
    code, output = await sample("--vector", tmp_path / "vector.json")
    assert code == 1 and output.startswith("phone.py: ")


@pytest.mark.seconds(90)
@pytest.mark.parametrize(
    ("words", "answer"),
    some_of(
        [(("command", "--from", "2020-01-01", *UNTIL), "tokn: "), (("oss-so", "--door", "1", *UNTIL), "opened")],
        "test_it_opens_with_what_the_backend_gave_it has both kinds",
    ),
)
async def test_it_opens_the_demo_reader(tmp_path, words, answer):
    bundle = demo_bundle(tmp_path, *words)
    async with AirBench() as bench:
        code, output = await sample("--bundle", bundle, "--hci", bench.radio.hci(PHONE))
        assert code == 0, output
        assert output.startswith(answer)
        await bench.reader.child.line(UNLOCKED, SECONDS)


@pytest.mark.seconds(90)
async def test_a_revoked_validity_is_told(tmp_path):
    bundle = demo_bundle(tmp_path, "command", "--from", "2020-01-01", "--to", "2020-12-31")
    async with AirBench() as bench:
        code, output = await sample("--bundle", bundle, "--hci", bench.radio.hci(PHONE))
        assert (code, output) == (1, "phone.py: refused with status -13: docs/protocol/status-codes.md\n")
        assert not bench.reader.child.matching(UNLOCKED)


async def test_wrong_use_is_told():
    code, output = await sample("--bundle", "phone.json")
    assert code == 2 and "--bundle and --hci, or --vector" in output
