// SPDX-License-Identifier: Apache-2.0

import Octets

/// A PDU in basic mode: two octets of payload length, two of channel, the payload (Core 5.4, Vol 3, Part A, 3.1).
public enum L2CAPFrame {
    /// The octets before the payload.
    public static let headerCount = 4

    /// Appends the header of a payload of `payloadCount` octets, limited to 0 to 65535.
    public static func appendHeader(payloadCount: Int, channel: L2CAPChannelID, to octets: inout [UInt8]) {
        octets.append(littleEndian: UInt16(clamping: payloadCount))
        octets.append(littleEndian: channel.rawValue)
    }
}
