# SPDX-License-Identifier: Apache-2.0
"""An app for an action camera (docs/emulators/bandit.md); and the code of a Matter device."""

import json
import urllib.error
import urllib.request

import pytest
from pytest_readerlab import faults


def get(camera, resource: str) -> dict:
    """The app's request."""
    with urllib.request.urlopen(f"http://{camera.address}/api/2/{resource}", timeout=10) as answer:
        return json.load(answer)


def test_the_status_is_read(action_camera):
    assert "battery_level_pct" in get(action_camera, "status")


@faults("action_camera", "status status 503")
def test_a_busy_camera_is_reported(action_camera):
    with pytest.raises(urllib.error.HTTPError, match="503"):
        get(action_camera, "status")


def test_wrong_app_that_asks_for_no_resource(action_camera):
    with pytest.raises(urllib.error.HTTPError, match="404"):
        get(action_camera, "video")


def test_a_matter_device_is_found_by_its_code(matter_device, phone):
    assert matter_device.facts["qr"].startswith("MT:")
    link = phone.connect(phone.find(service="FFF6"))
    assert link.characteristic("18EE2EF5-263D-4559-959F-4F9C429F9D11")
    link.disconnect()
