// SPDX-License-Identifier: Apache-2.0

import AccessProtocol

/// The treatment of a message of the session on its way.
struct MessageTreatment: Equatable {
    /// True if the last bit of its payload is changed, and its checksum with it: the end of a signature or of a MAC.
    var spoilsProof = false
    /// The status that replaces the status of a message without payload.
    var status: StatusCode?
    /// True if it is not sent.
    var isDropped = false
    /// The time after which it is sent.
    var delay = Duration.zero
    /// True if the link ends instead of the message.
    var disconnectsBefore = false
    /// True if the link ends after it.
    var disconnectsAfter = false
}

/// Changes messages in one direction of a link in their packets, whose number and lengths stay as they are: the
/// controller's and the host's count of packets is not affected.
struct MessageEditor {
    /// The change of a checksum by a change of the last bit. The checksum is linear: octets before it do not matter.
    private static let lastBit: UInt16 = {
        var crc = FrameCRC(initialValue: 0)
        let octets: [UInt8] = [1]
        crc.update(octets.span)
        return crc.value
    }()

    /// The octets of the payload to come; nil between messages.
    private var remaining: Int?
    /// The treatment of the current message.
    private(set) var treatment = MessageTreatment()

    /// The header of the message that begins with this part; nil if none begins.
    func header(in packet: [UInt8], _ part: ATTPart) -> MessageHeader? {
        guard remaining == nil, part.isFirst, part.value.count >= MessageHeader.octetCount else { return nil }
        return MessageHeader(startOf: packet.span.extracting(part.value))
    }

    /// Begins a message.
    mutating func begin(
        _ header: MessageHeader, _ treatment: MessageTreatment, in packet: inout [UInt8], _ part: ATTPart
    ) {
        remaining = header.payloadCount + MessageHeader.octetCount
        self.treatment = treatment
        var header = header
        if header.payloadCount == 0 {
            if let status = treatment.status { header.status = status }
        } else if treatment.spoilsProof {
            header.crc ^= MessageEditor.lastBit
        }
        var octets: [UInt8] = []
        header.append(to: &octets)
        packet.replaceSubrange(part.value.lowerBound..<part.value.lowerBound + octets.count, with: octets)
    }

    /// Counts the octets of a part, and changes the last of the message.
    ///
    /// - Returns: true if the message ends with it.
    mutating func pass(_ packet: inout [UInt8], _ part: ATTPart) -> Bool {
        guard let left = remaining else { return false }
        guard left <= part.value.count else {
            remaining = left - part.value.count
            return false
        }
        if treatment.spoilsProof, left > 0 { packet[part.value.lowerBound + left - 1] ^= 1 }
        remaining = nil
        return true
    }
}
