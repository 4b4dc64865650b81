# SPDX-License-Identifier: Apache-2.0
"""readerd as root in a state directory that another user owns, who plants links: what is root's stays as it was.

These tests change whose files are, so they need root.
"""

from __future__ import annotations

import os
import shutil
import socket
import stat
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from rig.bench import Bench
from rig.operation import Operator
from rig.reader import binary
from rig.waiting import POLL_SECONDS, until

OWNER = 61_234
"""A user who is in no list, so that nothing else runs as it."""
GROUP = 61_235
ROUNDS = 24
"""Of each race. One in eight did harm, so all would have gone well once in (7/8)^-24 = 25 runs of the tests."""
NET_ADMIN = 1 << 12
RECORDED_SECONDS = 5.0


def _tree(path: Path) -> dict[str, tuple]:
    """The attributes of everything under a directory."""
    found = {}
    for place in [path, *sorted(path.rglob("*"))]:
        status = place.lstat()
        content = place.read_bytes() if stat.S_ISREG(status.st_mode) else None
        found[str(place)] = (status.st_uid, status.st_gid, status.st_mode, content)
    return found


@dataclass(frozen=True)
class Site:
    """A directory of the owner's with a state directory in it, and a directory of root's."""

    top: Path
    state: Path
    roots: Path

    @property
    def key(self) -> Path:
        """Root's own private key, on P-256: a terminal key would look so."""
        return self.roots / "terminal-key.pem"

    @property
    def public(self) -> Path:
        """A backend's public key that only root may read, too."""
        return self.roots / "backend.pem"

    def readerd(self, *arguments: object, state: Path | None = None) -> subprocess.CompletedProcess:
        """A command as root."""
        name, *rest = map(str, arguments)
        command = [binary(), name, "--state", str(state or self.state), *rest]
        return subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)

    def plant(self, name: str, target: Path) -> Path:
        """A link in the state directory, as the owner would make it."""
        link = self.state / name
        link.unlink(missing_ok=True)
        link.symlink_to(target)
        os.lchown(link, OWNER, GROUP)
        return link

    @property
    def identity(self) -> Path:
        """The directory of the identity."""
        return self.state / os.readlink(self.state / "identity")

    @property
    def octets(self) -> bytes:
        """The contents of all files that the owner may read."""
        files = (place for place in self.state.rglob("*") if not place.is_symlink() and place.is_file())
        return b"".join(place.read_bytes() for place in files if place.stat().st_uid == OWNER)


@pytest.fixture
def site() -> Iterator[Site]:
    assert os.geteuid() == 0, "needs root: run the tests as root, or in a user namespace that maps users"
    base = Path(tempfile.mkdtemp(prefix="owner-"))
    base.chmod(0o755)
    made = Site(base / "top", base / "top" / "state", base / "roots")
    for place in (made.top, made.state):
        place.mkdir(mode=0o700)
        os.chown(place, OWNER, GROUP)
    made.roots.mkdir(mode=0o755)
    key = ec.generate_private_key(ec.SECP256R1())
    made.key.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    backend = ec.generate_private_key(ec.SECP256R1()).public_key()
    made.public.write_bytes(backend.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    for name in ("addresses", "device-id", "event-log-key", "precious"):
        (made.roots / name).write_bytes(b"root's own " + name.encode())
    for file in made.roots.iterdir():
        file.chmod(0o600)
    yield made
    shutil.rmtree(base)


def test_what_root_makes_is_the_owners_and_what_the_operator_names_is_read(site):
    done = site.readerd("provision", "--signature-key", site.public)
    assert done.returncode == 0, done.stderr
    assert {place.lstat().st_uid for place in site.state.rglob("*")} == {OWNER}
    assert {place.lstat().st_gid for place in site.state.rglob("*")} == {GROUP}
    assert site.readerd("reset", "--yes").returncode == 0
    assert os.listdir(site.state) == ["readerd.lock"]


def test_a_missing_directory_is_made_for_whom_the_one_above_belongs_to(site):
    state = site.top / "another"
    assert site.readerd("provision", state=state).returncode == 0
    assert (state.stat().st_uid, state.stat().st_gid, state.stat().st_mode & 0o777) == (OWNER, GROUP, 0o700)


def test_a_link_in_a_keys_place_is_not_read(site):
    assert site.readerd("provision").returncode == 0
    before = _tree(site.roots)
    link = site.identity / "terminal-key.pem"
    link.unlink()
    link.symlink_to(site.key)
    done = site.readerd("provision", "--add-signature-key", site.public)
    assert done.returncode == 1 and "symbolic link" in done.stderr
    assert site.key.read_bytes() not in site.octets
    assert _tree(site.roots) == before


@pytest.mark.parametrize("command", [("provision", "--force-new-identity"), ("reset", "--yes")])
@pytest.mark.parametrize(
    "name",
    ["readerd.lock", "identity", "identity.new", "reset-unfinished.new", "addresses", "event-log-key", "device-id"],
)
def test_a_link_that_was_planted_leads_nowhere(site, name, command):
    assert site.readerd("provision").returncode == 0
    before = _tree(site.roots)
    site.plant(name, site.roots if name.startswith("identity") else site.roots / "precious")
    site.readerd(*command)
    assert _tree(site.roots) == before


@pytest.mark.parametrize("name", ["readerd.lock", "addresses", "event-log-key", "device-id", "events.db"])
def test_a_second_name_of_roots_file_changes_nothing(site, name):
    before = _tree(site.roots)
    os.link(site.roots / "precious", site.state / name)
    for command in [("provision",), ("self-test", "--only", "keys,disk"), ("events", "--verify")]:
        site.readerd(*command)
    done = site.readerd("reset", "--yes")
    assert done.returncode == 1 and "Permission denied" in done.stderr
    assert _tree(site.roots) == before


def test_a_directory_in_whose_place_a_link_was_put_is_not_entered(site):
    before = _tree(site.roots)
    shutil.rmtree(site.state)
    site.state.symlink_to(site.roots)
    os.lchown(site.state, OWNER, GROUP)
    for command in [("provision",), ("self-test",), ("events",), ("reset", "--yes"), ("run",)]:
        done = site.readerd(*command)
        assert f"is a link of user {OWNER}, not followed by root" in done.stderr + done.stdout, command
    # Nor one further up.
    elsewhere = site.top / "way"
    elsewhere.symlink_to(site.roots.parent)
    os.lchown(elsewhere, OWNER, GROUP)
    assert site.readerd("provision", state=elsewhere / "roots").returncode == 1
    assert _tree(site.roots) == before


def test_a_link_of_roots_own_is_followed(site):
    link = site.roots / "state"
    link.symlink_to(site.state)
    assert site.readerd("provision", state=link).returncode == 0
    assert {place.lstat().st_uid for place in site.state.rglob("*")} == {OWNER}


RACER = """
import os, sys
state, target = sys.argv[1:]
os.chdir(state)
print("ready", flush=True)
def swap(name, other):
    try:
        os.rename(name, other)
    except OSError:
        pass
while True:
    for name in os.listdir("."):
        if name.startswith("identity-") and len(name) == 17:
            try:
                os.symlink(target, name + "~")
            except OSError:
                pass
            # The directory aside and the link in its place; and back.
            swap(name, name + "~~")
            swap(name + "~", name)
            swap(name, name + "~")
            swap(name + "~~", name)
"""
"""Each new directory of an identity is a directory and a link to root's files, in turn."""


@pytest.mark.parametrize("command", [("provision", "--force-new-identity"), ("reset", "--yes")])
@pytest.mark.seconds(120)
def test_a_race_with_the_owner_does_root_no_harm(site, command):
    before = _tree(site.roots)
    for _ in range(ROUNDS):
        shutil.rmtree(site.state)
        site.state.mkdir(mode=0o700)
        os.chown(site.state, OWNER, GROUP)
        assert site.readerd("provision").returncode == 0
        racer = subprocess.Popen(
            ["python3", "-c", RACER, site.state, site.roots], user=OWNER, group=GROUP, extra_groups=[],
            stdout=subprocess.PIPE,
        )  # fmt: skip
        try:
            racer.stdout.readline()
            site.readerd(*command)
        finally:
            racer.kill()
            racer.communicate()
        assert _tree(site.roots) == before
        assert site.key.read_bytes() not in site.octets


def _fifo(place: Path, _) -> None:
    os.mkfifo(place, 0o600)


def _socket(place: Path, _) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        # A socket's path has at most 107 octets.
        made.bind(f"/proc/self/fd/{(directory := os.open(place.parent, os.O_PATH))}/{place.name}")
        os.close(directory)


def _directory(place: Path, _) -> None:
    place.mkdir()


def _link(place: Path, site: Site) -> None:
    place.symlink_to(site.roots / "precious")


def _link_to_a_fifo(place: Path, site: Site) -> None:
    os.mkfifo(site.top / "fifo", 0o600)
    os.chown(site.top / "fifo", OWNER, GROUP)
    place.symlink_to(site.top / "fifo")


@pytest.mark.thorough("SystemTests open each kind of file")
@pytest.mark.seconds(180)
@pytest.mark.parametrize("make", [_fifo, _socket, _directory, _link, _link_to_a_fifo])
def test_other_things_in_a_files_place_hold_root_up_nowhere(site, make):
    """Opening a FIFO waits for its other end, which the owner never opens."""
    assert site.readerd("provision", "--signature-key", site.public).returncode == 0
    # A log and a policy: of a reader that has run, and was stopped.
    configuration = site.top / "readerd.toml"
    configuration.touch(mode=0o644)
    run = [binary(), "run", "--hci", f"unix:{site.top}/none", "--state", site.state, "--config", configuration]
    run += ["--control", site.top / "control"]
    with subprocess.Popen(run) as process:
        deadline = time.monotonic() + RECORDED_SECONDS * 4
        while not (site.state / "events.db").exists() or not list(site.state.glob("policy*")):
            assert time.monotonic() < deadline, os.listdir(site.state)
            time.sleep(POLL_SECONDS)
        process.terminate()
        assert process.wait(20) == 0
    names = sorted(place.name for place in site.state.iterdir() if place.is_file() and not place.is_symlink())
    names += ["events.db-wal", "events.db-shm", "events.db-journal", "identity"]
    before = _tree(site.roots)
    kept = site.top / "kept"
    for name in names:
        shutil.rmtree(kept, ignore_errors=True)
        subprocess.run(["cp", "--archive", site.state, kept], check=True)
        place = kept / name
        if place.is_symlink() or place.exists():
            place.unlink()
        make(place, site)
        os.lchown(place, OWNER, GROUP)
        for command in (
            ("events",),
            ("events", "--verify"),
            ("events", "--export", site.roots / "out"),
            ("policy", "show"),
            ("self-test", "--only", "keys,disk"),
            ("check-update", "9.9.9"),
            ("provision",),
            ("reset", "--yes"),
        ):
            # It ends, and without a signal: the time limit of `readerd` is an error.
            done = site.readerd(*command, state=kept)
            assert 0 <= done.returncode <= 2, (name, command, done.returncode)
        (site.roots / "out").unlink(missing_ok=True)
        (site.top / "fifo").unlink(missing_ok=True)
    assert _tree(site.roots) == before


async def test_the_reader_itself_is_the_owner_with_no_right_but_that_to_the_adapter(tmp_path):
    assert os.geteuid() == 0, "needs root"

    def give(state: Path) -> None:
        state.mkdir(mode=0o700)
        for place in (state.parent, state):
            os.chown(place, OWNER, GROUP)

    async with Bench(prepare=give) as bench:
        link = await bench.ready()
        await link.run("PING")
        process = Path(f"/proc/{bench.reader.child.pid}")
        status = dict(line.split(":\t", 1) for line in (process / "status").read_text().splitlines() if ":\t" in line)
        assert status["Uid"].split() == [str(OWNER)] * 4
        assert status["Gid"].split() == [str(GROUP)] * 4
        assert status["Groups"].split() == []
        assert int(status["CapEff"], 16) == int(status["CapPrm"], 16) == NET_ADMIN
        assert int(status["CapInh"], 16) == int(status["CapAmb"], 16) == 0
        # A process whose memory is closed has its files in /proc owned by root (proc(5)).
        assert (process / "mem").stat().st_uid == 0
        assert "Max core file size        0                    0 " in (process / "limits").read_text()
        assert {place.lstat().st_uid for place in bench.state.rglob("*")} == {OWNER}
        # The record of a command that opens nothing follows its answer.

        async def is_recorded() -> bool:
            return '"PING"' in (await Operator(bench).events("--json")).output

        await until("the record", is_recorded)
        # The log goes where root may write, and the owner may not.
        out = tmp_path / "events.json"
        assert (await Operator(bench).events("--export", str(out))).code == 0
        assert out.stat().st_uid == 0 and b'"PING"' in out.read_bytes()
        assert {place.lstat().st_uid for place in bench.state.rglob("*")} == {OWNER}
