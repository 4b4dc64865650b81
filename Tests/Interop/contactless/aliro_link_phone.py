# SPDX-License-Identifier: Apache-2.0
"""An Aliro phone over Bluetooth LE: units of the channel in and out, and each rule that the reader breaks."""

from __future__ import annotations

from cryptography.exceptions import InvalidTag

from contactless.aliro_keys import BLUETOOTH, Channel
from contactless.aliro_messages import GENERAL_ERROR, Kind, Message, attribute, attributes, messages
from contactless.aliro_phone import AliroPhone
from contactless.aliro_wire import WireFault

VERSION = b"\1\0"
"""Of the protocol over Bluetooth LE."""
SECURE, UNSECURE = b"\0", b"\1"
"""The actions of a phone."""
FAST_OFFSET = 7
"""The octet of AUTH0 that requests the fast phase."""


class AliroLinkPhone(AliroPhone):
    """The phone of a link. Its applications are selected by its first message, and what it wants by a last one."""

    published = selected = VERSION
    """The reader's list of versions, and the phone's choice of it: the channel of notifications depends on both."""

    def start(self) -> None:
        """A transaction begins."""
        super().start()
        self.interface = BLUETOOTH
        self.is_confirmed = False
        """True once the reader has sent EXCHANGE."""
        self.completion: bytes | None = None
        """Mode and state of the door, as the reader sent them."""
        self.statuses: list[bytes] = []
        """Sources and states of the door, as the reader sent them."""
        self.events: list[dict[int, bytes]] = []
        self.notifications: Channel | None = None
        self._is_for_action = False

    def initiation(self, *, is_for_action: bool = True) -> bytes:
        """The first unit."""
        self._forget()
        self.start()
        self._stage = "selected"
        self._is_for_action = is_for_action
        kind = Kind.INITIATION_FOR_ACTION if is_for_action else Kind.INITIATION
        return Message(kind, attribute(0, self.application)).octets()

    def request(self, action: bytes = UNSECURE) -> bytes:
        """The unit that requests an action."""
        return self.seal(Message(Kind.ACTION, attribute(0, action)))

    def seal(self, message: Message) -> bytes:
        """A unit with a sealed message."""
        if self.notifications is None:
            raise WireFault("no channel of notifications")
        return message.sealed(self.notifications)

    @property
    def has_failed(self) -> bool:
        """True once the reader has sent a general error."""
        return any(1 in event for event in self.events)

    def receive(self, unit: bytes) -> list[bytes]:
        """The phone's units in answer to one of the reader's."""
        try:
            return [answer for message in messages(unit) for answer in self._receive(message)]
        except WireFault as fault:
            self.report(f"a unit: {fault}")
            return [GENERAL_ERROR.octets()]

    def _receive(self, message: Message) -> list[bytes]:
        if message.kind == Kind.REQUEST:
            return self._command(message.payload)
        if message.kind == Kind.EVENT and self.notifications is None:
            self.events.append(attributes(message.payload))
            return []
        if self.notifications is None:
            self.notifications = Channel.bluetooth(self.bluetooth_key, self.published, self.selected)
            keys = Channel.bluetooth_keys(self.bluetooth_key, self.published, self.selected)
            self.secrets |= dict(zip(("notifications of the reader", "notifications of the phone"), keys, strict=True))
            if message.kind != Kind.COMPLETED:
                self.report(f"{message.kind.name} before the completion")
        try:
            return self._notified(message.opened(self.notifications))
        except InvalidTag:
            self.report(f"{message.kind.name} that does not open")
            return [GENERAL_ERROR.octets()]

    def _command(self, command: bytes) -> list[bytes]:
        if self.notifications:
            self.report("a command after the completion")
        if self._is_for_action and command[:2] == b"\x80\x80" and command[FAST_OFFSET : FAST_OFFSET + 1] == b"\1":
            self.report("the fast phase before an action")
        response = self(command)
        return [] if response is None else [Message(Kind.RESPONSE, response).octets()]

    def _conclude(self, values: dict[int, bytes]) -> None:
        # A final status is NFC's; what would follow ranging does not exist here.
        if values:
            self.report(f"EXCHANGE with {', '.join(f'{tag:x}' for tag in values)}")
        self.is_confirmed = True

    def _notified(self, message: Message) -> list[bytes]:
        if message.kind == Kind.EVENT:
            self.events.append(attributes(message.payload))
            return []
        value = attributes(message.payload).get(0, b"")
        if len(value) != 2 or message.kind not in (Kind.COMPLETED, Kind.STATUS):
            raise WireFault(f"{message.kind.name} {message.payload.hex()}")
        if message.kind == Kind.STATUS:
            self.statuses.append(value)
            return []
        if self.completion is not None or not self.is_confirmed:
            self.report("a completion out of order")
        self.completion = value
        return []
