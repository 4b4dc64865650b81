# SPDX-License-Identifier: Apache-2.0
"""Jenkins' schema of JUnit reports, junit-10.xsd of its xunit plugin, as pytest's source package ships it."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tarfile
import tempfile
from importlib.metadata import version
from pathlib import Path

from lxml import etree

PLACE = Path(__file__).resolve().parents[3] / ".cache" / "junit"
NAME = "junit-10.xsd"
DIGEST = "a1a816f58d1bf95ebabf371994df0b9246dee66ea9572fbec4f9296f1b2c0ff6"
"""Of the file. A package without it, or with another one, fails the test."""


def schema() -> etree.XMLSchema:
    """The schema; fetched once, with the pytest that runs this. Raises CalledProcessError, KeyError or ValueError."""
    path = PLACE / NAME
    if not path.exists():
        _fetch(path)
    if hashlib.sha256(path.read_bytes()).hexdigest() != DIGEST:
        raise ValueError(f"{path} is another schema: remove it, and compare the schema in pytest's sources")
    return etree.XMLSchema(etree.parse(path))


def _fetch(path: Path) -> None:
    with tempfile.TemporaryDirectory() as directory:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:"]
        subprocess.run([*command, "--dest", directory, f"pytest=={version('pytest')}"], check=True)
        package = next(Path(directory).glob("pytest-*.tar.gz"))
        with tarfile.open(package) as archive:
            member = next(one for one in archive if one.name.endswith(f"/example_scripts/{NAME}"))
            octets = archive.extractfile(member).read()
    PLACE.mkdir(parents=True, exist_ok=True)
    # Whole or not at all: tests run at once.
    with tempfile.NamedTemporaryFile(dir=PLACE, delete=False) as file:
        file.write(octets)
    Path(file.name).replace(path)
