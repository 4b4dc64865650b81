# SPDX-License-Identifier: Apache-2.0
"""The state directory on a volume whose key is not on the card: the commands of docs/operate/sealed-state.md."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from cryptography.hazmat.primitives import serialization

from bench import Bench, case
from machine import ROOT, Disk
from package.case import debian, package
from page import hand_in
from rig.page_blocks import commands

WAYS = ("tpm", "stick")
DISK_OCTETS = 32 << 20
"""Half of the page's requirement, which leaves 16 MB: each of them is deciphered in the machine."""
STICK_OCTETS = 8 << 20
CREDENTIAL = b"CRED000001"
"""The one in event-writer's events."""
SECONDS = 300


def make_disk(path: Path, octets: int) -> Path:
    """An empty one."""
    with path.open("wb") as disk:
        disk.truncate(octets)
    return path


def secrets(directory: Path, way: str) -> dict[str, bytes]:
    """The secrets that must not be found on the card, as stored in the files of the volume."""
    return {
        "the terminal key": (directory / f"{way}.private").read_bytes(),
        "the log's key": (directory / f"{way}.log-key").read_bytes(),
        "a credential's identifier": CREDENTIAL,
    }


def key_octets(directory: Path, way: str) -> dict[str, bytes]:
    """The terminal key without its PEM."""
    key = serialization.load_pem_private_key((directory / f"{way}.private").read_bytes(), None)
    der, kind, no = serialization.Encoding.DER, serialization.PrivateFormat, serialization.NoEncryption()
    return {
        "the terminal key in DER": key.private_bytes(der, kind.TraditionalOpenSSL, no),
        "the terminal key's number": key.private_numbers().private_value.to_bytes(32, "big"),
    }


def found(image: Path, wanted: dict[str, bytes]) -> list[str]:
    """Those secrets that are found in the image."""
    octets = image.read_bytes()
    return [name for name, secret in wanted.items() if secret in octets]


def make_signature_key(directory: Path) -> None:
    """The public half of a backend's key, signature-key.pem."""
    private = ["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]
    made = subprocess.run(private, check=True, capture_output=True).stdout
    public = ["openssl", "pkey", "-pubout", "-out", str(directory / "signature-key.pem")]
    subprocess.run(public, input=made, check=True, capture_output=True)


def sections() -> dict[str, list[str]]:
    """The commands of the page."""
    return {
        "volume": commands("sealed-state.md", "## The volume"),
        "tpm": commands("sealed-state.md", "### With a TPM"),
        "stick": commands("sealed-state.md", "### With a key on another medium"),
        "directory": commands("sealed-state.md", "## The directory"),
    }


def boot(bench: Bench, name: str, disks: list[Path], tpm: Path, kept: Path | None = None) -> Path:
    """A board with these disks, from its start to its end; its /out. `kept` is the previous board's."""
    machine = bench.machine(name, memory=1024, disks=[Disk(disk) for disk in disks], system=debian(), tpm=tpm)
    hand_in(machine, sections())
    make_signature_key(machine.directory)
    for way in WAYS if kept else ():
        for kind in "tar", "public":
            shutil.copy(kept / f"{way}.{kind}", machine.directory)
    script = (ROOT / f"Tests/Kernel/sealed/{name}.sh").read_text()
    result = machine.run(script, SECONDS, {"PACKAGE": f"/host{package()}"})
    bench.report(machine)
    bench.require(f"{name}: the script runs to its end", result.code == 0, machine.tail() if result.code else "")
    return machine.directory


@case("sealed-state", seconds=3 * SECONDS)
def sealed_state(bench: Bench) -> None:
    """docs/operate/sealed-state.md unchanged: the card reports nothing, and opens with its TPM or its stick alone."""
    cards = [make_disk(bench.directory / f"{way}.card", DISK_OCTETS) for way in WAYS]
    stick = make_disk(bench.directory / "stick", STICK_OCTETS)
    tpm, another = bench.directory / "its-tpm", bench.directory / "another-tpm"
    sealed = boot(bench, "seal", [*cards, stick], tpm)
    for way, card in zip(WAYS, cards, strict=True):
        wanted = secrets(sealed, way)
        inside = found(sealed / f"{way}.opened", wanted)
        bench.check(f"{way}: what is looked for is in the opened volume", inside == list(wanted), inside)
        on_card = found(card, {**wanted, **key_octets(sealed, way)})
        bench.check(f"{way}: and none of it on the card", not on_card, on_card)
    stolen = [Path(shutil.copy(card, card.with_suffix(".stolen"))) for card in cards]
    boot(bench, "again", [*cards, stick], tpm, sealed)
    boot(bench, "thief", stolen, another, sealed)
