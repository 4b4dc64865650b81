# SPDX-License-Identifier: Apache-2.0
"""The exit codes of `readerlab`: 0 done, 1 failed, 2 wrong use. A fault is reported in one line on standard error."""

import re
import subprocess

import pytest

from rig.emulation import binary

pytestmark = pytest.mark.seconds(240)
"""Fifty commands and their groups, three processes each."""

RUN_SECONDS = 30
WRONG = "--no-such-option"
NONE = "/proc/none/x"
"""No one can make it."""


def readerlab(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [str(binary()), *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=RUN_SECONDS,
        check=False,
    )


def subcommands(help_text: str) -> list[str]:
    """The names below SUBCOMMANDS; descriptions are further to the right."""
    _, found, listed = help_text.partition("SUBCOMMANDS:\n")
    return re.findall(r"^  ([a-z][a-z0-9-]*)(?: |$)", listed, re.MULTILINE) if found else []


def told_in_one_line(done: subprocess.CompletedProcess, begin: str) -> bool:
    return done.stdout == "" and done.stderr.startswith(begin) and done.stderr.count("\n") == 1


def test_every_command_has_help_and_refuses_what_it_does_not_know():
    paths, leaves = [()], []
    while paths:
        path = paths.pop()
        shown = readerlab(*path, "--help")
        assert shown.returncode == 0 and shown.stderr == "" and "USAGE: readerlab" in shown.stdout, path
        names = subcommands(shown.stdout)
        paths += [(*path, name) for name in names]
        wrong = WRONG if not names else "no-such-command"
        refused = readerlab(*path, wrong)
        begin = "readerlab: " if names else " ".join(("readerlab", *path)) + ": "
        assert refused.returncode == 2 and told_in_one_line(refused, begin), (path, refused)
        if not names:
            leaves.append(" ".join(path))
    assert len(leaves) >= 40
    assert {"demo", "air", "gate", "bench host", "credentials reader rotate", "fleet ca init"} <= set(leaves)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (f"scenario {NONE}.json", 2),
        ("scenario no-such-name", 2),
        (f"scenario pocket --junit {NONE}", 2),
        (f"scenario pocket --baseline {NONE}", 2),
        (f"scenario pocket --capture {NONE}", 2),
        (f"scenario pocket --seeds 2 --capture {NONE}", 2),
        (f"air --listen a=tcp:127.0.0.1:0 --capture {NONE}", 2),
        ("demo --seed many", 2),
        (f"phone scan --hci unix:{NONE}", 1),
        (f"emulate gatt --hci unix:{NONE} --table {NONE}", 2),
        (f"emulate devices --hci unix:{NONE} {NONE}", 2),
        (f"emulate reader --hci unix:{NONE}", 1),
        (f"emulate nordic-wifi --hci unix:{NONE}", 1),
        (f"emulate smarter-ai --hci unix:{NONE}", 1),
        ("emulate faults nothing", 2),
        (f"watch --control {NONE}", 1),
        (f"osdp device --line {NONE}", 1),
        (f"osdp sniff --line {NONE}", 1),
        (f"osdp sniff --file {NONE}", 2),
        (f"fleet status --database {NONE}", 2),
        (f"fleet metrics --database {NONE}", 2),
        (f"fleet ca init --directory {NONE}", 1),
        ("bench host", 2),
        (f"bench host --baseline {NONE} -- true {{hci}}", 2),
        (f"gate {NONE}", 2),
        (f"credentials reader add a --site {NONE}", 1),
        (f"credentials show {NONE}", 1),
        (f"credentials attestation {NONE}", 1),
    ],
)
def test_what_is_missing_is_told_in_one_line(line, code):
    done = readerlab(*line.split())
    assert done.returncode == code and told_in_one_line(done, "readerlab"), done
