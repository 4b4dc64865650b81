# SPDX-License-Identifier: Apache-2.0
"""Lets several CHIP controllers run side by side, and without /data: in this environment's copy of the library, the
files that it keeps in /data and /tmp become files of the working directory's `cfg`. Names of the same length; done
once, after the package is installed (`script/bootstrap`)."""

import importlib.util
import pathlib
import sys

PLACES = {b"/data/chip_": b"./cfg/chip_", b"/tmp/chip_kvs\0": b"./cfg/kvs_kvs\0"}


def main() -> None:
    """Finds the library without loading it."""
    found = importlib.util.find_spec("chip")
    if found is None or not found.submodule_search_locations:
        sys.exit("confine: no package home-assistant-chip-core in this environment")
    library = pathlib.Path(next(iter(found.submodule_search_locations))) / "_ChipDeviceCtrl.so"
    octets = library.read_bytes()
    counts = {old.decode(): octets.count(old) for old in PLACES}
    if all(new in octets for new in PLACES.values()) and not any(counts.values()):
        return
    if not all(counts.values()):
        sys.exit(f"confine: another library than the one this was made for: {counts}")
    for old, new in PLACES.items():
        octets = octets.replace(old, new)
    library.write_bytes(octets)


if __name__ == "__main__":
    main()
