# SPDX-License-Identifier: Apache-2.0
"""`readerlab card reader` against Aliro phones of an independent implementation, over libnfc and a simulated PN532."""

from __future__ import annotations

import asyncio
import json
import subprocess
from pathlib import Path

import pytest

from contactless.aliro_faults import FAULTS
from contactless.aliro_field import LISTED
from contactless.aliro_reader import DOOR, GROUP
from contactless.field import Field
from rig.emulation import binary as readerlab

SECONDS = 20.0


async def lab(*words: object) -> tuple[int, list[dict], str]:
    """Runs `readerlab card`: its exit code, its events, its errors."""
    process = await asyncio.create_subprocess_exec(
        *(str(readerlab()), "card", *map(str, words)), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    output, errors = await asyncio.wait_for(process.communicate(), SECONDS)
    events = [json.loads(line) for line in output.decode().splitlines() if line.startswith("{")]
    return process.returncode or 0, events, errors.decode()


async def enrolled(field: Field, directory: Path) -> tuple[object, ...]:
    """Phones learn the reader; the options of the reader, which lists one of them."""
    key = directory / "reader.pem"
    process = await asyncio.create_subprocess_exec(
        *(str(readerlab()), "card", "reader", "--key", str(key)), stdout=subprocess.PIPE
    )
    point = (await process.communicate())[0].decode().strip()
    await field.ask("aliro", GROUP, point)
    options = ("--key", key, "--group", GROUP, "--door", DOOR, "--nfc", field.connection, "--json")
    return ("reader", *options, "--phone", LISTED.key.point.hex())


async def meets(field: Field, reader: tuple[object, ...], phone: str, *words: object) -> tuple[int, dict, str]:
    """A phone in the field of the reader: the exit code, the touch, the errors."""
    await field.ask("put", f"aliro-{phone}")
    code, events, errors = await lab(*reader, *words)
    await field.ask("take", f"aliro-{phone}")
    assert len(events) == 1, (events, errors)
    return code, events[0], errors


@pytest.mark.seconds(60)
async def test_a_right_phone_opens_and_a_stranger_does_not(tmp_path):
    async with Field() as field:
        reader = await enrolled(field, tmp_path)
        code, touch, errors = await meets(field, reader, "listed")
        assert (code, errors) == (0, ""), (touch, errors)
        assert touch["phone"] == LISTED.key.point.hex()
        assert touch["findings"] == []
        code, touch, errors = await meets(field, reader, "unlisted")
        assert (code, touch["refusal"], touch["findings"]) == (1, "unknown-credential", [])
        assert json.loads(await field.ask("aliro_findings")) == []


@pytest.mark.seconds(180)
async def test_a_right_phone_refuses_each_fault_of_the_reader(tmp_path):
    process = await asyncio.create_subprocess_exec(
        *(str(readerlab()), "card", "faults", "--json"), stdout=subprocess.PIPE
    )
    rows = [json.loads(line) for line in (await process.communicate())[0].decode().splitlines()]
    faults = [row for row in rows if row["side"] == "reader"]
    assert len(faults) > 20
    async with Field() as field:
        reader = await enrolled(field, tmp_path)
        for fault in faults:
            code, touch, errors = await meets(field, reader, "listed", "--fault", fault["fault"])
            assert (code, touch["findings"]) == (0, []), (fault, touch, errors)
            assert touch["fault"] == fault["fault"], touch
            assert (touch.get("word") is None) == (fault["other"] == "goes on"), (fault, touch)


@pytest.mark.seconds(120)
async def test_a_wrong_phone_has_a_finding(tmp_path):
    async with Field() as field:
        reader = await enrolled(field, tmp_path)
        for name in FAULTS:
            code, touch, _ = await meets(field, reader, name)
            assert code == 1 and len(touch["findings"]) == 1, (name, touch)
