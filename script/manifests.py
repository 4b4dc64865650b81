# SPDX-License-Identifier: Apache-2.0
"""The packages of the repository and their targets, as their manifests declare them.

SwiftPM reads a manifest (`swift package dump-package`) but knows neither layers nor purposes: those are the arguments
of the manifest's own functions, `library(.layer, "Name", "purpose", …)`, `face("Name", "purpose")` for C and
`program("Name", "purpose", …)`.
"""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SCRATCH = ROOT / ".build-layers"
"""A separate directory: a build that is under way locks its own."""

LAYERS = re.compile(r"^enum Layer \{ case ([\w, ]+) \}$", re.MULTILINE)
DECLARATION = re.compile(r'\b(library|\w*[fF]ace|program)\(\s*(?:\.(\w+),\s*)?"([^"]+)",\s*"([^"]+)"')
FACES, PROGRAMS = "system", "program"
"""The layers of C targets, which are the lowest, and of programs."""


@dataclass(frozen=True)
class Target:
    """One target. `layer` and `purpose` are empty for tests and their support."""

    name: str
    kind: str
    folder: Path
    dependencies: frozenset[str]
    libraries: frozenset[str]
    """Of the system, which it links itself."""
    layer: str = ""
    purpose: str = ""

    @property
    def is_for_tests(self) -> bool:
        return self.kind == "test" or "Tests" in self.folder.relative_to(ROOT).parts


@dataclass(frozen=True)
class Package:
    """One package. Its layers are those that it declares, lower ones first."""

    name: str
    folder: Path
    layers: list[str]
    targets: list[Target]
    products: list[dict]
    packages: list[Path]

    @property
    def place(self) -> str:
        return str(self.folder.relative_to(ROOT))


def places() -> list[Path]:
    """The folders of the packages, lower packages first."""
    listed = subprocess.run([ROOT / "script/build", "--packages"], check=True, capture_output=True, text=True).stdout
    return [ROOT / place for place in listed.split()]


def package(folder: Path) -> Package:
    """Reads one manifest."""
    command = ["swift", "package", "--package-path", str(folder), "--scratch-path", str(SCRATCH), "dump-package"]
    dump = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    text = (folder / "Package.swift").read_text()
    declared = {name: (kind, layer, purpose) for kind, layer, name, purpose in DECLARATION.findall(text)}
    layers = LAYERS.search(text)
    return Package(
        name=dump["name"],
        folder=folder,
        layers=layers[1].split(", ") if layers else [PROGRAMS],
        targets=[target(folder, entry, declared.get(entry["name"])) for entry in dump["targets"]],
        products=dump["products"],
        packages=[Path(entry["fileSystem"][0]["path"]) for entry in dump["dependencies"] if "fileSystem" in entry],
    )


def target(folder: Path, entry: dict, declared: tuple[str, str, str] | None) -> Target:
    kind, layer, purpose = declared or ("", "", "")
    place = entry.get("path") or f"{'Tests' if entry['type'] == 'test' else 'Sources'}/{entry['name']}"
    return Target(
        name=entry["name"],
        kind=entry["type"],
        folder=folder / place,
        dependencies=frozenset(next(iter(dependency.values()))[0] for dependency in entry["dependencies"]),
        libraries=frozenset(
            library
            for setting in entry.get("settings", [])
            for library in setting["kind"].get("linkedLibrary", {}).values()
        ),
        layer=layer or (PROGRAMS if kind == "program" else FACES if kind else ""),
        purpose=purpose,
    )


def packages() -> list[Package]:
    """Every package, lower ones first."""
    return [package(folder) for folder in places()]


def below(name: str, house: dict[str, Target]) -> set[str]:
    """The targets that a target may see, directly or by others."""
    seen: set[str] = set()
    names = [name]
    while names:
        new = (house[names.pop()].dependencies & house.keys()) - seen
        seen |= new
        names += new
    return seen
