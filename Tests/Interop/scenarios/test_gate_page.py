# SPDX-License-Identifier: Apache-2.0
"""docs/gate.md: each command is run as written, and prints what the page shows."""

import re
import shlex
import subprocess

import pytest

from rig.emulation import binary
from rig.reader import ROOT

PAGE = (ROOT / "docs/gate.md").read_text()
BLOCKS = re.findall(r"^```console\n\$ readerlab (gate .*)\n((?:.*\n)*?)```", PAGE, re.MULTILINE)


def gate(command, *further):
    return subprocess.run(
        [binary(), *shlex.split(command), *further], cwd=ROOT, check=False, capture_output=True, text=True
    )


def test_the_page_has_its_commands():
    assert len(BLOCKS) >= 7


@pytest.mark.parametrize(("command", "shown"), BLOCKS, ids=[command for command, _ in BLOCKS])
def test_a_command_prints_what_the_page_shows(command, shown):
    run = gate(command)
    assert run.returncode == 0, run.stderr
    assert run.stdout == shown


def test_the_picture_is_the_one_of_the_page(tmp_path):
    files = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "lab/Traces").glob("*.csv"))
    run = gate("gate --packets --plot", str(tmp_path / "gate.svg"), *files)
    assert run.returncode == 0, run.stderr
    assert (tmp_path / "gate.svg").read_text() == (ROOT / "docs/gate.svg").read_text()


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
