# SPDX-License-Identifier: Apache-2.0
"""The Aliro phone, octet for octet against transactions of an independent implementation, and each of its faults."""

import json
from pathlib import Path

import cbor2
import pytest

from contactless.aliro_certificate import certified_point, issue
from contactless.aliro_documents import Document, Issuer
from contactless.aliro_faults import END_FAULTS, FAULTS
from contactless.aliro_field import BAD_DOCUMENTS, GOOD_DOCUMENTS, AliroPhones
from contactless.aliro_keys import Key, public
from contactless.aliro_phone import AliroPhone, Credential
from contactless.aliro_wire import WireFault, elements, exactly, fields, tlv

VECTORS = json.loads((Path(__file__).parents[2] / "Vectors/aliro.json").read_text())["nfc"]
SELECT = bytes.fromhex("00a4040009a000000909acce550100")


class Recorded:
    """A transaction of the vectors."""

    def __init__(self, name: str) -> None:
        self._values = VECTORS[name]
        self.apdus = [(bytes.fromhex(one["command"]), bytes.fromhex(one["response"])) for one in self._values["apdus"]]

    def octets(self, name: str) -> bytes:
        """An input or a derived value."""
        return bytes.fromhex({**self._values["inputs"], **self._values["derived"]}[name])

    def phone(self, group_point: str = "reader_public_key") -> AliroPhone:
        """A phone with the keys of the transaction."""
        credential = Credential.of(self.octets("credential_private_key"))
        phone = AliroPhone(credential, self.octets("reader_group_identifier"), self.octets(group_point))
        phone.ephemeral = Key(self.octets("device_ephemeral_private_key"))
        return phone

    @property
    def reader(self) -> bytes:
        """The reader's identifier."""
        return self.octets("reader_group_identifier") + self.octets("reader_group_sub_identifier")

    def replay(self, phone: AliroPhone) -> None:
        """All commands of the reader, with the phone's responses compared."""
        for command, response in self.apdus:
            assert phone(command) == response
        assert phone.status == b"\1\1"
        assert phone.findings == []


def test_standard_phase():
    recorded = Recorded("standard")
    phone = recorded.phone()
    recorded.replay(phone)
    assert phone.phase == "standard"
    assert phone.credential.persistent == {recorded.reader: recorded.octets("Kpersistent")}


def test_fast_phase():
    recorded = Recorded("fast")
    phone = recorded.phone()
    phone.credential.persistent[recorded.reader] = recorded.octets("Kpersistent")
    phone.credential.access_time = b"2026-01-01T00:00:00Z"
    recorded.replay(phone)
    assert phone.phase == "fast"


def test_step_up_phase_with_the_issuers_document():
    recorded = Recorded("step_up")
    phone = recorded.phone()
    whole = bytes.fromhex(VECTORS["step_up"]["document"]["whole_response"])
    (document,) = cbor2.loads(whole)["2"]
    phone.credential.documents["aliro-a"] = document
    phone.credential.access_time = b"2026-01-01T00:00:00Z"
    recorded.replay(phone)
    assert phone.phase == "step-up"


def test_documents_are_those_of_the_vector():
    recorded = Recorded("step_up")
    whole = bytes.fromhex(VECTORS["step_up"]["document"]["whole_response"])
    (expected,) = cbor2.loads(whole)["2"]
    item = cbor2.loads(expected["1"]["1"]["aliro-a"][0].value)
    issuer = Issuer(recorded.octets("issuer_private_key"))
    document = Document(
        "aliro-a",
        {"matter1": cbor2.loads(bytes.fromhex(VECTORS["step_up"]["document"]["element_value"]))},
        Key(recorded.octets("credential_private_key")).point,
        valid_until="2036-01-01T00:00:00Z",
        iteration=1,
        random=item["2"],
    )
    assert cbor2.dumps(issuer.sign(document)) == cbor2.dumps(expected)
    assert issuer.key_identifier.hex() == VECTORS["step_up"]["document"]["kid"]


def test_certificates_of_readers():
    recorded = Recorded("standard_with_certificate")
    recorded.replay(recorded.phone("reader_ca_public_key"))
    authority, point = Key(recorded.octets("reader_ca_private_key")), recorded.octets("reader_public_key")
    values = {
        **{"serial": b"\x2a", "issuer": b"bench reader CA", "first": b"260101000000Z", "last": b"360101000000Z"},
        "subject": b"door 7",
    }
    certificate = issue(authority, point, **values)
    assert certificate == recorded.octets("compressed_certificate")
    assert certified_point(certificate, authority.point) == point


@pytest.mark.parametrize("name", ["standard", "fast", "step_up"])
def test_a_reader_that_signs_or_seals_wrongly_is_refused(name):
    recorded = Recorded(name)
    phone = recorded.phone()
    phone.credential.persistent[recorded.reader] = bytes(32)
    command = next((command for command, _ in recorded.apdus if command[1] == 0x81), recorded.apdus[-1][0])
    for sent, _ in recorded.apdus:
        if sent == command:
            break
        phone(sent)
    changed = command[:-2] + bytes((command[-2] ^ 1,)) + command[-1:]
    assert phone(changed) == b"\x69\x82"
    assert phone.status is None


def test_what_a_reader_does_wrong_is_reported():
    recorded = Recorded("standard")
    phone = recorded.phone()
    select, authenticate = recorded.apdus[0][0], recorded.apdus[1][0]
    assert phone(authenticate) == b"\x69\x85"
    phone(select)
    phone(authenticate[:-1])
    assert phone.findings == ["Le of 80800000"]
    phone(select)
    phone(authenticate)
    assert phone.findings[1:] == [
        "the ephemeral key of an earlier transaction",
        "the transaction identifier of an earlier transaction",
    ]
    assert phone(bytes.fromhex("80990000")) == b"\x6d\x00"
    assert phone(b"\0") == b"\x67\x00"


def first_response(phone) -> bytes | None:
    """SELECT's."""
    return phone(SELECT)


def test_faults_of_the_first_stage():
    recorded = Recorded("standard")
    good = first_response(recorded.phone())
    phones = AliroPhones(recorded.octets("reader_group_identifier"), recorded.octets("reader_public_key"))
    changed = {name for name in [*FAULTS, *END_FAULTS] if first_response(phones.phone(name)) != good}
    assert changed == {name for name, fault in FAULTS.items() if fault.stage == "select"}


def test_every_phone_has_its_name():
    recorded = Recorded("standard")
    phones = AliroPhones(recorded.octets("reader_group_identifier"), recorded.octets("reader_public_key"))
    others = ("listed", "unlisted", "in-parts", "silent-end", "old-version", "wrong-group", "wrong-reader", "impostor")
    documents = ("document-forged", "document-missing", "document-revoked", "document-not-revoked")
    for name in (*FAULTS, *END_FAULTS, *GOOD_DOCUMENTS, *BAD_DOCUMENTS, *others, *documents):
        assert phones.phone(name) is phones.phone(name)
    with pytest.raises(KeyError):
        phones.phone("none")
    assert phones.findings == []


def test_a_replay_has_the_responses_of_the_last_transaction():
    recorded = Recorded("standard")
    phones = AliroPhones(recorded.octets("reader_group_identifier"), recorded.octets("reader_public_key"))
    listed = phones.phone("listed")
    responses = [listed(command) for command, _ in recorded.apdus[:2]]
    replay = phones.phone("replay")
    assert [replay(command) for command, _ in recorded.apdus[:3]] == [*responses, b"\x90\x00"]


def test_elements():
    assert tlv(0x7F66, bytes(200))[:4] == bytes.fromhex("7f6681c8")
    assert [(tag, len(value)) for tag, value, _ in elements(tlv(0x5A, bytes(300)) + tlv(0x41, b"\1"))] == [
        (0x5A, 300),
        (0x41, 1),
    ]
    # An unknown tag is skipped; a known one has its length, its place, and appears once.
    known = {0x41: exactly(1), 0x42: exactly(1)}
    assert fields(bytes.fromhex("410101cf00420102"), known, {0x41}) == {0x41: b"\1", 0x42: b"\2"}
    for text in "420101410101", "410101410101", "41020101", "42010141", "4182", "418301", "41":
        with pytest.raises(WireFault):
            fields(bytes.fromhex(text), known, {0x41})


def test_points():
    point = Key(1).point
    public(point)
    for wrong in point[:-1], b"\2" + point[1:33], point[:-1] + bytes((point[-1] ^ 1,)):
        with pytest.raises(ValueError):
            public(wrong)
