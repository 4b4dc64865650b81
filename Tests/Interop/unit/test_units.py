# SPDX-License-Identifier: Apache-2.0
"""The restrictions of the packages' units for their programs."""

import re

import pytest

from rig.reader import ROOT

UNITS = sorted((ROOT / "packaging/systemd").glob("*.service"))
SECRETS = ["readerd.service", "readerd-link.service", "readerd-matter.service", "readerd-adapter@.service"]
"""Units of programs whose memory holds keys, or rights."""


def settings(unit, name):
    """The values of a setting, in order."""
    return re.findall(rf"^{name}=(.*)$", unit.read_text(), re.MULTILINE)


def test_the_units_are_found():
    assert set(SECRETS) <= {unit.name for unit in UNITS}


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_every_program_has_its_backtracer_off(unit):
    assert "SWIFT_BACKTRACE=enable=no" in settings(unit, "Environment")
    assert settings(unit, "LimitCORE") == ["0"]


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_only_what_takes_the_adapter_has_a_capability(unit):
    takes = unit.name == "readerd-adapter@.service"
    assert settings(unit, "CapabilityBoundingSet") == (["CAP_NET_ADMIN"] if takes else [""])
    assert settings(unit, "AmbientCapabilities") in ([["CAP_NET_ADMIN"]] if takes else [[""], []])
    assert ("AF_BLUETOOTH" in settings(unit, "RestrictAddressFamilies")[0]) is takes


def test_the_socket_is_the_readers():
    socket = ROOT / "packaging/systemd/readerd-adapter.socket"
    assert settings(socket, "SocketMode") == ["0600"]
    assert settings(socket, "SocketUser") == ["readerd"]
    source = (ROOT / "Sources/readerd/Adapter/AdapterCommand.swift").read_text()
    assert f'static let socket = "{settings(socket, "ListenStream")[0]}"' in source


def test_packages_and_layer_have_the_units():
    recipe = (ROOT / "yocto/meta-readerd/recipes-connectivity/readerd/readerd_0.1.0.bb").read_text()
    package = (ROOT / "packaging/debian/readerd.install").read_text()
    for name in "readerd-adapter.socket", "readerd-adapter@.service":
        assert f"packaging/systemd/{name}" in recipe
        assert f"${{systemd_system_unitdir}}/{name}" in recipe
        assert f"stage/{name} lib/systemd/system" in package
