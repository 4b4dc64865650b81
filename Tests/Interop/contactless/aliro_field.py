# SPDX-License-Identifier: Apache-2.0
"""The Aliro phones of a field by name: good ones, and one for each fault."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from contactless.aliro_documents import ACCESS, REVOCATION, Document, Issuer, access, daily, revocation
from contactless.aliro_faults import END_FAULTS, FAULTS
from contactless.aliro_keys import Key
from contactless.aliro_phone import AliroPhone, Credential
from contactless.aliro_transport import OK, Fault

ELEMENT = "matter1"
LISTED, UNLISTED, DOCUMENTED = (Credential.of(scalar) for scalar in (3, 4, 5))
"""Credentials that tests list, do not list, or know by documents only."""
KNOWN = Credential.of(12)
"""Another one that tests list."""
ISSUER, STRANGER, AUTHORITY = Issuer(6), Issuer(7), Issuer(8)
"""An issuer and an authority of issuers that tests trust, and an issuer that they do not."""
SIGNED = b"2026-01-01T00:00:00Z"
MAIL = bytes(range(0x60, 0x80))
"""The contents of a mailbox."""


def access_document(**values) -> Document:
    """A good access document of the credential, or one with other values."""
    return replace(Document(ACCESS, {ELEMENT: access()}, DOCUMENTED.key.point), **values)


def revocation_document(*points: bytes, **values) -> Document:
    """A revocation document with these points."""
    return replace(Document(REVOCATION, {ELEMENT: revocation(list(points))}), **values)


NIGHT = access(schedules=[{0: 1, 1: 2, 3: 1}], allow=1)
"""A schedule of one second in 1970."""
ALWAYS = daily(1, 86_400)
GOOD_DOCUMENTS = {
    "document": access_document(),
    "document-schedule": access_document(elements={ELEMENT: access(schedules=[ALWAYS], allow=1)}),
    "document-extension": access_document(elements={ELEMENT: access(extensions={7: [[0, 1, 1, b""]]})}),
    "document-certificate": access_document(certificate=AUTHORITY.certify(ISSUER), has_key_identifier=False),
}
BAD_DOCUMENTS = {
    "document-expired": access_document(valid_until="2026-01-02T00:00:00Z"),
    "document-early": access_document(valid_from="2039-01-01T00:00:00Z"),
    "document-other-phone": access_document(point=UNLISTED.key.point),
    "document-other-element": access_document(elements={"floor1": access()}),
    "document-no-element": access_document(elements={}),
    "document-changed": access_document(is_changed=True),
    "document-other-kind": access_document(signed_kind=REVOCATION),
    "document-other-digest": access_document(digest_version="SHA-512"),
    "document-other-version": access_document(elements={ELEMENT: access(version=2)}),
    "document-other-action": access_document(elements={ELEMENT: access(1)}),
    "document-night": access_document(elements={ELEMENT: NIGHT}),
    "document-denied": access_document(elements={ELEMENT: access(schedules=[ALWAYS], deny=1)}),
    "document-reader-rule": access_document(elements={ELEMENT: access(reader_rules=[5])}),
    "document-critical": access_document(elements={ELEMENT: access(extensions={7: [[1, 1, 1, b""]]})}),
    "document-no-issuer": access_document(has_key_identifier=False),
    "document-certificate-over": access_document(
        certificate=AUTHORITY.certify(ISSUER, last="2026-02-01T00:00:00Z"), has_key_identifier=False
    ),
    "document-certificate-forged": access_document(certificate=STRANGER.certify(ISSUER), has_key_identifier=False),
}


class Replay:
    """A phone that has only the responses of another one's transaction."""

    def __init__(self, responses: list[bytes]) -> None:
        self._responses = list(responses)
        self.findings: list[str] = []

    def __call__(self, _: bytes) -> bytes | None:
        """The next recorded response, and then success."""
        return self._responses.pop(0) if self._responses else OK


class AliroPhones:
    """The phones of a field, after they have learned a reader's group and point."""

    def __init__(self, group: bytes = bytes(16), point: bytes = b"") -> None:
        self._group, self._point = group, point
        self._phones: dict[str, AliroPhone] = {}

    def phone(self, name: str) -> AliroPhone | Replay:
        """The phone of this name, which stays the same. `KeyError` if there is none."""
        if name == "replay":
            return Replay(self._phones["listed"].responses)
        if name not in self._phones:
            self._phones[name] = self._make(name)
        return self._phones[name]

    @property
    def findings(self) -> list[str]:
        """The rules that the reader has broken."""
        return [f"{name}: {finding}" for name, phone in self._phones.items() for finding in phone.findings]

    def _make(self, name: str) -> AliroPhone:
        if fault := {**FAULTS, **END_FAULTS}.get(name):
            phone = self._with(LISTED, fault)
            # The fast phase would omit AUTH1.
            phone.knows_fast_key = fault.stage != "auth1"
            return phone
        if name in self._simple:
            return self._simple[name](self)
        if name == "document-forged":
            return self._documented(STRANGER, access_document(), key_identifier=ISSUER.key_identifier)
        if name == "document-missing":
            phone = self._documented(ISSUER, access_document())
            phone.fault = Fault("envelope", plaintext=lambda _: bytes.fromhex("a2613163312e30613300"))
            return phone
        if name == "document-revoked":
            return self._revoked(DOCUMENTED.key.point)
        if name == "document-not-revoked":
            return self._revoked(UNLISTED.key.point)
        return self._documented(ISSUER, {**GOOD_DOCUMENTS, **BAD_DOCUMENTS}[name])

    def _with(self, credential: Credential, fault: Fault | None = None) -> AliroPhone:
        return AliroPhone(credential, self._group, self._point, fault)

    def _documented(self, issuer: Issuer, document: Document, key_identifier: bytes | None = None) -> AliroPhone:
        credential = replace(DOCUMENTED, persistent={}, documents={}, access_time=SIGNED)
        signed = issuer.sign(document)
        if key_identifier:
            signed["1"]["2"][1][4] = key_identifier
        credential.documents[ACCESS] = signed
        return self._with(credential)

    def _revoked(self, point: bytes) -> AliroPhone:
        phone = self._documented(ISSUER, access_document())
        phone.credential.documents[REVOCATION] = ISSUER.sign(revocation_document(point))
        phone.credential.revocation_time = SIGNED
        return phone

    def _listed(self) -> AliroPhone:
        return self._with(LISTED)

    def _in_parts(self) -> AliroPhone:
        phone = self._with(LISTED)
        phone.part = 40
        return phone

    def _silent(self) -> AliroPhone:
        phone = self._with(LISTED)
        phone.is_silent_after_status = True
        return phone

    def _mail(self, mailbox: bytes, fault: Fault | None = None) -> AliroPhone:
        phone = self._with(LISTED, fault)
        phone.mailbox = mailbox
        return phone

    def _old(self) -> AliroPhone:
        phone = self._with(LISTED)
        phone.application = bytes.fromhex("a508800200005c020009")
        return phone

    def _wrong_group(self) -> AliroPhone:
        return AliroPhone(LISTED, bytes(16), self._point)

    def _wrong_reader(self) -> AliroPhone:
        return AliroPhone(LISTED, self._group, STRANGER.key.point)

    def _impostor(self) -> AliroPhone:
        """It knows the credential's public point, and nothing else of it."""
        phone = self._with(LISTED)
        phone.signer, phone.knows_fast_key = Key(9), False
        return phone

    _simple: dict[str, Callable[[AliroPhones], AliroPhone]] = {  # noqa: RUF012
        "listed": _listed,
        "unlisted": lambda self: self._with(UNLISTED),
        "known": lambda self: self._with(KNOWN),
        # Its documents come from elsewhere.
        "carrying": lambda self: self._with(replace(DOCUMENTED, persistent={}, documents={})),
        "in-parts": _in_parts,
        "silent-end": _silent,
        "old-version": _old,
        "wrong-group": _wrong_group,
        "wrong-reader": _wrong_reader,
        "impostor": _impostor,
        "mail": lambda self: self._mail(MAIL),
        "short-mail": lambda self: self._mail(MAIL[:8]),
        "more-mail": lambda self: self._mail(MAIL, Fault("mailbox", plaintext=lambda data: data[:-4] * 2 + data[-4:])),
        "less-mail": lambda self: self._mail(MAIL, Fault("mailbox", plaintext=lambda data: data[-4:])),
    }
