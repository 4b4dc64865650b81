# SPDX-License-Identifier: Apache-2.0
"""Devices on Bumble, of which captures are made: services, packets, and the values that they send."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

from bumble import hci
from bumble.core import UUID
from bumble.device import Device
from bumble.gatt import Characteristic, CharacteristicValue, Descriptor, Service
from bumble.profiles.asha import AshaService
from bumble.profiles.battery_service import BatteryService
from bumble.profiles.device_information_service import DeviceInformationService
from bumble.profiles.heart_rate_service import HeartRateService
from bumble.transport import open_transport

READ, WRITE, COMMAND = (
    Characteristic.Properties.READ,
    Characteristic.Properties.WRITE,
    Characteristic.Properties.WRITE_WITHOUT_RESPONSE,
)
NOTIFY, INDICATE = Characteristic.Properties.NOTIFY, Characteristic.Properties.INDICATE
READABLE, WRITEABLE = Characteristic.Permissions.READABLE, Characteristic.Permissions.WRITEABLE

LEVELS = bytes.fromhex("020a00")
"""Advertising data of the Bumble device: a transmit power level, for nothing but being found."""

GAP_SECONDS = 0.3
"""Between two values that a device sends."""

REPORT_MAP = bytes.fromhex(
    "05010906a1010507 19e029e7 1500 2501 7501 9508 8102 9501 7508 8103 9506 7508 1500 2565 0507 1900 2965 8100 c0"
)
"""A keyboard of eight modifiers and six keys (USB HID 1.11, appendix B.1)."""


def structures(*parts: tuple[int, bytes]) -> bytes:
    """Advertising data of these types."""
    return b"".join(bytes([len(content) + 1, kind]) + content for kind, content in parts)


FLAGS = (0x01, b"\x06")


@dataclass
class Original:
    """A device: `sends` are the values of a characteristic, one after the other from its subscription."""

    services: list[Service]
    advertising: bytes
    scan_response: bytes = b""
    sends: list[tuple[Characteristic, list[bytes]]] = field(default_factory=list)

    def begin(self, device: Device) -> None:
        """Sends the values of each characteristic once a client has subscribed to it."""
        for characteristic, values in self.sends:
            characteristic.on(
                Characteristic.EVENT_SUBSCRIPTION,
                lambda _, notify, indicate, one=characteristic, sent=values: self._subscribed(
                    device, one, sent, notify, indicate
                ),
            )

    def _subscribed(self, device, characteristic, values, notify, indicate) -> None:
        if notify or indicate:
            asyncio.get_running_loop().create_task(self._send(device, characteristic, values, notify))

    @staticmethod
    async def _send(device, characteristic, values, notify) -> None:
        send = device.notify_subscribers if notify else device.indicate_subscribers
        for value in values:
            await asyncio.sleep(GAP_SECONDS)
            await send(characteristic, value)


def _heart_rate(_: Device) -> Original:
    service = HeartRateService(
        lambda _: HeartRateService.HeartRateMeasurement(heart_rate=72),
        HeartRateService.BodySensorLocation.WRIST,
        lambda _: None,
    )
    measurement = service.heart_rate_measurement_characteristic
    beats = [
        HeartRateService.HeartRateMeasurement(heart_rate=rate, energy_expended=100 + rate, rr_intervals=[60 / rate])
        for rate in (72, 75, 260)
    ]
    return Original(
        [service],
        structures(FLAGS, (0x03, b"\x0d\x18"), (0x19, b"\x41\x03")),
        structures((0x09, b"Pulse")),
        [(measurement, beats)],
    )


def _battery(_: Device) -> Original:
    levels = iter([90, 89, 88] + 50 * [87])
    service = BatteryService(lambda _: next(levels))
    return Original(
        [service],
        structures(FLAGS, (0x03, b"\x0f\x18")),
        structures((0x09, b"Cell")),
        [(service.battery_level_characteristic, [86, 85])],
    )


def _information(_: Device) -> Original:
    service = DeviceInformationService(
        manufacturer_name="A maker with a name that is longer than one response of the smallest ATT_MTU",
        model_number="M1",
        serial_number="0042",
        system_id=(0x123456, 0x0102030405),
        ieee_regulatory_certification_data_list=bytes(range(40)),
    )
    return Original([service], structures(FLAGS, (0x08, b"Info"), (0xFF, b"\xff\xff\x01\x02\x03")))


def _keyboard(_: Device) -> Original:
    report = Characteristic(
        UUID("2A4D"),
        READ | WRITE | NOTIFY,
        READABLE | WRITEABLE,
        bytes(8),
        [Descriptor(UUID("2908"), READABLE, b"\1\1")],
    )
    lights = Characteristic(
        UUID("2A4D"), READ | WRITE | COMMAND, READABLE | WRITEABLE, b"\0", [Descriptor(UUID("2908"), READABLE, b"\0\2")]
    )
    service = Service(
        UUID("1812"),
        [
            Characteristic(UUID("2A4E"), READ | COMMAND, READABLE | WRITEABLE, b"\1"),
            report,
            lights,
            Characteristic(UUID("2A4B"), READ, READABLE, REPORT_MAP),
            Characteristic(UUID("2A4A"), READ, READABLE, bytes.fromhex("11010002")),
            Characteristic(UUID("2A4C"), COMMAND, WRITEABLE, b"\0"),
        ],
    )
    keys = [bytes.fromhex("0200040000000000"), bytes(8)]
    return Original(
        [service],
        structures(FLAGS, (0x03, b"\x12\x18"), (0x19, b"\xc1\x03"), (0x09, b"Keys")),
        sends=[(report, keys)],
    )


def _hearing_aid(device: Device) -> Original:
    service = AshaService(capability=0, hisyncid=bytes(range(1, 9)), device=device)
    return Original(
        [service],
        structures(FLAGS, (0x16, b"\xf0\xfd\x01\x00\x01\x02\x03\x04")),
        structures((0x09, b"Hearing")),
    )


def _thermometer(_: Device) -> Original:
    measurement = Characteristic(UUID("2A1C"), INDICATE, READABLE, b"")
    service = Service(
        UUID("1809"),
        [
            measurement,
            Characteristic(UUID("2A1D"), READ, READABLE, b"\2"),
            Characteristic(
                UUID("2A21"),
                READ | WRITE | INDICATE,
                READABLE | WRITEABLE,
                b"\1\0",
                [Descriptor(UUID("2906"), READABLE, bytes.fromhex("01003c00"))],
            ),
        ],
    )
    return Original(
        [service],
        structures(FLAGS, (0x02, b"\x09\x18"), (0x0A, b"\x04")),
        structures((0x09, b"Fever")),
        [(measurement, [bytes.fromhex("006e0100ff"), bytes.fromhex("00710100ff")])],
    )


def _uart(_: Device) -> Original:
    base = "6E40000{}-B5A3-F393-E0A9-E50E24DCCA9E"
    sent = Characteristic(UUID(base.format(3)), NOTIFY, READABLE, b"")
    service = Service(
        UUID(base.format(1)),
        [Characteristic(UUID(base.format(2)), WRITE | COMMAND, WRITEABLE, b""), sent],
    )
    return Original(
        [service],
        structures(FLAGS, (0x07, UUID(base.format(1)).to_bytes())),
        structures((0x09, b"Serial")),
        [(sent, [b"hello", bytes(range(100)), b"bye"])],
    )


def _long_values(_: Device) -> Original:
    texts = [Descriptor(UUID("2901"), READABLE, b"described in more octets than one response holds")]
    service = Service(
        UUID("7E2F5A00-4D1C-4B57-9C39-6F1F6D0C1A00"),
        [
            Characteristic(UUID("7E2F5A01-4D1C-4B57-9C39-6F1F6D0C1A00"), READ, READABLE, bytes(range(256)) * 2),
            Characteristic(UUID("2A57"), READ | WRITE, READABLE | WRITEABLE, bytes(22), texts),
            Characteristic(UUID("2A58"), READ, READABLE, bytes(184)),
        ],
    )
    return Original([service], structures(FLAGS, (0x09, b"Long")))


def _included(_: Device) -> Original:
    inner = Service(UUID("180F"), [Characteristic(UUID("2A19"), READ, READABLE, b"\x32")], primary=False)
    outer = Service(UUID("1809"), [Characteristic(UUID("2A1D"), READ, READABLE, b"\1")], included_services=[inner])
    return Original([inner, outer], structures(FLAGS, (0x09, b"Nested"), (0x16, b"\x09\x18\x2a")))


def _counter(_: Device) -> Original:
    numbers = iter(range(200))

    def count(_) -> bytes:
        return bytes([next(numbers)])

    ticks = Characteristic(UUID("2AEA"), READ | NOTIFY, READABLE, CharacteristicValue(read=count))
    locked = Characteristic(
        UUID("2AEB"), READ | WRITE, READABLE | Characteristic.Permissions.READ_REQUIRES_ENCRYPTION, b"\1"
    )
    service = Service(UUID("FFF0"), [ticks, locked])
    return Original(
        [service], structures(FLAGS, (0x03, b"\xf0\xff")), structures((0x09, b"Count")), [(ticks, [b"\xaa", b"\xbb"])]
    )


def _two_sensors(_: Device) -> Original:
    humidity = Characteristic(UUID("2A6F"), READ | NOTIFY, READABLE, b"\x10\x27")
    pressure = Characteristic(UUID("2A6D"), READ | NOTIFY, READABLE, bytes.fromhex("10980f00"))
    services = [
        Service(UUID("181A"), [humidity]),
        Service(UUID("181A"), [pressure, Characteristic(UUID("2A6E"), READ, READABLE, b"\x64\x0a")]),
    ]
    return Original(
        services,
        structures(FLAGS, (0x03, b"\x1a\x18"), (0xFF, b"\x59\x00" + bytes(range(16)))),
        structures((0x09, b"Weather station 0123456789")),
        [(humidity, [b"\x11\x27", b"\x12\x27"]), (pressure, [bytes.fromhex("11980f00")])],
    )


ORIGINALS: dict[str, Callable[[Device], Original]] = {
    "heart-rate": _heart_rate,
    "battery": _battery,
    "device-information": _information,
    "hid-keyboard": _keyboard,
    "hearing-aid": _hearing_aid,
    "thermometer": _thermometer,
    "uart": _uart,
    "long-values": _long_values,
    "included-service": _included,
    "counter": _counter,
    "two-sensors": _two_sensors,
}


@contextlib.asynccontextmanager
async def bumble_device(transport: str) -> AsyncIterator[Device]:
    """A device on Bumble, with a characteristic, that advertises."""
    opened = await open_transport(transport)
    device = Device.with_hci("device", hci.Address.generate_static_address(), opened.source, opened.sink)
    device.classic_enabled = False
    value = Characteristic(
        UUID("FF01"), Characteristic.Properties.READ, Characteristic.Permissions.READABLE, b"of bumble"
    )
    device.add_service(Service(UUID("FF00"), [value]))
    await device.power_on()
    await device.start_advertising(
        advertising_data=LEVELS,
        own_address_type=hci.OwnAddressType.RANDOM,
        auto_restart=True,
        advertising_interval_min=20,
        advertising_interval_max=20,
    )
    try:
        yield device
    finally:
        await opened.close()
