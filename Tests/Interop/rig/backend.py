# SPDX-License-Identifier: Apache-2.0
"""`readerd provision` and `readerlab credentials`: an identity for a reader, and a bundle for its phone."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from rig import emulation, reader

CREDENTIAL = "ALICE00001"
UNTIL = ["--to", "2090-12-31"]
KINDS = {
    "command": ["token", "command", "--from", "2020-01-01", *UNTIL],
    "oss-so": ["token", "oss-so", "--door", "7 mon-sun 00:00-24:00", "--opens", "extended", *UNTIL],
    "oss-sid": ["token", "oss-sid"],
}


def run(*arguments: object, keep: Path | None = None) -> None:
    """One of the two programs; what it prints is kept in a file."""
    name, *rest = map(str, arguments)
    program = {"readerd": reader.binary, "readerlab": emulation.binary}[name]()
    done = subprocess.run([program, *rest], check=True, capture_output=True, timeout=30)
    if keep:
        keep.write_bytes(done.stdout)


def provision(state: Path, name: str, kind: str) -> dict:
    """Gives the reader an identity, as docs/operate/provisioning.md has it; the phone's bundle."""
    files = state.parent
    site, record, key = files / "site.json", files / f"{name}.json", files / f"{name}.pem"
    token, bundle = files / f"{name}.token", files / "phone.json"
    if not site.exists():
        run("readerlab", "credentials", "site", "new", "--site", site, "--id", 1)
    run("readerd", "provision", "--state", state, "--site-id", 1, "--door-id", 7, "--json", keep=record)
    run("readerlab", *("credentials", "reader", "add", name, "--site", site, "--public-key", record), keep=key)
    run("readerd", "provision", "--state", state, "--add-signature-key", key)
    wanted = ["--site", site, "--reader", name, "--credential", CREDENTIAL, "--out", token]
    run("readerlab", "credentials", *KINDS[kind], *wanted)
    bundle.unlink(missing_ok=True)  # Of another reader of this site.
    run("readerlab", "credentials", "phone-bundle", "--site", site, "--token", token, "--out", bundle)
    return json.loads(bundle.read_text())
