# SPDX-License-Identifier: Apache-2.0
"""An example for labgrid: `pytest --lg-env bench.yaml example_reader.py`, with the lines of a real reader.

LG_PULSE_SECONDS is the reader's pulse, as its door.pulse-s; 5 if not given.
"""

import os
import time

import pytest
import requests

PULSE_SECONDS = float(os.environ.get("LG_PULSE_SECONDS", "5"))
REACTION_SECONDS = 0.5
"""From the button to the lock, with the time in which the reader waits for it to stop bouncing."""
TOLERANCE_SECONDS = 0.1
EDGE_SECONDS = PULSE_SECONDS + 10.0


def edges(pin, after):
    """The edges of a pin behind that number, with the kernel's times."""
    address = f"{os.environ['LG_PINS']}/v1/gpio/{pin}/edges?token={os.environ['LG_TOKEN']}&after={after}"
    return requests.get(address, timeout=10).json()


def latest(pin):
    """The number of the latest edge; 0 for none."""
    return max((edge["number"] for edge in edges(pin, 0)), default=0)


def next_edge(pin, after):
    """The first edge behind that number, once it is present."""
    end = time.monotonic() + EDGE_SECONDS
    while not (found := edges(pin, after)):
        assert time.monotonic() < end, f"no edge of {pin}"
        time.sleep(0.05)
    return found[0]


@pytest.fixture
def pins(target):
    """The pins by name."""
    return {name: target.get_driver("DigitalOutputProtocol", name=name) for name in ("contact", "rex", "lock")}


def test_the_button_releases_the_lock_for_a_pulse(pins):
    assert pins["lock"].get() is False
    lock, rex = latest("lock"), latest("rex")
    pins["rex"].set(True)
    released = next_edge("lock", lock)
    pressed = next_edge("rex", rex)
    assert pins["lock"].get() is True
    assert 0 < released["ns"] - pressed["ns"] < REACTION_SECONDS * 1e9
    pins["rex"].set(False)
    secured = next_edge("lock", released["number"])
    let_go = next_edge("rex", pressed["number"])
    length = (secured["ns"] - let_go["ns"]) / 1e9
    assert PULSE_SECONDS - TOLERANCE_SECONDS < length < PULSE_SECONDS + REACTION_SECONDS
    assert pins["lock"].get() is False


def test_the_contact_is_driven(pins):
    pins["contact"].set(True)
    assert pins["contact"].get() is True
    pins["contact"].set(False)
    assert pins["contact"].get() is False


def test_the_lock_is_only_read(pins):
    with pytest.raises(requests.HTTPError):
        pins["lock"].set(True)
