# SPDX-License-Identifier: Apache-2.0
"""`readerlab bench attacks`: every attack is made, with the outcome that docs/develop/performance.md publishes."""

import json
import subprocess

import html5lib
import pytest

from rig.bench_page import ATTACKS, blocks, output
from rig.emulation import binary
from rig.reader import ROOT

pytestmark = pytest.mark.seconds(300)

RUN_SECONDS = 240
"""For all attacks of the page in a debug build: half a minute where nothing else runs."""

RELAYS = [f"relay, {delay} ms each way" for delay in (8, 50, 200, 1000)]
REFUSED = [
    *("replayed session", "forged: another identifier", "forged: longer validity", "a stranger's signature"),
    *("revoked credential", "window ended", "window not begun", "reader without a clock"),
]
"""A separate list: a row that the bench loses is missed here."""
DATA_SETS = {path.name for path in (ROOT / "lab/Traces").glob("*.csv")}


def lab(*arguments, cwd=ROOT):
    command = [str(binary()), "bench", "attacks", *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=RUN_SECONDS, check=False)


def cells(text):
    """The cells of each line, which stand two spaces apart at least."""
    return [[cell.strip() for cell in line.split("  ") if cell.strip()] for line in text.splitlines() if line]


@pytest.mark.thorough("AttackBenchTests have each attack; test_json_and_the_report_have_every_row runs all of them")
def test_outcomes_are_those_of_the_page():
    assert output(ATTACKS) == blocks()[ATTACKS], "update the page: python -m rig.bench_page"


def test_the_page_has_each_attack():
    rows = {row[0]: row for row in cells(blocks()[ATTACKS])}
    for name in REFUSED:
        assert rows[name][1:3] == ["60", "0"], name
        assert rows[name][-1].startswith(("status", "no answer")), name
    # Openly: what is relayed passes.
    assert rows[RELAYS[0]][1:3] == ["60", "60"] and rows[RELAYS[0]][-1] == "PASSES"
    assert set(RELAYS) <= rows.keys()


@pytest.mark.thorough("test_errors_are_those_of_the_gate has one data set")
def test_the_errors_of_each_data_set_stand_below():
    shown = output(f"{ATTACKS} lab/Traces/*.csv", "--runs", "1")
    errors = [row for row in cells(shown) if row[0].endswith(".csv")]
    assert {row[0] for row in errors} == DATA_SETS
    assert {row[2] for row in errors} == {"false reject", "false accept"}


def test_the_gates_page_tells_that_a_relay_passes():
    text = (ROOT / "docs/operate/gate.md").read_text()
    assert "no defence against a relay" in text and "readerlab bench attacks" in text


def test_json_and_the_report_have_every_row(tmp_path):
    run = lab("--runs", "2", "--json", "--report", "r.html", "--junit", "r.xml", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    told = {row["attack"]: row for row in json.loads(run.stdout)["attacks"]}
    assert list(told) == RELAYS + REFUSED
    assert all(row["tries"] == 2 and sum(row["answers"].values()) == 2 for row in told.values())
    assert all(told[name]["openings"] == 0 for name in REFUSED)
    page = html5lib.parse((tmp_path / "r.html").read_text(), namespaceHTMLElements=False)
    text = " ".join("".join(cell.itertext()) for cell in page.iter("td"))
    assert all(name in text for name in RELAYS + REFUSED) and "PASSES" in text
    assert "bench.attacks" in (tmp_path / "r.xml").read_text()


def test_errors_are_those_of_the_gate():
    """A false reject is a window below 2 m without an opening by `bench gate`, a false accept an opening at 2 m or
    more."""
    traces = str(ROOT / "lab/Traces/ng-two-people-carried.csv")
    errors = json.loads(lab("--runs", "1", "--json", traces).stdout)["errors"]
    gate = subprocess.run(
        [str(binary()), "bench", "gate", "--json", traces], capture_output=True, text=True, check=True
    ).stdout
    rows = {row["distance"]: row for row in json.loads(gate)["files"][0]["rows"]}
    assert len(errors) == len(rows) == 8
    for error in errors:
        row = rows[error["distance"]]
        opens = row["opened"] / row["windows"]
        is_far = error["distance"] in ("2-3 m", "3-5 m", "5-10 m")
        assert error["error"] == ("false-accept" if is_far else "false-reject")
        assert error["share"] == pytest.approx(opens if is_far else 1 - opens, abs=1e-4)
        assert error["low"] <= error["share"] <= error["high"]


@pytest.mark.parametrize(("arguments", "words"), [(("--runs", "0"), "--runs is 1"), (("none.csv",), "cannot open it")])
def test_wrong_use_is_told(arguments, words):
    done = lab(*arguments)
    assert done.returncode == 2 and words in done.stderr and done.stdout == ""
