# SPDX-License-Identifier: Apache-2.0
"""An app that gives a camera its network (docs/emulators/smarter-ai.md)."""

import struct

import pytest
from pytest_readerlab import Setup, faults

CLOSING, FAILED = 1307, (203, 303, 503)


def onboard(phone, camera, network: str, passphrase: str) -> list[int]:
    """The app: the states of the camera up to the last one."""
    link = phone.connect(phone.find(name=camera.name))
    values, states = link.subscribe(camera.facts["characteristic"]), []
    link.write(camera.facts["write"], f"{network}\n{passphrase}\nann\ntoken\n".encode())
    while not states or states[-1] not in (CLOSING, *FAILED):
        states.append(struct.unpack_from("<i", values.next())[0])
    if states[-1] != CLOSING:
        link.disconnect()
    return states


def test_a_camera_is_onboarded(camera, phone):
    assert onboard(phone, camera, "Home", "correct horse")[-1] == CLOSING


def test_a_wrong_passphrase_is_reported(camera, phone):
    assert onboard(phone, camera, "Home", "wrong horse")[-1] == 303


@pytest.mark.parametrize("camera", [Setup("--pairing", "fail")], indirect=True)
def test_a_token_that_the_server_refuses_is_reported(camera, phone):
    assert onboard(phone, camera, "Home", "correct horse")[-1] == 503


@faults("camera", "drop parsing-succeeded", "delay wifi-succeeded 500", "duplicate onboarded")
def test_a_signal_that_is_lost_late_or_twice_does_no_harm(camera, phone):
    assert onboard(phone, camera, "Home", "correct horse")[-1] == CLOSING


def test_wrong_app_that_does_not_subscribe(camera, phone):
    link = phone.connect(camera)
    link.write(camera.facts["write"], b"Home\ncorrect horse\nann\ntoken\n", response=False)
    camera.wait("finding")
