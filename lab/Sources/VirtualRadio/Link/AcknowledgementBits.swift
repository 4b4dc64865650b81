// SPDX-License-Identifier: Apache-2.0

/// The bits of acknowledgement at one end of a link (Core 5.4, Vol 6, Part B, 4.5.9), for a capture: the air itself
/// keeps whether a PDU is delivered.
struct AcknowledgementBits {
    /// The sequence number of the next packet sent.
    var number = false
    /// The sequence number expected next.
    var expected = false

    /// Handles the bits of a received packet.
    mutating func receive(_ received: AcknowledgementBits) {
        if received.number == expected { expected.toggle() }
        if received.expected != number { number.toggle() }
    }
}
