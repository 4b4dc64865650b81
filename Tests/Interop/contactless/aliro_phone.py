# SPDX-License-Identifier: Apache-2.0
"""An Aliro 1.0 phone, APDU by APDU, which reports each rule that the reader breaks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cbor2
from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from contactless.aliro_certificate import certified_point
from contactless.aliro_keys import NFC, PHONE_USAGE, READER_USAGE, Channel, Key, Parameters, is_signed, key_slot
from contactless.aliro_transport import Fault, Refusal, Transport
from contactless.aliro_wire import EXPEDITED, STEP_UP, WireFault, elements, exactly, fields, tlv, up_to

NO_APPLICATION, OUT_OF_ORDER, NOT_AUTHENTIC = 0x6A82, 0x6985, 0x6982
UNKNOWN_GROUP, NO_CERTIFICATE, UNKNOWN_COMMAND = 0x6A88, 0x6400, 0x6D00
APPLICATION = bytes.fromhex("a508800200005c020100")
"""Type 0000, version 1.0."""
HAS_ACCESS, HAS_REVOCATION, NEEDS_SELECT = 1, 2, 4
HAS_MAIL, READS_MAIL, MAIL_IN_STEP_UP = 8, 16, 1024
"""Signals (tag 5E)."""


@dataclass
class Credential:
    """A credential of a phone: its key, the fast keys by reader, and its documents by type."""

    key: Key
    persistent: dict[bytes, bytes]
    documents: dict[str, dict[str, Any]]
    access_time: bytes | None = None
    revocation_time: bytes | None = None

    @classmethod
    def of(cls, scalar: bytes | int) -> Credential:
        """A credential without documents."""
        return cls(Key(scalar), {}, {})

    @property
    def times(self) -> list[tuple[int, bytes | None]]:
        """Signature times of the documents."""
        return [(0x91, self.access_time), (0x92, self.revocation_time)]


class AliroPhone(Transport):
    """Responds to the commands of a reader. `group_point` is the reader's point, or its authority's."""

    def __init__(self, credential: Credential, group: bytes, group_point: bytes, fault: Fault | None = None) -> None:
        super().__init__(fault)
        self.credential = credential
        self._group, self._group_point = group, group_point
        self.application = APPLICATION
        self.interface = NFC
        self.signer = credential.key
        """Another key for a phone without the credential's."""
        self.ephemeral: Key | None = None
        """A fixed key for vectors."""
        self.mailbox: bytes | None = None
        """Octets that readers may read; None without a mailbox."""
        self.knows_fast_key = True
        self.selects_step_up = True
        self.control: bytes | None = None
        self._seen: set[bytes] = set()
        self.start()

    def start(self) -> None:
        """A transaction begins."""
        self._stage = "idle"
        self._channel: Channel | None = None
        self._step_up: Channel | None = None
        self._certificate: bytes | None = None
        self.bluetooth_key = b""
        """Of the notifications; empty before a phase has keys."""
        self.phase = "none"
        self.control = None
        self.secrets: dict[str, bytes] = {}
        """Of the standard phase: what a reader has to forget."""

    def execute(self, stage: str, data: bytes) -> bytes:
        """The data of the response to a whole command."""
        handlers = {
            **{"select": self._select, "step-up": self._select, "auth0": self._authenticate0},
            **{"certificate": self._load_certificate, "auth1": self._authenticate1},
            **{"envelope": self._envelope, "exchange": self._exchange, "control": self._control},
        }
        if stage not in handlers:
            raise Refusal(UNKNOWN_COMMAND)
        return handlers[stage](data)

    def _require(self, *stages: str) -> None:
        if self._stage not in stages:
            raise Refusal(OUT_OF_ORDER)

    def _seal(self, channel: Channel, stage: str, plaintext: bytes) -> bytes:
        return channel.seal(self.fault.plaintext(plaintext) if self.fault.stage == stage else plaintext)

    def _select(self, application: bytes) -> bytes:
        if application == EXPEDITED:
            self._stage = "selected"
            return tlv(0x6F, tlv(0x84, application) + self.application)
        if application != STEP_UP or self._step_up is None:
            raise Refusal(NO_APPLICATION)
        self._stage = "step-up"
        return tlv(0x6F, tlv(0x84, application) + tlv(0xA5, tlv(0x80, b"\0\0")))

    def _authenticate0(self, data: bytes) -> bytes:
        self._require("selected")
        values = fields(
            data,
            {
                **{0x41: exactly(1), 0x42: exactly(1), 0x5C: exactly(2), 0x87: exactly(65), 0x4C: exactly(16)},
                **{0x4D: exactly(32), 0xB1: up_to(127)},
            },
            {0x41, 0x42, 0x5C, 0x87, 0x4C, 0x4D},
        )
        if values[0x41] not in (b"\0", b"\1") or values[0x42] not in (b"\1", b"\2", b"\3"):
            raise WireFault("flags of AUTH0")
        for name, value in (("ephemeral key", values[0x87]), ("transaction identifier", values[0x4C])):
            if value in self._seen:
                self.report(f"the {name} of an earlier transaction")
            self._seen.add(value)
        self._ephemeral = self.ephemeral or Key()
        vendor = b"".join(whole for tag, _, whole in elements(data) if tag == 0xB1)
        self._parameters = Parameters(
            group_point=self._group_point,
            reader=values[0x4D],
            version=values[0x5C],
            reader_ephemeral=values[0x87],
            phone_ephemeral=self._ephemeral.point,
            transaction=values[0x4C],
            flags=values[0x41] + values[0x42],
            application=self.application,
            extensions=vendor,
            interface=self.interface,
        )
        self._stage = "auth0"
        response = tlv(0x86, self._ephemeral.point)
        return response + tlv(0x9D, self._cryptogram()) if values[0x41] == b"\1" else response

    def _cryptogram(self) -> bytes:
        """The proof of the fast phase, or the same number of octets without meaning."""
        persistent = self.credential.persistent.get(self._parameters.reader)
        if persistent is None or not self.knows_fast_key:
            return b"\xc5" * 64
        cryptogram, reader, phone, self.bluetooth_key, _ = self._parameters.fast(persistent, self.credential.key.point)
        self._channel = Channel(reader, phone)
        plaintext = tlv(0x5E, self._signals) + b"".join(
            tlv(tag, time or bytes(20)) for tag, time in self.credential.times
        )
        # The key is used once, hence the nonce of zeros.
        return AESGCM(cryptogram).encrypt(bytes(12), plaintext, None)

    def _load_certificate(self, data: bytes) -> bytes:
        self._require("auth0")
        self._certificate = data
        return b""

    def _authenticate1(self, data: bytes) -> bytes:
        self._require("auth0")
        values = fields(data, {0x41: exactly(1), 0x9E: exactly(64), 0x90: range(1, 2000)}, {0x41, 0x9E})
        parameters = self._parameters
        if parameters.reader[:16] != self._group:
            raise Refusal(UNKNOWN_GROUP)
        signer = self._group_point
        if certificate := values.get(0x90, self._certificate):
            try:
                signer = certified_point(certificate, self._group_point)
            except WireFault as fault:
                raise Refusal(NO_CERTIFICATE) from fault
            except InvalidSignature as fault:
                raise Refusal(NOT_AUTHENTIC) from fault
        if not is_signed(signer, parameters.signed(READER_USAGE), values[0x9E]):
            raise Refusal(NOT_AUTHENTIC)
        agreed = parameters.agreed(self._ephemeral.shared(parameters.reader_ephemeral))
        reader, phone, step_up, self.bluetooth_key, ranging = parameters.standard(agreed)
        self.secrets = {
            **{"agreed": agreed, "reader": reader, "phone": phone, "step-up": step_up},
            **{"bluetooth": self.bluetooth_key, "ranging": ranging},
        }
        self._channel, self._step_up = Channel(reader, phone), Channel.step_up(step_up)
        point = self.credential.key.point
        if self.signer is self.credential.key:
            self.credential.persistent[parameters.reader] = parameters.persistent(agreed, point)
        self._stage = self.phase = "standard"
        identity = tlv(0x5A, point) if values[0x41] == b"\1" else tlv(0x4E, key_slot(point))
        proof = tlv(0x9E, self.signer.sign(parameters.signed(PHONE_USAGE)))
        times = b"".join(tlv(tag, time) for tag, time in self.credential.times if time)
        return self._seal(self._channel, "auth1", identity + proof + tlv(0x5E, self._signals) + times)

    @property
    def _signals(self) -> bytes:
        signals = HAS_ACCESS if "aliro-a" in self.credential.documents else 0
        signals |= HAS_REVOCATION if "aliro-r" in self.credential.documents else 0
        if signals and self.selects_step_up:
            signals |= NEEDS_SELECT
        if self.mailbox is not None:
            signals |= HAS_MAIL | READS_MAIL | MAIL_IN_STEP_UP
        return signals.to_bytes(2, "big")

    def _envelope(self, data: bytes) -> bytes:
        self._require(*(("step-up",) if self.selects_step_up else ("standard", "step-up")))
        if self._step_up is None:
            raise Refusal(OUT_OF_ORDER)
        ((tag, content, _),) = elements(data)
        try:
            request = cbor2.loads(self._step_up.open(cbor2.loads(content)["data"]))
        except InvalidTag as fault:
            raise Refusal(NOT_AUTHENTIC) from fault
        if tag != 0x53 or request["1"] != "1.0":
            raise WireFault("no request of documents")
        wanted = [cbor2.loads(entry["1"].value)["5"] for entry in request["2"]]
        documents = [self.credential.documents[kind] for kind in wanted if kind in self.credential.documents]
        response: dict[str, Any] = {"1": "1.0"}
        if documents:
            response["2"] = documents
        response["3"] = 0
        self._stage, self.phase = "step-up", "step-up"
        self._channel = self._step_up
        sealed = self._seal(self._step_up, "envelope", cbor2.dumps(response))
        return tlv(0x53, cbor2.dumps({"data": sealed}))

    def _exchange(self, data: bytes) -> bytes:
        self._require("auth0", "fast", "standard", "step-up")
        if self._channel is None:
            raise Refusal(OUT_OF_ORDER)
        if self._stage == "auth0":
            self._stage = self.phase = "fast"
        try:
            plaintext = self._channel.open(data)
        except InvalidTag as fault:
            self.report("a message that does not open")
            raise Refusal(NOT_AUTHENTIC) from fault
        if self.status is not None:
            self.report("a command after the final status")
        values = fields(plaintext, {0xBA: range(3, 2000), 0x97: exactly(2), 0x98: exactly(0)}, set())
        if 0xBA in values:
            return self._seal(self._channel, "mailbox", self._mail(values[0xBA]))
        self._conclude(values)
        return self._seal(self._channel, "exchange", bytes.fromhex("00020000"))

    def _conclude(self, values: dict[int, bytes]) -> None:
        """EXCHANGE without a command for the mailbox: over NFC it has the final status."""
        self.status = values[0x97]

    def _mail(self, command: bytes) -> bytes:
        """The response to a command for the mailbox, which is read only."""
        if self.mailbox is None:
            self.report("a command for a mailbox that is not signaled")
            return bytes.fromhex("0002ffff")
        first, *accesses = elements(command)
        if first[:2] != (0x8C, b"\0"):
            self.report("a mailbox command without 8C 00")
        response = b""
        for tag, place, _ in accesses:
            if tag != 0x87 or len(place) != 4:
                return bytes.fromhex("00020002")
            offset, count = int.from_bytes(place[:2], "big"), int.from_bytes(place[2:], "big")
            if offset + count > len(self.mailbox):
                return bytes.fromhex("00020001")
            response += count.to_bytes(2, "big") + self.mailbox[offset : offset + count]
        return response + bytes.fromhex("00020000")

    def _control(self, data: bytes) -> bytes:
        values = fields(data, {0x41: exactly(1), 0x42: exactly(1), 0x43: up_to(250)}, {0x41, 0x42})
        self.control = values[0x41] + values[0x42]
        self._stage = "idle"
        return b""
