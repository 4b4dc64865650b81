# SPDX-License-Identifier: Apache-2.0
"""The power goes while log, policy, reader and identity are written; what was acknowledged exists."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from cryptography.hazmat.primitives import serialization

from bench import Bench, case, program
from machine import ROOT, TIMEOUT_FACTOR, Disk, Failure, Machine
from power_cut.write_log import Cut, play

CUTS = int(os.environ.get("READERD_POWER_CUTS", 20))
BOOT_SECONDS = 60.0
"""Until a machine has looked at the disk: 6 s on two free cores."""
ACKNOWLEDGED_SECONDS = 60.0
DISK_OCTETS = 64 << 20
IDENTITY_FILES = {"device-id", "door", "serial-number", "signature-key.pem", "terminal-key.pem"}


@dataclass
class Told:
    """The records acknowledged before the cut, of all cuts together."""

    log: int = 0
    ring: int = 0
    reader: int = 0
    policy: int = 0
    """The number of revoked credentials."""
    keys: list[str] = field(default_factory=list)
    """Public terminal keys, the newest last."""

    def take(self, machine: Machine) -> None:
        """Adds the machine's report."""
        self.log = max(self.log, last_number(machine.directory / "told-log"))
        self.ring = max(self.ring, last_number(machine.directory / "told-ring"))
        self.policy = max(self.policy, last_number(machine.directory / "told-policy"))
        # A line without its end was cut off.
        for line in machine.file("told-reader").split("\n")[:-1]:
            self.reader = max(self.reader, int(line))
        for line in machine.file("told-identity").split("\n")[:-1]:
            self.keys.append(json.loads(line)["terminal-public-key"])


def last_number(path: Path) -> int:
    """The newest of the numbers reported by event-writer, 8 octets each; 0 if there is none."""
    octets = path.read_bytes() if path.exists() else b""
    whole = len(octets) // 8 * 8
    return int.from_bytes(octets[whole - 8 : whole], "little") if whole else 0


def make_disk(directory: Path) -> tuple[Path, str]:
    """A disk with a file system and an identity; its image, and the identity's key."""
    files, image, key = directory / "files", directory / "disk", directory / "signature-key.pem"
    files.mkdir()
    private = ["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]
    made = subprocess.run(private, check=True, capture_output=True).stdout
    subprocess.run(["openssl", "pkey", "-pubout", "-out", str(key)], input=made, check=True, capture_output=True)
    identity = [str(program("readerd")), "provision", "--state", str(files / "identity"), "--json"]
    settings = ["--site-id", "1", "--door-id", "7", "--signature-key", str(key)]
    said = subprocess.run([*identity, *settings], check=True, capture_output=True).stdout
    # The key that event-writer has.
    for log in "log", "ring", "policy":
        (files / log).mkdir(mode=0o700)
        (files / log / "event-log-key").touch(mode=0o600)
        (files / log / "event-log-key").write_bytes(bytes([7] * 32))
    with image.open("wb") as disk:
        disk.truncate(DISK_OCTETS)
    make = ["/sbin/mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0", "-d", str(files)]
    subprocess.run([*make, str(image)], check=True)
    return image, json.loads(said)["terminal-public-key"]


def boot(bench: Bench, name: str, image: Path, log: Path | None, **environment: str) -> Machine:
    """A machine that has read the disk."""
    machine = bench.machine(name, disks=[Disk(image, log)])
    machine.directory.mkdir()
    programs = {"READERD": str(program("readerd")), "EVENT_WRITER": str(program("event-writer"))}
    script = (ROOT / "Tests/Kernel/power_cut/guest.sh").read_text()
    machine.start(script, {**programs, "PYTHON": sys.executable, **environment})
    machine.wait_for("ready", BOOT_SECONDS)
    return machine


def faults(machine: Machine, told: Told) -> list[str]:
    """The differences between the disk and the acknowledged records."""
    found = []
    for name, acknowledged in ("log", told.log), ("ring", told.ring), ("reader", told.reader):
        text = machine.file(f"verified-{name}")
        try:
            report = json.loads(text)
        except json.JSONDecodeError:
            # A log that was being begun has nothing to be verified.
            if acknowledged:
                found.append(f"{name}: {acknowledged} events acknowledged, and readerd events says: {text.strip()!r}")
            continue
        # The two others are logs without a reader, and so without a policy.
        if name == "reader" and not report["policy"]["sound"]:
            found.append(f"{name}: the policy: {report['policy']['finding']}")
        if not report["sound"]:
            found.append(f"{name}: not sound: {report['findings']}")
        if report.get("last", report["dropped-through"]) < acknowledged:
            found.append(f"{name}: event {acknowledged} was acknowledged, the log ends with {report.get('last')}")
    return found + policy_faults(machine, told) + identity_faults(machine.directory / "identity", told)


def policy_faults(machine: Machine, told: Told) -> list[str]:
    """The faults of the policy: it has to be valid, and revoked credentials have to be revoked still."""
    if not told.policy:
        # A policy that was being begun does not count yet.
        return []
    text = machine.file("shown-policy")
    try:
        report = json.loads(text)
    except json.JSONDecodeError:
        return [f"policy: {told.policy} were called back, and readerd policy says: {text.strip()!r}"]
    if not report["sound"]:
        return [f"policy: not sound: {report['finding']}"]
    if report["blacklist"] < told.policy:
        return [f"policy: {told.policy} were called back, and {report['blacklist']} are so still"]
    return []


def identity_faults(directory: Path, told: Told) -> list[str]:
    """The faults of the identity: it has to be complete, and the newest one reported or the next."""
    try:
        files = {path.name: path for path in (directory / "identity").iterdir()}
        if not files.keys() >= IDENTITY_FILES:
            return [f"identity: {sorted(IDENTITY_FILES - files.keys())} missing"]
        if exposed := [path.name for path in files.values() if path.stat().st_mode & 0o777 != 0o600]:
            return [f"identity: {exposed} not for the owner alone"]
        private = serialization.load_pem_private_key(files["terminal-key.pem"].read_bytes(), None)
    except (OSError, ValueError) as error:
        return [f"identity: {error}"]
    kind = serialization.PublicFormat.SubjectPublicKeyInfo
    public = private.public_key().public_bytes(serialization.Encoding.PEM, kind).decode()
    if public in told.keys[:-1]:
        return ["identity: an earlier key than the one that was acknowledged"]
    return []


INSTANTS = (
    *(("told-reader", 6), ("told-policy", 20), ("told-identity", 3), ("told-policy", 3)),
    *(("", 0), ("told-policy", 40), ("told-ring", 60), ("told-log", 60)),
)
"""In turn: after so many acknowledgements at most, or while all of it begins."""


def wait_for_instant(machine: Machine, chance: random.Random, kind: tuple[str, int]) -> str:
    """Waits until the power is to go; when that was."""
    name, most = kind
    octets = chance.randint(1, most) * (8 if name in ("told-log", "told-ring", "told-policy") else 1) if name else 0
    deadline = time.monotonic() + ACKNOWLEDGED_SECONDS * TIMEOUT_FACTOR
    path = machine.directory / name
    while name and (not path.exists() or path.stat().st_size < octets):
        if time.monotonic() > deadline or not machine.is_running:
            raise Failure(f"{name} has no {octets} octets in {ACKNOWLEDGED_SECONDS:g} s:\n{machine.tail('readerd')}")
        time.sleep(0.001)
    pause = chance.uniform(0, 1.5)
    time.sleep(pause)
    return f"{pause:.3f} s after {octets} octets of {name or 'nothing'}"


@case("power-cut", seconds=(CUTS + 4) * 45)
def power_cut(bench: Bench) -> None:
    """Nothing acknowledged is lost, and nothing is half-written, when the power goes at any instant."""
    chance = bench.chance
    image, key = make_disk(bench.directory)
    writes = bench.directory / "writes"
    told = Told(keys=[key])
    cuts: list[Cut] = []
    untouched = 0
    for number in range(CUTS):
        writes.write_bytes(b"")
        before = bench.directory / "disk.before"
        shutil.copy(image, before)
        machine = boot(bench, f"boot-{number}", image, writes)
        if found := faults(machine, told):
            raise Failure(f"after cut {number - 1}: " + "\n".join(found))
        former = told.log
        # The last machine has events of the log, for the disk that lies.
        kind = INSTANTS[-1] if number == CUTS - 1 else INSTANTS[number % len(INSTANTS)]
        instant = wait_for_instant(machine, chance, kind)
        machine.kill()
        told.take(machine)
        untouched += told.log == former
        # QEMU has written to the image; the disk that lost its cache is made from its previous contents.
        shutil.copy(before, image)
        cuts.append(play(image, writes, chance))
        with (bench.directory / "cuts").open("a") as notes:
            notes.write(
                f"{number}: {instant}: {cuts[-1]}, told {told.log}, {told.ring}, {told.policy}, {told.reader}, "
                f"{len(told.keys)} keys\n"
            )
    machine = boot(bench, "boot-last", image, None, CHECK_ONLY="yes")
    found = faults(machine, told)
    machine.wait(BOOT_SECONDS)
    bench.check(
        f"{CUTS} cuts, and after each the logs and the policy are sound and the identity is whole",
        not found,
        "; ".join(found),
    )
    bench.check(
        "the cuts were in the middle of writing",
        min(told.log, told.ring, told.policy) > CUTS and told.reader > 1 and len(told.keys) > 1,
        f"acknowledged: {told.log} events of the log, {told.ring} of the ring, {told.policy} called back, "
        f"{told.reader} of the reader, "
        f"{len(told.keys) - 1} new keys; {sum(cut.unsafe for cut in cuts)} writes not flushed when the power went, "
        f"{sum(cut.lost for cut in cuts)} of them lost; {untouched} cuts before the first event",
    )
    lying_disk(bench, before, writes, image, told)


def lying_disk(bench: Bench, before: Path, writes: Path, image: Path, told: Told) -> None:
    """That the test can fail: a disk that says it has flushed, and has not, is found out."""
    shutil.copy(before, image)
    cut = play(image, writes, bench.chance, up_to_flush=0)
    machine = boot(bench, "boot-lying", image, None, CHECK_ONLY="yes")
    found = faults(machine, told)
    machine.wait(BOOT_SECONDS)
    bench.check(
        f"a disk that lies about {cut.flushes} flushes of the last run is found out", bool(found), "; ".join(found)
    )
