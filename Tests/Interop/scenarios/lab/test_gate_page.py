# SPDX-License-Identifier: Apache-2.0
"""docs/operate/gate.md: each command is run as written, and prints what the page shows."""

import json
import shlex
import subprocess

import pytest

from rig.emulation import binary
from rig.gate_page import PICTURE, blocks, output, picture
from rig.reader import ROOT

BLOCKS = blocks()
CHECKED = [command for command, _ in BLOCKS if "--keep-aside" in command]
FURTHER = "readerlab gate lab/Traces/danis-walked-beacon.csv --packets --keep-aside"
"""Recordings that the page has in its picture only."""
LARGEST_DIFFERENCE = 0.1
"""Between a published rate and the rate of the traces kept aside, where both are of 20 traces or more."""


def gate(command, *further):
    return subprocess.run(
        [binary(), *shlex.split(command), *further], cwd=ROOT, check=False, capture_output=True, text=True
    )


def test_the_page_has_its_commands():
    assert len(BLOCKS) >= 4 and len(CHECKED) == 2


@pytest.mark.parametrize(("command", "shown"), BLOCKS, ids=[command for command, _ in BLOCKS])
def test_a_command_prints_what_the_page_shows(command, shown):
    assert output(command) == shown, "update the page: python -m rig.gate_page"


@pytest.mark.parametrize("command", [*CHECKED, FURTHER])
def test_published_figures_agree_with_the_traces_kept_aside(command):
    """No trace counts for both: an interval that promised too much would miss the others' rate."""
    rows = json.loads(output(command, "--json"))["rows"]
    compared = 0
    for row in rows:
        rate, aside = row["rate"], row.get("aside")
        if not aside or not rate.get("interval") or not aside.get("interval"):
            continue
        compared += 1
        (low, high), (aside_low, aside_high) = rate["interval"], aside["interval"]
        assert low <= aside_high and aside_low <= high, row
        if rate["traces"] >= 20 and aside["traces"] >= 20:
            assert abs(rate["share"] - aside["share"]) <= LARGEST_DIFFERENCE, row
    assert compared >= 1


def test_the_picture_is_the_one_of_the_page(tmp_path):
    picture(tmp_path / "gate.svg")
    assert (tmp_path / "gate.svg").read_text() == PICTURE.read_text()


def test_a_fault_in_a_file_is_one_line(tmp_path):
    file = tmp_path / "site.csv"
    file.write_text("trace,seconds,distance_m,condition,rssi_dbm\na,0,1,x,-50\na,1,1,x,near\n")
    run = gate(f"gate {file}")
    assert run.returncode == 2
    assert run.stderr == f'readerlab: {file}:3: rssi_dbm "near": -126 to -1 is needed\n'
    missing = gate(f"gate {tmp_path}/none.csv")
    assert missing.returncode == 2
    assert "none.csv: cannot open it: No such file or directory; name a file of traces" in missing.stderr
    unwritable = gate(f"gate {ROOT}/lab/Traces/herald-centimetre-steps.csv --csv {tmp_path}/no/x.csv")
    assert unwritable.returncode == 2
    assert "no/x.csv: cannot write it" in unwritable.stderr
