# SPDX-License-Identifier: Apache-2.0
"""The pages' instructions for newcomers."""

import itertools
import re
import subprocess

import pytest

from rig.emulation import binary as lab
from rig.reader import ROOT
from rig.reader import binary as reader

README = (ROOT / "README.md").read_text()
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md")), *sorted((ROOT / "board").rglob("*.md"))]
ACCESS_PROFILE = (ROOT / "docs/protocol/access-profile.md").read_text()
SHOWN_CHARACTERS = 3
"""Of a credential, in a log line."""


def test_the_credentials_of_the_examples_can_be_told_apart_in_the_log():
    names = {
        name
        for page in PAGES
        for name in re.findall(r"--(?:credential|blacklist) ([A-Z][A-Z0-9]{3,9})\b", page.read_text())
    }
    assert len(names) >= 2
    for one, other in itertools.combinations(sorted(names), 2):
        assert one[-SHOWN_CHARACTERS:] != other[-SHOWN_CHARACTERS:]
    assert not [name for name in names if name.endswith("001")], "as the demo's"


def test_the_first_credential_opens_on_every_day():
    page = (ROOT / "docs/operate/credentials.md").read_text()
    command = re.search(r"credentials token oss-so(?:.*\\\n)+.*", page).group()
    assert "--door 7" in command
    assert "mon" not in command.lower().replace("month", "")


def test_the_programs_are_on_the_path_before_they_are_called_by_name():
    code = "\n".join(re.findall(r"^```\w*\n(.*?)^```", README, re.DOTALL | re.MULTILINE))
    setting = code.index('export PATH="$PWD/.build/release:$PATH"')
    for program in ("readerd", "readerlab"):
        built = re.search(rf"^script/build -c release --product {program}$", code, re.MULTILINE).start()
        called = re.search(rf"^{program} ", code, re.MULTILINE)
        assert built < setting < called.start()


def test_the_access_profile_names_every_file_of_messages():
    for file in sorted((ROOT / "protocols/access").glob("*.proto")):
        assert f"(../../protocols/access/{file.name})" in ACCESS_PROFILE


def test_the_index_has_every_page():
    index = (ROOT / "docs/README.md").read_text()
    pages = [page.relative_to(ROOT / "docs") for page in (ROOT / "docs").glob("*/*.md")]
    assert len(pages) > 40
    assert [str(name) for name in sorted(pages) if f"]({name})" not in index] == []


@pytest.mark.parametrize(("page", "words"), [("README.md", 900), ("docs/develop/performance.md", 2500)])
def test_a_page_that_everyone_reads_stays_short(page, words):
    assert len((ROOT / page).read_text().split()) <= words


def test_each_command_has_its_exit_codes():
    """Those of `readerd` by the list of its help, those of `readerlab` by its families."""
    page = (ROOT / "docs/operate/exit-codes.md").read_text()
    cells = re.findall(r"^\| (`.*?) \|", page, re.MULTILINE)
    named = {words.split()[0] for cell in cells for words in re.findall(r"`([^`]+)`", cell)}
    listed = subprocess.run([reader(), "--help"], check=True, capture_output=True, text=True).stdout
    commands = set(re.findall(r"^readerd ([a-z][a-z-]*)", listed.partition("\n\n")[2], re.MULTILINE))
    assert len(commands) >= 15
    assert commands - named == set()
    shown = subprocess.run([lab(), "--help"], check=True, capture_output=True, text=True).stdout
    families = set(re.findall(r"^ {2}([a-z]+) ", shown.partition("SUBCOMMANDS:")[2], re.MULTILINE))
    assert len(families) >= 12
    assert families - named == set()


def test_the_completion_is_documented():
    assert "readerlab --generate-completion-script bash" in (ROOT / "docs/operate/packages.md").read_text()


def test_packing_says_what_it_installs_before_it_does():
    run = subprocess.run([ROOT / "script/package", "--help"], check=False, capture_output=True, text=True)
    assert run.returncode == 0
    said = " ".join(run.stdout.split())
    assert "it installs what is missing" in said
    packages = re.search(r"^PACKAGE_PACKAGES=\((.*)\)$", (ROOT / "script/bootstrap").read_text(), re.MULTILINE)
    for package in packages.group(1).split():
        assert package.removesuffix("-minimal") in said
    script = (ROOT / "script/package").read_text()
    assert re.search(r"^say \"installing .*\nscript/bootstrap ", script, re.MULTILINE)


@pytest.mark.parametrize(
    "library",
    ["libgpiod-dev", "libnfc-dev", "libsqlite3-dev", "libssl-dev", "libtomlplusplus-dev"],
)
def test_the_package_is_built_with_what_the_bootstrap_installs(library):
    control = (ROOT / "packaging/debian/control").read_text()
    assert library in re.search(r"^Build-Depends: (.*(?:\n .*)*)$", control, re.MULTILINE).group(1)
    assert library in re.search(r"BUILD_PACKAGES=\(([^)]*)\)", (ROOT / "script/bootstrap").read_text()).group(1)
    assert "NFC" in control
