# SPDX-License-Identifier: Apache-2.0
"""A Matter commissioner and controller over UDP, from the published facts and apart from the Swift code: a second
reading of the wire, which can also be as rude as no library lets one be.

`tlv`, `spake2plus`, `certificates` and `wire` are functions of octets; `endpoint` has sockets, exchanges and
retransmission; `sessions` is PASE and CASE; `node` is what a commissioner does with a node."""
