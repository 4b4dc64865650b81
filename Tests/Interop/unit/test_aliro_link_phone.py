# SPDX-License-Identifier: Apache-2.0
"""The Aliro phone over Bluetooth LE, octet for octet against a transaction of an independent implementation."""

import json
from pathlib import Path

import pytest
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from contactless.aliro_keys import BLUETOOTH, READER_USAGE, Channel, Key, Parameters, derive
from contactless.aliro_link_phone import SECURE, UNSECURE, VERSION, AliroLinkPhone
from contactless.aliro_messages import (
    ALIRO,
    BUSY,
    GENERAL_ERROR,
    Advertisement,
    Kind,
    Message,
    advertising_tag,
    attribute,
    attributes,
    header,
    messages,
)
from contactless.aliro_phone import Credential
from contactless.aliro_wire import WireFault, tlv

VECTORS = json.loads((Path(__file__).parents[2] / "Vectors" / "aliro-ble.json").read_text())
RKE, ADVERTISED = VECTORS["rke"], VECTORS["advertisement"]
UNITS = [(message["to"], bytes.fromhex(message["wire"])) for message in RKE["messages"]]
ADDRESS = bytes.fromhex(ADVERTISED["adva_msb_first"])


def octets(name: str) -> bytes:
    """An input or a derived value."""
    return bytes.fromhex({**RKE["inputs"], **RKE["derived"]}[name])


def vector_phone() -> AliroLinkPhone:
    """A phone with the keys of the transaction."""
    credential = Credential.of(octets("credential_private_key"))
    phone = AliroLinkPhone(credential, octets("reader_group_identifier"), octets("reader_public_key"))
    phone.ephemeral = Key(octets("device_ephemeral_private_key"))
    return phone


def units(to: str) -> list[bytes]:
    """The units to one side."""
    return [unit for side, unit in UNITS if side == to]


def completed() -> AliroLinkPhone:
    """The phone after AP completed."""
    phone = vector_phone()
    phone.initiation()
    for unit in units("device")[:4]:
        phone.receive(unit)
    assert phone.completion == bytes.fromhex("4000")
    return phone


class ReaderChannel(Channel):
    """The reader's side."""

    def __init__(self) -> None:
        super().__init__(octets("BleSKDevice"), octets("BleSKReader"))

    def seal(self, plaintext: bytes, header: bytes | None = None) -> bytes:
        """The next message of the reader."""
        self._sent += 1
        return self._phone.encrypt(bytes(8) + self._sent.to_bytes(4, "big"), plaintext, header)


def test_the_transaction_is_reproduced():
    phone = vector_phone()
    sent = [phone.initiation()]
    for unit in units("device"):
        sent += phone.receive(unit)
        if phone.completion and not phone.statuses:
            sent.append(phone.request(UNSECURE))
    assert sent == units("reader")
    assert (phone.completion, phone.statuses) == (bytes.fromhex("4000"), [bytes.fromhex("0601")])
    assert (phone.findings, phone.phase, phone.is_confirmed, phone.status) == ([], "standard", True, None)
    assert phone.bluetooth_key == octets("BleSK")
    names = ("Kdh", "ExpeditedSKReader", "ExpeditedSKDevice", "StepUpSK", "BleSK", "URSK", "BleSKReader", "BleSKDevice")
    assert list(phone.secrets.values()) == [octets(name) for name in names]


def test_the_key_schedule_has_its_own_interface():
    parameters = Parameters(
        group_point=octets("reader_public_key"),
        reader=octets("reader_group_identifier") + octets("reader_group_sub_identifier"),
        version=octets("protocol_version"),
        reader_ephemeral=octets("reader_ephemeral_public_key"),
        phone_ephemeral=octets("device_ephemeral_public_key"),
        transaction=octets("transaction_identifier"),
        flags=octets("auth0_command_parameters") + octets("authentication_policy"),
        application=octets("a5"),
        interface=BLUETOOTH,
    )
    shared = Key(octets("device_ephemeral_private_key")).shared(parameters.reader_ephemeral)
    agreed = parameters.agreed(shared)
    assert (shared, agreed) == (octets("ecdh_x"), octets("Kdh"))
    assert (parameters.salt(b"Volatile****"), parameters.info) == (octets("salt"), octets("info"))
    names = ("ExpeditedSKReader", "ExpeditedSKDevice", "StepUpSK", "BleSK", "URSK")
    assert parameters.standard(agreed) == [octets(name) for name in names]
    assert parameters.persistent(agreed, octets("credential_public_key")) == octets("Kpersistent")
    assert parameters.signed(READER_USAGE) == octets("reader_signature_input")
    parameters.interface = b"\x5e"
    assert octets("BleSK") not in parameters.standard(agreed)


def test_the_notifications_depend_on_the_whole_list_of_versions():
    assert octets("ble_salt") == VERSION + VERSION
    two = bytes.fromhex("01000009")
    assert two + VERSION == bytes.fromhex(VECTORS["salt_two_versions"])
    for published, opens in (VERSION, True), (two, False):
        channel = Channel.bluetooth(octets("BleSK"), published, VERSION)
        sealed = Message(Kind.COMPLETED, units("device")[3][4:])
        if opens:
            assert sealed.opened(channel).payload == bytes.fromhex("00024000")
        else:
            with pytest.raises(InvalidTag):
                sealed.opened(channel)


def test_the_fast_phase_has_notifications_too():
    """AUTH0 with the fast bit, and a cryptogram and channels that a reader with the persistent key opens."""
    phone = vector_phone()
    reader = octets("reader_group_identifier") + octets("reader_group_sub_identifier")
    phone.credential.persistent[reader] = octets("Kpersistent")
    phone.initiation(is_for_action=False)
    request = bytearray(units("device")[0])
    request[4 + 7] = 1
    (answer,) = phone.receive(bytes(request))
    parameters = phone._parameters
    cryptogram, to_phone, from_phone, bluetooth, _ = parameters.fast(
        octets("Kpersistent"), octets("credential_public_key")
    )
    assert parameters.flags == b"\1\1"
    proof = answer[4 + 67 + 2 : -2]
    assert len(proof) == 64
    assert AESGCM(cryptogram).decrypt(bytes(12), proof, None)[:4] == bytes.fromhex("5e020000")
    exchange = AESGCM(to_phone).encrypt(bytes(8) + b"\0\0\0\1", b"", None)
    (answer,) = phone.receive(Message(Kind.REQUEST, bytes.fromhex("80c9000010") + exchange + b"\0").octets())
    assert AESGCM(from_phone).decrypt(bytes(7) + b"\1\0\0\0\1", answer[4:-2], None) == bytes.fromhex("00020000")
    key = derive(bluetooth, VERSION * 2, b"BleSKReader", 32)
    plaintext = attribute(0, bytes.fromhex("4000"))
    sealed = AESGCM(key).encrypt(bytes(8) + b"\0\0\0\1", plaintext, header(Kind.COMPLETED, len(plaintext)))
    assert phone.receive(Message(Kind.COMPLETED, sealed).octets()) == []
    assert (phone.phase, phone.completion, phone.findings) == ("fast", bytes.fromhex("4000"), [])


def test_an_action_is_not_for_the_fast_phase():
    phone = vector_phone()
    phone.initiation()
    request = bytearray(units("device")[0])
    request[4 + 7] = 1
    phone.receive(bytes(request))
    assert phone.findings == ["the fast phase before an action"]


@pytest.mark.parametrize("at", [0, 1, 2, 3, 4, 10, -1], ids=str)
def test_a_changed_message_does_not_open(at):
    phone = completed()
    unit = bytearray(units("device")[4])
    unit[at] ^= 1
    assert phone.receive(bytes(unit)) == [GENERAL_ERROR.octets()]
    assert phone.statuses == []
    assert phone.findings


def test_a_replayed_message_does_not_open():
    phone = completed()
    status = units("device")[4]
    assert phone.receive(status) == []
    assert phone.receive(status) == [GENERAL_ERROR.octets()]
    assert phone.statuses == [bytes.fromhex("0601")]


def test_a_message_of_the_phone_does_not_open_as_the_readers():
    phone = completed()
    reflected = Message(Kind.STATUS, phone.request()[4:]).octets()
    assert phone.receive(reflected) == [GENERAL_ERROR.octets()]


def test_a_completion_without_a_confirmation_is_reported():
    phone = vector_phone()
    phone.initiation()
    for unit in units("device")[:2]:
        phone.receive(unit)
    phone.receive(units("device")[3])
    assert phone.findings == ["a completion out of order"]
    # The channels have counters of their own.
    assert phone.completion == bytes.fromhex("4000")


def test_what_a_reader_without_ranging_sends_is_an_empty_exchange():
    for plaintext, finding in (tlv(0x97, b"\1\1"), "EXCHANGE with 97"), (tlv(0x98), "EXCHANGE with 98"):
        phone = vector_phone()
        phone.initiation()
        for unit in units("device")[:2]:
            phone.receive(unit)
        sealed = AESGCM(octets("ExpeditedSKReader")).encrypt(bytes(8) + b"\0\0\0\1", plaintext, None)
        command = bytes.fromhex("80c90000") + bytes((len(sealed),)) + sealed + b"\0"
        phone.receive(Message(Kind.REQUEST, command).octets())
        assert phone.findings == [finding]


def test_errors_before_and_after_the_completion():
    phone = vector_phone()
    phone.initiation()
    assert not phone.has_failed
    assert phone.receive(GENERAL_ERROR.octets()) == []
    assert phone.has_failed
    phone, channel = completed(), ReaderChannel()
    # The completion was the first message.
    channel.seal(b"")
    assert phone.receive(GENERAL_ERROR.sealed(channel)) == []
    assert phone.has_failed
    phone = completed()
    assert phone.receive(GENERAL_ERROR.octets()) == [GENERAL_ERROR.octets()]
    assert not phone.has_failed, "in the clear it may be anyone's"


def test_requests_are_sealed_in_order():
    phone = completed()
    first, second = phone.request(UNSECURE), phone.request(SECURE)
    key = AESGCM(octets("BleSKDevice"))
    for count, (unit, action) in enumerate([(first, b"\1"), (second, b"\0")], 1):
        nonce = bytes(7) + b"\1" + count.to_bytes(4, "big")
        assert key.decrypt(nonce, unit[4:], header(Kind.ACTION, 3)) == attribute(0, action)
    with pytest.raises(WireFault):
        vector_phone().request()


def test_clear_messages_are_those_of_the_vector():
    assert BUSY.octets() == bytes.fromhex(RKE["clear_messages"]["busy"])
    assert GENERAL_ERROR.octets() == bytes.fromhex(RKE["clear_messages"]["general_error_unknown"])


def test_units():
    two = GENERAL_ERROR.octets() + BUSY.octets()
    assert list(messages(two)) == [GENERAL_ERROR, BUSY]
    assert list(messages(b"")) == []
    for text in "02", "020000", "02000001", "0200000300", "09000000", "0207000000":
        with pytest.raises(WireFault):
            list(messages(bytes.fromhex(text)))
    assert attributes(bytes.fromhex("000101010240ff")) == {0: b"\1", 1: b"\x40\xff"}
    for text in "00", "0002ff", "000100000101":
        with pytest.raises(WireFault):
            attributes(bytes.fromhex(text))


def test_advertising_data_is_that_of_the_vector():
    data = bytes.fromhex(ADVERTISED["data"])
    found = Advertisement.of(data)
    assert (found.flags, found.power, f"{found.expiry:08x}") == (0x40, 0, ADVERTISED["expiry"])
    assert (found.group, found.door) == (
        bytes.fromhex(ADVERTISED["group"])[:8],
        bytes.fromhex(ADVERTISED["sub"])[:2],
    )
    key = bytes.fromhex(ADVERTISED["grk"])
    assert found.is_by(key, ADDRESS)
    assert found.tag == advertising_tag(key, ADDRESS, found.expiry)
    # Another group, the address in its order on the air, another address.
    assert not found.is_by(bytes(16), ADDRESS)
    assert not found.is_by(key, ADDRESS[::-1])
    assert not found.is_by(key, ADDRESS[:5] + b"\0")
    assert ALIRO.matches(data)
    for wrong in data[:-1], data[:5] + b"\xf0" + data[6:], data[:23] + b"\1" + data[24:], b"":
        assert not ALIRO.matches(wrong)
