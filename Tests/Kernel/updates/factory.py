# SPDX-License-Identifier: Apache-2.0
"""The parts that are made before the board of the updates is switched on: releases, bundles, its disk, and a stick."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

from bench import eventually, program
from machine import CACHE, ONE_WRITE, ROOT, Failure, kernel_directory
from package.case import package
from updates.disk import Layout, make, run

RELEASE, NEXT = "release-1", "release-2"
"""Two releases that work; the board leaves the factory with the first."""
BAD, BROKEN = "bad", "broken"
"""A bundle whose reader does not pass its self-test, and a bundle that does not even come up."""
UNSIGNED, FOREIGN, DAMAGED = "unsigned", "foreign", "damaged"
"""Bundles without a signature, with a foreign signature, and changed after signing."""
COMPATIBLE = "readerd-virt"
OLDER = "older"
"""A bundle of a version before any that has served: RAUC's pre-install handler refuses it."""
REVOKED = 40
"""Credentials in the policy, at least."""
ROOM = 1.1
"""A slot is larger than the release that the device leaves the factory with."""
KERNEL_LINE = (
    f"console=ttyS0 quiet mitigations=off nokaslr {ONE_WRITE} cryptomgr.notests notsc clocksource=hpet noapictimer "
    "systemd.show_status=no systemd.default_timeout_start_sec=300"
)
FAST = ("-noappend", "-quiet", "-no-progress", "-comp", "lzo", "-Xcompression-level", "1")
"""A file system that GRUB reads, and that a slow machine inflates quickly."""
BLOCKS = {RELEASE: "128K", NEXT: "64K", BAD: "256K", BROKEN: "64K"}
"""Releases have the same files, and hardly a sector in common: a half written slot does not count."""


def firmware_version() -> str:
    """The version of the sources."""
    text = (ROOT / "Sources/Reader/Access/AccessConfiguration.swift").read_text()
    found = re.search(r'public static let text = "(.*)"', text)
    if not found:
        raise Failure("the sources name no version")
    return found[1]


class Factory:
    """Everything, in a directory of the test's."""

    def __init__(self, directory: Path) -> None:
        self.work = directory / "factory"
        self.work.mkdir()
        self.root = self.work / "root"
        self.releases: dict[str, bytes] = {}
        self.revoked = 0
        if os.geteuid() != 0:
            raise Failure("the files of a board belong to its users: run this test as root")
        make_root = ROOT / "Tests/Kernel/updates/make-root"
        debian = CACHE / "debian-updates"
        if not debian.is_dir():
            raise Failure(f"there is no {debian}: script/bootstrap --kernel-debian makes it, as root")
        authority("own", self.work)
        authority("other", self.work)
        run(make_root, debian, kernel_directory(), package(), self.root)
        shutil.copy(self.work / "own.pem", self.root / "etc/rauc/keyring.pem")
        for name in RELEASE, NEXT, BAD, BROKEN:
            self.make_release(name)
        self.slot_octets = max(len(release) for release in self.releases.values())
        self.layout = Layout(slot=(int(self.slot_octets * ROOM) >> 20) + 1 << 20)
        self.stick = self.make_stick()
        self.disk = self.work / "disk"
        make(
            self.disk,
            self.layout,
            ROOT / "packaging/rauc/grub.cfg",
            KERNEL_LINE,
            self.work / f"{RELEASE}.img",
            self.make_data(),
        )
        shutil.rmtree(self.root)

    def make_release(self, name: str) -> None:
        """An image of the root, as that release has it."""
        (self.root / "etc/board-release").write_text(name + "\n")
        configuration, first = self.root / "etc/readerd/readerd.toml", self.root / "lib/systemd/systemd"
        kept = configuration.read_text()
        if name == BAD:
            # Top-level keys come first.
            configuration.write_text('hci = "hci-socket:7"\n' + kept)
        if name == BROKEN:
            first.rename(first.with_suffix(".away"))
        image = self.work / f"{name}.img"
        run("mksquashfs", self.root, image, *FAST, "-b", BLOCKS[name])
        if name == BROKEN:
            first.with_suffix(".away").rename(first)
        configuration.write_text(kept)
        self.releases[name] = image.read_bytes()

    def make_stick(self) -> Path:
        """A file system with the bundles, which the board mounts."""
        files = self.work / "bundles"
        files.mkdir()
        for name in self.releases:
            self.make_bundle(files / f"{name}.raucb", name, "own")
        self.make_bundle(files / f"{FOREIGN}.raucb", NEXT, "other")
        self.make_bundle(files / f"{OLDER}.raucb", OLDER, "own", image=NEXT, version="0.0.9")
        run(
            "mksquashfs",
            self.work / f"content-{NEXT}",
            files / f"{UNSIGNED}.raucb",
            "-noappend",
            "-quiet",
            "-no-progress",
        )
        octets = bytearray((files / f"{NEXT}.raucb").read_bytes())
        octets[len(octets) // 2] ^= 1
        (files / f"{DAMAGED}.raucb").write_bytes(octets)
        run(
            "mksquashfs",
            files,
            self.work / "stick",
            "-noappend",
            "-quiet",
            "-no-progress",
            "-noI",
            "-noD",
            "-noF",
            "-noX",
        )
        shutil.rmtree(files)
        return self.work / "stick"

    def make_bundle(self, bundle: Path, name: str, signer: str, image: str = "", version: str = "") -> None:
        """A bundle of the release, signed by `signer`; by default of the firmware's version."""
        content = self.work / f"content-{name}"
        if not content.exists():
            content.mkdir()
            os.link(self.work / f"{image or name}.img", content / "rootfs.img")
            (content / "manifest.raucm").write_text(
                f"[update]\ncompatible={COMPATIBLE}\nversion={version or firmware_version()}+{name}\n\n"
                "[bundle]\nformat=verity\n\n"
                "[image.rootfs]\nfilename=rootfs.img\n"
            )
        keys = ("--cert", self.work / f"{signer}.pem", "--key", self.work / f"{signer}-key.pem")
        run("rauc", "bundle", *keys, "--mksquashfs-args=-noI -noD -noF -noX", content, bundle)

    def make_data(self) -> Path:
        """Files that no slot has: an identity, and a policy with revoked credentials."""
        data = self.work / "data"
        state = data / "readerd"
        for place in state, data / "readerd-confirm", data / "rauc":
            place.mkdir(parents=True)
        state.chmod(0o700)
        key = self.work / "signature-key.pem"
        run("openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", key)
        run("openssl", "pkey", "-in", key, "-pubout", "-out", key.with_suffix(".public"))
        settings = ("--site-id", "1", "--door-id", "7", "--signature-key", key.with_suffix(".public"))
        run(program("readerd"), "provision", "--state", state, *settings)
        # The key that event-writer has.
        (state / "event-log-key").write_bytes(bytes([7] * 32))
        (state / "event-log-key").chmod(0o600)
        told = self.work / "told-policy"
        with told.open("wb") as file:
            writer = subprocess.Popen([program("event-writer"), state, "policy"], stdout=file)
            eventually(lambda: told.stat().st_size >= 8 * REVOKED, 60, f"{REVOKED} revoked credentials")
            writer.kill()
            writer.wait()
        shown = subprocess.run(
            [program("readerd"), "policy", "show", "--state", state, "--json"], check=True, capture_output=True
        )
        self.revoked = json.loads(shown.stdout)["blacklist"]
        run("chown", "--recursive", f"--reference={self.root}/var/lib/readerd", state)
        return data


def authority(name: str, directory: Path) -> None:
    """A key and its certificate, which is its own authority."""
    certificate, key = directory / f"{name}.pem", directory / f"{name}-key.pem"
    run(
        *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "3650"),
        *("-subj", f"/CN={name}", "-keyout", key, "-out", certificate),
    )
