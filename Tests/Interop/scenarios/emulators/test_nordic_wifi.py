# SPDX-License-Identifier: Apache-2.0
"""`readerlab emulate nordic-wifi` against both stock apps, on Bumble, written from the protocol's published facts."""

import asyncio
import stat

import pytest
from bumble.att import ATT_Error
from bumble.core import UUID, ProtocolError

from provisioning import wire
from provisioning.apps import (
    CONFIGURATION,
    CONTROL_POINT,
    DATA_OUT,
    INFORMATION,
    SERVICE,
    AndroidApp,
    Crashed,
    IOSApp,
)
from provisioning.bench import BSSID, HOME, HOME5, OPEN, PASSPHRASE, SIX_GHZ, WORLD, bench
from rig.association import IO, Side
from rig.matrix import some_of
from rig.radio_process import BUMBLE, ROOTCANAL
from rig.waiting import until

EXACT = ("--profile", "nordic-exact")
GATEWAY = ("--profile", "gateway")
APPS = pytest.mark.parametrize("kind", [IOSApp, AndroidApp], ids=["ios", "android"])
PROFILES = pytest.mark.parametrize("profile", [EXACT, GATEWAY], ids=["exact", "gateway"])

INSUFFICIENT_AUTHENTICATION, REQUEST_NOT_SUPPORTED = 0x05, 0x06
"""ATT errors (Core 5.4, Vol 3, Part F, 3.4.1.1)."""
AUTHENTICATION_FAILURE = 0x05
ADVERTISES_AGAIN_SECONDS = 1.1
"""nordic-exact advertises a second after a link, as the firmware does."""
SILENCE_SECONDS = 5.5
"""nordic-exact advertises nothing of itself for five seconds."""
STORED_SECONDS = 0.3
"""For what follows the last result: the network is stored, and the advertising is set."""
"""HCI error (Core 5.4, Vol 1, Part F, 1.3)."""

INFO = wire.wifi_info(HOME.encode(), BSSID, 6, band=1, auth=4)
"""The home network as a scan shows it."""

FOUND = [
    "0a210a140a04486f6d651206aabbccddeeff18012006280410ceffffffffffffffff01",
    "0a220a150a05486f6d65351206aabbccddeeff18022024280310c4ffffffffffffffff01",
    "0a210a140a044f70656e1206aabbccddeeff18012001280010f6ffffffffffffffff01",
]
"""The published vectors of the three networks."""

STATES = ["1001", "1002", "1003", "1004"]

ADVERTISED = "020106110758b29cc8812877b8e7490c130078381409095056314132423343"
SCANNED = "152158b29cc8812877b8e7490c1300783814"
"""The published example; the service data's four octets follow."""


def hexadecimal(values: list[bytes]) -> list[str]:
    return [value.hex() for value in values]


# Before the link is encrypted


@PROFILES
async def test_only_the_version_is_for_everybody(directory, profile):
    async with bench(directory, *profile) as device:
        link = await (await device.phone()).connect(device.address)
        await link.find()
        for service in link.peer.services:
            for characteristic in service.characteristics:
                await characteristic.discover_descriptors()
        client = link.peer.gatt_client
        assert await link.read(INFORMATION) == bytes.fromhex("0802")
        control, data = link.characteristic(CONTROL_POINT), link.characteristic(DATA_OUT)
        configurations = [entry.get_descriptor(CONFIGURATION).handle for entry in (control, data)]

        async def refused(work) -> int:
            with pytest.raises(ATT_Error) as caught:
                await work
            return caught.value.error_code

        assert await refused(client.write_value(control.handle, b"\x08\x01", True)) == INSUFFICIENT_AUTHENTICATION
        for handle in configurations:
            assert await refused(client.write_value(handle, b"\x01\x00", True)) == INSUFFICIENT_AUTHENTICATION
            assert await refused(client.read_value(handle)) == INSUFFICIENT_AUTHENTICATION
        told = await device.emulation.event("refused")
        assert (told["step"], told["error"]) == ("write-request", INSUFFICIENT_AUTHENTICATION)
        # No keys of the first pairing are kept: the next link is unencrypted like this one.
        await link.pair()
        assert await client.read_value(configurations[0]) == b"\x00\x00"
        await link.disconnect()
        if profile == EXACT:
            await asyncio.sleep(ADVERTISES_AGAIN_SECONDS)
        again = await (await device.phone()).connect(device.address)
        assert await again.read_handle(configurations[0]) == INSUFFICIENT_AUTHENTICATION


@PROFILES
async def test_the_table(directory, profile):
    """The order of the attributes, and what they promise."""
    async with bench(directory, *profile) as device:
        link = await (await device.phone()).connect(device.address)
        attributes = await link.peer.discover_attributes()
        types = [attribute.type for attribute in attributes]
        start = types.index(UUID.from_16_bits(0x2800), types.index(UUID.from_16_bits(0x2A05)))
        handles = [attribute.handle for attribute in attributes[start:]]
        assert handles == list(range(handles[0], handles[0] + 9))
        declared = [1, 3, 6]
        values = [await link.read_handle(handles[place]) for place in declared]
        assert [value[0] for value in values] == [0x02, 0x28, 0x10]
        tail = bytes.fromhex("58b29cc8812877b8e7490c13")
        assert [value[3:] for value in values] == [tail + bytes([number, 0x78, 0x38, 0x14]) for number in (1, 2, 3)]
        assert types[start + 5] == types[start + 8] == CONFIGURATION
        assert await link.read_handle(handles[0]) == tail + bytes([0, 0x78, 0x38, 0x14])


async def test_a_pairing_that_fails_ends_the_link(directory):
    async with bench(directory, *EXACT) as device:
        phone = await device.phone()
        link = await phone.connect(device.address)
        # A device may not take a key of six octets (Core 5.4, Vol 3, Part H, 2.3.4).
        phone.pairs_as(Side(IO.NONE, secure=True, mitm=False, key_size=6))
        with pytest.raises((ProtocolError, asyncio.CancelledError)):
            await link.pair()
        assert await asyncio.wait_for(link.lost, 5) == AUTHENTICATION_FAILURE


# The flows of the firmware


@APPS
@pytest.mark.parametrize("controllers", [ROOTCANAL, BUMBLE], ids=["rootcanal", "bumble"])
async def test_exact_from_the_scan_to_the_network(directory, kind, controllers):
    async with bench(directory, *EXACT, kind=controllers) as device:
        app = await device.app(kind)
        assert await app.version() == bytes.fromhex("0802")
        assert (await app.ask(b"\x08\x01")).hex() == "080110005200"
        assert (await app.ask(kind.START_SCAN)).hex() == "08021000"
        assert hexadecimal(await app.results(3)) == FOUND
        assert (await app.ask(b"\x08\x03")).hex() == "08031000"
        assert (await app.ask(app.set_config(INFO, PASSPHRASE))).hex() == "08041000"
        assert hexadecimal(await app.results(4, after=3)) == STATES
        await app.silence(after=7)
        stored = "0a04486f6d65" + "1206aabbccddeeff" + "20ff01" + "2801"
        assert (await app.ask(b"\x08\x01")).hex() == "08011000521f" + "0804" + "5213" + stored + "5a060a04c0a8002a"
        await app.leave()


@APPS
async def test_exact_failures_have_no_reason(directory, kind):
    async with bench(directory, *EXACT) as device:
        app = await device.app(kind)
        assert (await app.ask(app.set_config(INFO, b"wrongwrong"))).hex() == "08041000"
        assert hexadecimal(await app.results(1)) == ["1005"]
        unknown = wire.wifi_info(b"Elsewhere", BSSID, 6, band=1, auth=4)
        assert (await app.ask(app.set_config(unknown, PASSPHRASE))).hex() == "08041000"
        assert hexadecimal(await app.results(1, after=1)) == ["1005"]
        await app.silence(after=2)
        assert (await app.ask(b"\x08\x01")).hex() == "080110005200"


@APPS
@pytest.mark.parametrize("steps", [{"address": {"delay-ms": 60000}}, {"address": {"fail": "ip"}}], ids=["slow", "none"])
async def test_exact_without_a_lease_is_connected_and_has_no_address(directory, kind, steps):
    """The stock apps ask for the status at state 4: an error there would end a good join in an alert."""
    async with bench(directory, *EXACT, world={**WORLD, "steps": steps}) as device:
        app = await device.app(kind)
        await app.ask(app.set_config(INFO, PASSPHRASE))
        assert hexadecimal(await app.results(4)) == STATES
        status = app.check_status(await app.ask(b"\x08\x01"))
        assert (status.status, status.device[1], status.address) == (wire.SUCCESS, wire.CONNECTED, "0.0.0.0")


@APPS
async def test_exact_forgets_without_a_word(directory, kind):
    async with bench(directory, *EXACT) as device:
        app = await device.app(kind)
        await app.ask(app.set_config(INFO, PASSPHRASE))
        await app.results(4)
        assert (await app.ask(b"\x08\x05")).hex() == "08051000"
        await app.silence(after=4)
        assert (await app.ask(b"\x08\x01")).hex() == "080110005200"


@APPS
async def test_exact_open_network(directory, kind):
    """One app sends an empty passphrase, the other none."""
    async with bench(directory, *EXACT) as device:
        app = await device.app(kind)
        info = wire.wifi_info(OPEN.encode(), BSSID, 1, band=1, auth=0)
        await app.ask(app.set_config(info, b"" if kind is IOSApp else None))
        assert hexadecimal(await app.results(4)) == STATES


async def test_exact_stores_one_network_and_keeps_silent_of_the_second(directory):
    state = directory / "state"
    async with bench(directory, *EXACT, "--state", str(state)) as device:
        app = await device.app(IOSApp)
        await app.ask(app.set_config(INFO, PASSPHRASE))
        assert hexadecimal(await app.results(4)) == STATES
        second = wire.wifi_info(HOME5.encode(), BSSID, 36, band=2, auth=3)
        assert (await app.ask(app.set_config(second, b"elsewhere"))).hex() == "08041000"
        assert hexadecimal(await app.results(4, after=4)) == STATES
        assert wire.Response.decode(await app.ask(b"\x08\x01")).provisioned[1] == HOME.encode()
        file = state / "nordic-wifi.json"
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        await app.leave()
        await device.switch_off()
        await device.switch_on()
        again = await device.app(AndroidApp)
        await device.joined()
        status = wire.Response.decode(await again.ask(b"\x08\x01"))
        assert (status.provisioned[1], status.device[1]) == (HOME.encode(), wire.CONNECTED)


@PROFILES
async def test_a_volatile_network_ends_with_the_process(directory, profile):
    async with bench(directory, *profile, "--state", str(directory / "state")) as device:
        app = await device.app(AndroidApp)
        await app.ask(app.set_config(INFO, PASSPHRASE, volatile=True))
        assert hexadecimal(await app.results(4)) == STATES
        assert wire.Response.decode(await app.ask(b"\x08\x01")).provisioned[1] == HOME.encode()
        await app.leave()
        await device.switch_off()
        await device.switch_on()
        again = await device.app(AndroidApp)
        assert wire.Response.decode(await again.ask(b"\x08\x01")).provisioned is None


@pytest.mark.parametrize(
    ("request_hex", "exact", "gateway"),
    some_of(
        [
            ("", "1001", "08001001"),
            ("0800", "1001", "08001001"),
            ("0806", "1001", "08061001"),
            ("08c801", "1001", "08c8011001"),
            ("00", "1002", "08001002"),
            ("08", "1002", "08001002"),
            ("ff", "1002", "08001002"),
            ("0a0101", "1002", "08001002"),
            ("0804", "08041001", "08041001"),
            ("08045a051203616263", "08041001", "08041001"),
            ("08045a050a030a0141", "1002", "08041002"),
            ("08045a040a001a00", "1002", "08041002"),
            ("08017801", "080110005200", "0801100052020800"),
            ("08020801", "080110005200", "0801100052020800"),
        ],
        "NordicMessageTests, NordicExactTests and NordicGatewayTests have each request",
    ),
)
async def test_what_makes_no_sense(directory, request_hex, exact, gateway):
    for profile, answer in (EXACT, exact), (GATEWAY, gateway):
        place = directory / profile[1]
        place.mkdir()
        async with bench(place, *profile) as device:
            app = await device.app(IOSApp)
            assert (await app.ask(bytes.fromhex(request_hex))).hex() == answer


@PROFILES
async def test_the_answer_comes_before_the_write_response(directory, profile):
    async with bench(directory, *profile) as device:
        app = await device.app(IOSApp)
        app.order.clear()
        await app.ask(b"\x08\x01")
        await until("the response", lambda: len(app.order) > 1)
        assert app.order == ["ATT_HANDLE_VALUE_INDICATION", "ATT_WRITE_RESPONSE"]


# A product's own


async def test_own_uuids_and_the_old_version(directory):
    service = "0000aaa0-0000-4000-8000-00805f9b0001"
    own = ("--service", service, "--data-out", "0000bbb0-0000-4000-8000-00805f9b0001", "--protocol-version", "1")
    async with bench(directory, *EXACT, *own) as device:
        link = await (await device.phone()).connect(device.address)
        assert (await device.emulation.event("emulation"))["service"].lower() == service
        await link.peer.discover_service(UUID(service))
        (found,) = link.peer.services
        values = await found.discover_characteristics()
        assert [str(value.uuid.to_hex_str("-")).lower() for value in values] == [
            service.replace("aaa0", "aaa1"),
            service.replace("aaa0", "aaa2"),
            "0000bbb0-0000-4000-8000-00805f9b0001",
        ]
        assert await values[0].read_value() == b"\x08\x01"


async def test_a_capture_is_warned_of(directory):
    capture = directory / "phone.btsnoop"
    async with bench(directory, *EXACT, "--btsnoop", str(capture)) as device:
        app = await device.app(IOSApp)
        await app.ask(app.set_config(INFO, PASSPHRASE))
        await app.results(4)
        warnings = [line.text for line in device.emulation.child.lines if line.text.startswith("readerlab: ")]
        assert len(warnings) == 1 and str(capture) in warnings[0] and "passphrases" in warnings[0], warnings
        await app.leave()
        await device.switch_off()
    assert PASSPHRASE in capture.read_bytes(), "the warning is true"
    assert stat.S_IMODE(capture.stat().st_mode) == 0o600


# ATT_MTU


async def test_the_mtu(directory):
    for profile, mtu in (EXACT, 147), (GATEWAY, 512):
        place = directory / profile[1]
        place.mkdir()
        async with bench(place, *profile) as device:
            app = await device.app(AndroidApp)
            assert app.client.mtu == mtu


@pytest.mark.thorough("NordicPeripheralTests have a phone that stays at 23 octets")
@APPS
async def test_a_phone_that_stays_at_23_octets(directory, kind):
    """The firmware drops a response that does not fit; the gateway sends at least its status."""
    for profile in EXACT, GATEWAY:
        place = directory / profile[1]
        place.mkdir()
        async with bench(place, *profile) as device:
            app = await device.app(kind, mtu=23)
            first = "080110005200" if profile == EXACT else "0801100052020800"
            assert (await app.ask(b"\x08\x01")).hex() == first
            assert (await app.ask(kind.START_SCAN)).hex() == "08021000"
            await app.silence(after=0)
            assert device.emulation.last("unsent")["step"] == "record"
            assert (await app.ask(b"\x08\x03")).hex() == "08031000"
            request = wire.set_config(wire.wifi_info(b"Open", b"", 1, auth=0), None, None)
            assert len(request) <= 20
            assert (await app.ask(request)).hex() == "08041000"
            assert hexadecimal(await app.results(4)) == STATES
            if profile == EXACT:
                with pytest.raises(TimeoutError):
                    await app.ask(b"\x08\x01")
                assert device.emulation.last("unsent")["step"] == "status"
            else:
                assert (await app.ask(b"\x08\x01")).hex() == "08011003"


async def test_long_writes(directory):
    request = b"\x08\x01" + wire.octets(15, bytes(200))
    for profile in EXACT, GATEWAY:
        place = directory / profile[1]
        place.mkdir()
        async with bench(place, *profile) as device:
            app = await device.app(IOSApp)
            handle = app.link.characteristic(CONTROL_POINT).handle
            if profile == EXACT:
                with pytest.raises(ATT_Error) as caught:
                    await app.client.write_long_value(handle, request)
                assert caught.value.error_code == REQUEST_NOT_SUPPORTED
            else:
                assert (await app.ask(request)).hex() == "0801100052020800"


# The gateway


@APPS
async def test_gateway_from_the_scan_to_the_network(directory, kind):
    async with bench(directory, *GATEWAY) as device:
        app = await device.app(kind)
        assert app.check_status(await app.ask(b"\x08\x01")).device == {1: wire.DISCONNECTED}
        await app.ask(kind.START_SCAN)
        for value in await app.results(3):
            app.check_result(value, scanning=True)
        assert hexadecimal(app.data.values) == FOUND
        await app.ask(b"\x08\x03")
        await app.ask(app.set_config(INFO, PASSPHRASE))
        assert hexadecimal(await app.results(4, after=3)) == STATES
        status = app.check_status(await app.ask(b"\x08\x01"))
        assert status.device[1] == wire.CONNECTED
        assert status.provisioned == {1: b"Home", 2: BSSID, 3: 1, 4: 6, 5: 4}
        assert status.address == "192.168.0.42"


@APPS
async def test_gateway_says_why_and_goes_back(directory, kind):
    async with bench(directory, *GATEWAY) as device:
        app = await device.app(kind)
        await app.ask(app.set_config(INFO, PASSPHRASE))
        await app.results(4)
        second = wire.wifi_info(HOME5.encode(), BSSID, 36, band=2, auth=3)
        mark = device.emulation.mark
        await app.ask(app.set_config(second, b"wrongwrong"))
        assert hexadecimal(await app.results(3, after=4)) == ["1001", "1002", "10051800"]
        assert '"Home"' in await device.joined(mark)
        await app.silence(after=7)
        status = app.check_status(await app.ask(b"\x08\x01"))
        assert (status.provisioned[1], status.device[1]) == (b"Home", wire.CONNECTED)
        await app.ask(app.set_config(wire.wifi_info(b"Elsewhere", BSSID, 6, band=1, auth=4), PASSPHRASE))
        last = await app.results(2, after=7)
        assert hexadecimal(last) == ["1001", "10051801"]
        assert app.check_result(last[1], scanning=False).reason == wire.NETWORK_NOT_FOUND


@pytest.mark.parametrize(("step", "fault", "reason"), [("association", "timeout", 2), ("address", "ip", 3)])
async def test_gateway_reasons(directory, step, fault, reason):
    world = {**WORLD, "steps": {step: {"fail": fault}}}
    async with bench(directory, *GATEWAY, world=world) as device:
        app = await device.app(IOSApp)
        await app.ask(app.set_config(INFO, PASSPHRASE))
        count = 3 if step == "association" else 4
        assert hexadecimal(await app.results(count))[-1] == f"100518{reason:02x}"


async def test_gateway_keeps_several_networks(directory):
    async with bench(directory, *GATEWAY, "--state", str(directory / "state")) as device:
        app = await device.app(AndroidApp)
        await app.ask(app.set_config(INFO, PASSPHRASE))
        await app.results(4)
        second = wire.wifi_info(HOME5.encode(), BSSID, 36, band=2, auth=3)
        await app.ask(app.set_config(second, b"elsewhere"))
        await app.results(4, after=4)
        await app.leave()
        await device.switch_off()
        await device.switch_on()
        assert '"Home5"' in await device.joined()
        again = await device.app(IOSApp)
        assert again.check_status(await again.ask(b"\x08\x01")).provisioned[5] == 3
        assert (await again.ask(b"\x08\x05")).hex() == "08051000"
        assert hexadecimal(await again.results(1)) == ["1000"]


async def test_gateway_scans_as_it_is_asked(directory):
    world = {**WORLD, "steps": {"scan": {"delay-ms": 500}}}
    async with bench(directory, *GATEWAY, world=world) as device:
        app = await device.app(AndroidApp)
        await app.ask(bytes.fromhex("0802") + wire.octets(10, wire.number(1, 2) + wire.number(3, 2000)))
        status = app.check_status(await app.ask(b"\x08\x01"))
        assert status.scan.keys() == {1, 2, 3, 4}
        assert status.scan[1] == 2 and 1 <= status.scan[3] <= 2000
        assert hexadecimal(await app.results(1)) == [FOUND[1]]
        await app.silence(after=1)
        assert app.check_status(await app.ask(b"\x08\x01")).scan is None, "the end can be asked for"
        await app.ask(b"\x08\x02")
        await app.ask(b"\x08\x03")
        await app.silence(after=1, seconds=1.0)


@APPS
async def test_band_any_crashes_an_app_and_the_gateway_never_says_it(directory, kind):
    world = {**WORLD, "networks": [SIX_GHZ]}
    for profile in EXACT, GATEWAY:
        place = directory / profile[1]
        place.mkdir()
        async with bench(place, *profile, world=world) as device:
            app = await device.app(kind)
            await app.ask(kind.START_SCAN)
            (record,) = await app.results(1)
            if profile == EXACT:
                assert record.hex() == "0a210a140a04536978471206aabbccddeeff18002005280610afffffffffffffffff01"
            if profile == EXACT and kind is IOSApp:
                with pytest.raises(Crashed):
                    app.check_result(record, scanning=True)
            else:
                assert app.check_result(record, scanning=True).wifi[1] == b"SixG"


# Advertising


async def packets(device) -> tuple[str, str]:
    """Advertising data and scan response, as a phone that asks hears them."""
    phone = await device.phone()
    data = await phone.hear(bytes.fromhex("110758b29cc8"))
    response = await phone.hear(bytes.fromhex("152158b29cc8"))
    await phone.close()
    device._phones.remove(phone)
    return data.hex(), response.hex()


@pytest.mark.thorough("NordicAdvertisingTests have the firmware's pauses and packets")
@pytest.mark.seconds(45)
async def test_exact_advertises_nothing_of_itself_for_five_seconds(directory):
    async with bench(directory, *EXACT, kind=ROOTCANAL) as device:
        assert await packets(device) == (ADVERTISED, SCANNED + "00000000")
        await asyncio.sleep(SILENCE_SECONDS)
        assert await packets(device) == (ADVERTISED, SCANNED + "02000080")
        app = await device.app(IOSApp)
        await app.ask(app.set_config(INFO, PASSPHRASE))
        await app.results(4)
        await asyncio.sleep(STORED_SECONDS)
        await app.leave()
        # Found again after a second, with the present state.
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.6):
                await packets(device)
        assert await packets(device) == (ADVERTISED, SCANNED + "020300ce")


async def test_gateway_advertises_what_is_so(directory):
    async with bench(directory, *GATEWAY, "--ios-flags", "--name", "Attic", kind=ROOTCANAL) as device:
        data, response = await packets(device)
        assert data == "020106110758b29cc8812877b8e7490c1300783814" + "0609" + b"Attic".hex()
        assert response == SCANNED + "02000080"
        app = await device.app(AndroidApp)
        await app.ask(app.set_config(INFO, PASSPHRASE))
        await app.results(4)
        # Also while a phone is connected.
        assert (await packets(device))[1] == SCANNED + "020303ce"


def test_the_service_is_the_published_one():
    assert UUID(SERVICE).to_bytes().hex() == "58b29cc8812877b8e7490c1300783814"
