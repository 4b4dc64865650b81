# SPDX-License-Identifier: Apache-2.0
"""Home Assistant's own schemas on a discovery message: its topic is the argument, its octets are standard input.

    .cache/home-assistant/python Tests/Interop/home/schemas.py homeassistant/device/ID/config

Runs on Home Assistant's Python, with the wheel of Home Assistant (`install`). It goes the way of Home Assistant's
`async_discovery_message_received`: topic, abbreviations, DEVICE_DISCOVERY_SCHEMA, then DISCOVERY_SCHEMA of each
component with the shared options. Prints the platform of each component, one a line; a refusal goes to standard error,
with exit code 1.
"""

from __future__ import annotations

import asyncio
import sys
from importlib import import_module
from unittest import mock

# The library of a cloud service, with forty packages: `helpers.network` imports it, and no schema of MQTT uses it.
sys.modules["hass_nabucasa"] = mock.MagicMock()

import voluptuous as vol  # noqa: E402
from homeassistant.components.mqtt import discovery  # noqa: E402
from homeassistant.core import HomeAssistant  # noqa: E402

PREFIX = "homeassistant/"


def refused(text: str) -> SystemExit:
    """The end for a message that Home Assistant does not take."""
    print(f"refused: {text}", file=sys.stderr)
    return SystemExit(1)


async def platforms(topic: str, payload: str) -> list[str]:
    """The platform of each component of the device, in order."""
    # Templates are checked by the instance that there is.
    hass = HomeAssistant("/nonexistent")
    try:
        return await checked(hass, topic, payload)
    finally:
        await hass.async_stop(force=True)


async def checked(hass: HomeAssistant, topic: str, payload: str) -> list[str]:
    """The same, with the instance."""
    match = discovery.TOPIC_MATCHER.match(topic.removeprefix(PREFIX)) if topic.startswith(PREFIX) else None
    if not match or match["component"] != "device":
        raise refused(f"{topic} is no topic of a device")
    try:
        device = discovery.MQTTDiscoveryPayload(discovery.json_loads_object(payload))
        discovery._replace_all_abbreviations(device)
        discovery.DEVICE_DISCOVERY_SCHEMA(device)
    except (ValueError, vol.Invalid) as error:
        raise refused(f"device: {error}") from error
    found = []
    for name, component in device["components"].items():
        component = discovery.MQTTDiscoveryPayload(component)
        platform = component.pop("platform")
        component["device"], component["origin"] = device["device"], device["origin"]
        discovery._merge_common_device_options(component, device)
        module = import_module(f"homeassistant.components.mqtt.{platform}")
        try:
            module.DISCOVERY_SCHEMA(component)
        except vol.Invalid as error:
            raise refused(f"{name} ({platform}): {error}") from error
        found.append(platform)
    return found


if __name__ == "__main__":
    print("\n".join(asyncio.run(platforms(sys.argv[1], sys.stdin.read()))))
