# SPDX-License-Identifier: Apache-2.0
"""An example for labgrid: `pytest --lg-env lab.yaml example_door.py`, with the door of an emulated reader."""

import time

import pytest
import requests

BECOMES_SECONDS = 10.0
"""For what follows a pin: milliseconds where nothing else runs."""


def becomes(pin, level):
    """True once the pin has the level."""
    end = time.monotonic() + BECOMES_SECONDS
    while pin.get() != level:
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


@pytest.fixture
def pins(target):
    """The pins by name."""
    return {name: target.get_driver("DigitalOutputProtocol", name=name) for name in ("contact", "fire", "lock")}


def test_fire_releases_the_lock(pins):
    assert pins["lock"].get() is False
    pins["fire"].set(True)
    assert pins["fire"].get() is True
    assert becomes(pins["lock"], True)
    pins["fire"].set(False)
    assert becomes(pins["lock"], False)


def test_the_contact_is_a_pin(pins):
    pins["contact"].set(True)
    assert pins["contact"].get() is True
    pins["contact"].set(False)
    assert pins["contact"].get() is False


def test_the_lock_is_only_read(pins):
    with pytest.raises(requests.HTTPError):
        pins["lock"].set(True)
    assert pins["lock"].get() is False
