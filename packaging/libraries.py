# SPDX-License-Identifier: Apache-2.0
"""The shared libraries that a program of this machine is linked with, and their licences."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

GLIBC = re.compile(r"(ld-linux.*|lib(c|m|dl|pthread|rt|resolv|util|anl)\.so\.\d+)$")
"""The libraries of glibc, which come together and only with their loader."""
NEEDED = re.compile(rb"GLIBC_2\.(\d+)\b")


def libraries(program: Path) -> dict[str, Path]:
    """The libraries by the names that the loader looks for, the loader itself with them."""
    said = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    found = {}
    for line in said.splitlines():
        name, _, place = line.strip().partition(" => ")
        path = (place or name).partition(" ")[0]
        if path == "not":
            raise SystemExit(f"{program}: the library {name} is not installed")
        if path.startswith("/"):
            found[Path(path).name] = Path(path).resolve()
    return dict(sorted(found.items()))


def is_glibc(name: str) -> bool:
    """True for a library that every Linux with glibc has."""
    return GLIBC.match(name) is not None


def glibc_minor(files: list[Path]) -> int:
    """The least N of the glibc 2.N that has all symbols of these files."""
    return max(int(minor) for file in files for minor in NEEDED.findall(file.read_bytes()))


def licences(files: list[Path]) -> dict[str, Path]:
    """The copyright files of the Debian packages that these files are of, by package."""
    found = {}
    for file in files:
        # The package may name the path before the merge of /usr.
        candidates = [str(file), str(file).removeprefix("/usr")]
        for candidate in candidates:
            done = subprocess.run(["dpkg", "--search", candidate], capture_output=True, text=True, check=False)
            if done.returncode == 0:
                package = done.stdout.partition(":")[0]
                found[package] = Path("/usr/share/doc", package, "copyright")
                break
        else:
            raise SystemExit(f"no Debian package has {file}")
    return dict(sorted(found.items()))
