# SPDX-License-Identifier: Apache-2.0
"""`script/cross`, and others for another architecture, where something is wrong: one line that says what to do."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from rig.reader import ROOT

TOOLS = ["awk", "bash", "cat", "cut", "dirname", "flock", "grep", "mkdir", "realpath", "rm", "sed", "stat", "tr"]
"""Of the machine; the others are the test's."""
COMMANDS = {
    "uname": "echo x86_64",
    "dpkg": "echo amd64",
    "dpkg-deb": "exit 1",
    "swiftc": "echo 'Swift version 6.3.1 (swift-6.3.1-RELEASE)'",
    "apt-get": """case "$*" in
        *indextargets*) . /etc/os-release; echo "http://mirror.example/debian $VERSION_CODENAME main" ;;
        esac""",
    "apt-cache": "echo 'swiftlang | 6.2.3-1+b1 | http://mirror.example/debian sid/main arm64 Packages'",
}


def refused(directory: Path, program: str, *arguments: str, **commands: str | None) -> str:
    """The one line with which the script ends; `commands` takes the place of the machine's, None is one too few."""
    tools = directory / "toolchain/bin"
    tools.mkdir(parents=True)
    for name in TOOLS:
        (tools / name).symlink_to(shutil.which(name))
    for name, body in {**COMMANDS, **{name.replace("_", "-"): body for name, body in commands.items()}}.items():
        if body is not None:
            (tools / name).write_text(f"#!/bin/sh\n{body}\n")
            (tools / name).chmod(0o755)
    for name in ["swift-frontend", "ld.lld", "llvm-objcopy"]:
        (tools / name).touch()
    (directory / "toolchain/lib/swift/clang/include").mkdir(parents=True)
    environment = {**os.environ, "PATH": str(tools), "READERD_CROSS_CACHE": str(directory / "cache")}
    run = subprocess.run([ROOT / program, *arguments], check=False, capture_output=True, text=True, env=environment)
    lines = [line for line in run.stderr.splitlines() if " s: " not in line]
    assert run.returncode == 1, run.stderr
    assert len(lines) == 1, run.stderr
    assert not run.stdout
    return lines[0]


@pytest.mark.parametrize("tool", ["apt-get", "dpkg-deb", "swiftc"])
def test_a_missing_tool_is_named(tmp_path, tool):
    said = refused(tmp_path, "script/cross", "--prepare", **{tool: None})
    assert said == f"cross: there is no {tool}: run it on Debian, with a Swift toolchain on PATH"


def test_another_machine_is_refused(tmp_path):
    assert "cross-builds on x86-64 only: on arm64 itself, use script/build" in refused(
        tmp_path, "script/cross", "--prepare", uname="echo aarch64"
    )


def test_an_older_compiler_is_refused(tmp_path):
    said = refused(tmp_path, "script/cross", "--prepare", swiftc="echo 'Swift version 6.2.3 (swift-6.2.3-RELEASE)'")
    assert said.startswith("cross: swiftc is 6.2.3, and the runtime is tried with 6.3: ")


def test_a_runtime_that_moved_on_is_told_with_what_there_is(tmp_path):
    said = refused(tmp_path, "script/cross", "--prepare", apt_cache="echo 'swiftlang | 6.4-1 | mirror sid/main'")
    assert said == (
        "cross: sid has swiftlang 6.4-1 for arm64, and not 6.2.3: set RUNTIME_VERSION in script/cross to that, and try"
    )


def test_packages_that_cannot_be_had_are_named(tmp_path):
    fails = f"{COMMANDS['apt-get']}\ncase $* in *download-only*) exit 100 ;; esac"
    said = refused(tmp_path, "script/cross", "--prepare", apt_get=fails)
    assert said.startswith("cross: trixie has not all of libc6-dev ")
    assert said.endswith("correct the names where they are listed, in a script of this project")
    assert not (tmp_path / "cache/made-by").exists()


def test_a_program_that_is_not_there_cannot_be_run(tmp_path):
    (tmp_path / "cache/emulator/usr/bin").mkdir(parents=True)
    (tmp_path / "cache/emulator/usr/bin/qemu-aarch64-static").touch(mode=0o755)
    assert "there is no program nonesuch" in refused(tmp_path, "script/cross", "--run", "nonesuch")


def test_without_an_emulator_nothing_is_run(tmp_path):
    assert (
        refused(tmp_path, "script/cross", "--run", "/bin/true")
        == "cross: there is no emulator yet: script/cross --prepare"
    )


@pytest.mark.parametrize(("here", "asked"), [("amd64", "riscv64"), ("arm64", "amd64"), ("amd64", "")])
def test_there_are_no_packages_for_another_architecture(tmp_path, here, asked):
    said = refused(tmp_path, "script/package", "--arch", asked, "--check", dpkg=f"echo {here}")
    assert said == f"package: there are no packages for '{asked}' on {here}: take {here}, or arm64 on amd64"


def test_arch_needs_its_architecture(tmp_path):
    assert refused(tmp_path, "script/package", "--arch") == "package: --arch needs an architecture: amd64 or arm64"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--arch"], "--arch needs an architecture: amd64 or arm64"),
        (["--arch", "mips", "phone"], "there is no board of 'mips': take amd64 or arm64"),
    ],
)
def test_there_is_no_board_of_another_architecture(tmp_path, arguments, said):
    assert refused(tmp_path, "board/virt/run", *arguments) == f"board/virt/run: {said}"
