# SPDX-License-Identifier: Apache-2.0
"""The phone's half of Wi-Fi provisioning against the published vectors, without a device."""

import pytest

from provisioning import wire
from provisioning.apps import AndroidApp, Crashed, IOSApp

BSSID = bytes.fromhex("aabbccddeeff")


def test_requests_are_the_published_ones():
    info = wire.wifi_info(b"MyWiFi", BSSID, 6, band=1, auth=3)
    assert wire.set_config(info, b"mypassword", False).hex() == (
        "08045a260a160a064d79576946691206aabbccddeeff180120062803120a6d7970617373776f72641800"
    )
    info = wire.wifi_info(b"MyWiFi", BSSID, 6, band=2, auth=6)
    assert wire.set_config(info, b"mypassword", True, any_channel=True).hex() == (
        "08045a280a160a064d79576946691206aabbccddeeff180220062806120a6d7970617373776f726418012001"
    )
    info = wire.wifi_info(b"MyWiFi", BSSID, 6, band=1, auth=0)
    assert wire.set_config(info, b"", False).hex() == "08045a1c0a160a064d79576946691206aabbccddeeff18012006280012001800"


def test_results_are_read():
    record = wire.Result.decode(
        bytes.fromhex("0a220a150a05486f6d65351206aabbccddeeff18022024280310c4ffffffffffffffff01")
    )
    assert record.wifi == {1: b"Home5", 2: BSSID, 3: 2, 4: 36, 5: 3}
    assert (record.rssi, record.state, record.reason) == (-60, None, None)
    failed = wire.Result.decode(bytes.fromhex("10051801"))
    assert (failed.state, failed.reason) == (wire.CONNECTION_FAILED, wire.NETWORK_NOT_FOUND)


def test_a_status_is_read():
    response = wire.Response.decode(
        bytes.fromhex("08011000522108045215" + "0a064d79576946691206aabbccddeeff20ff012802" + "5a060a04c0a8002a")
    )
    assert (response.operation, response.status, response.device[1]) == (wire.GET_STATUS, wire.SUCCESS, wire.CONNECTED)
    assert response.provisioned == {1: b"MyWiFi", 2: BSSID, 4: 255, 5: 2}
    assert response.address == "192.168.0.42"


@pytest.mark.parametrize("message", ["ff", "08", "00", "0a05aa", "0d01", "08ffffffffffffffffffff01"])
def test_what_is_no_message(message):
    with pytest.raises(wire.Undecodable):
        wire.fields(bytes.fromhex(message))


CRASHES_IOS = {
    "band any": "0a210a140a04536978471206aabbccddeeff18002005280610afffffffffffffffff01",
    "SSID": "0a0f0a0d0a01ff1206aabbccddeeff2005",
    "short BSSID": "0a0c0a0a0a01411203aabbcc2005",
    "no channel": "0a0d0a0b0a01411206aabbccddeeff",
}


@pytest.mark.parametrize("result", CRASHES_IOS.values(), ids=CRASHES_IOS)
def test_what_the_app_for_ios_cannot_take(result):
    app = IOSApp.__new__(IOSApp)
    with pytest.raises(Crashed):
        app.check_result(bytes.fromhex(result), scanning=True)


def test_what_the_app_for_android_cannot_take():
    app = AndroidApp.__new__(AndroidApp)
    with pytest.raises(Crashed):
        app.check_result(bytes.fromhex("1001"), scanning=True)
    app.check_result(bytes.fromhex("1001"), scanning=False)
    for status in ("0801", "08011000", "0801100052046202" + "0800", "0801100052025a00"):
        with pytest.raises(Crashed):
            app.check_status(bytes.fromhex(status))


def test_neither_waits_for_an_operation_that_is_not_there_but_ios_does():
    answer = bytes.fromhex("1002")
    with pytest.raises(Crashed):
        IOSApp.__new__(IOSApp).check_status(answer)
    AndroidApp.__new__(AndroidApp).check_status(answer)
