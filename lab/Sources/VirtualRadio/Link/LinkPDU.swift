// SPDX-License-Identifier: Apache-2.0

/// An ACL packet of the host.
struct OutboundPacket {
    var octets: [UInt8]
    /// True if an L2CAP PDU starts with it.
    var isStart: Bool
    /// The number of octets sent.
    var sent = 0
}

/// An unacknowledged PDU, which is sent again until acknowledged; the receiver handles it once.
struct InFlight {
    var pdu: LinkPDU
    var isDelivered = false
    /// True if it completes an ACL packet of the host.
    var completesPacket = false
}

/// A PDU on a link.
enum LinkPDU {
    case control(ControlPDU)
    case data([UInt8], isStart: Bool)
}

/// The simulated link layer control PDUs (Core 5.4, Vol 6, Part B, 2.4.2).
enum ControlPDU {
    case terminate(reason: UInt8)
    case featureRequest
    case featureResponse(UInt64)
    case version(UInt8)
    case lengthRequest(transmit: UInt16, receive: UInt16)
    case lengthResponse(transmit: UInt16, receive: UInt16)
    case connectionUpdate(ConnectionParameters)
    case connectionParameterRequest(ConnectionParameters)
    case rejectParameterRequest(reason: UInt8)
    /// The central's request of encryption with this key, identified by Rand and EDIV.
    case encryptionRequest(name: [UInt8], key: [UInt8])
    /// The peripheral's host has supplied a key.
    case encryptionStart(sameKey: Bool)
    case rejectEncryption(reason: UInt8)
    /// The peer does not support the length request; nothing changes.
    case unknownLengthRequest
    /// Request of the peer's transmit power without a change, with the own one.
    case powerRequest(own: Int8)
    case powerResponse(Int8)
    /// The sender's transmit power has changed by this much, to this one.
    case powerChange(delta: Int8, Int8)
    /// The peer does not support LE Power Control.
    case unknownPowerRequest
}

/// The data lengths of one end in octets (Core 5.4, Vol 6, Part B, 4.5.10).
struct DataLengths {
    static let minimum: UInt16 = 27
    static let maximum: UInt16 = 251

    /// The preferred maximum to transmit.
    var wanted = DataLengths.minimum
    /// The effective maximum to transmit.
    var transmit = DataLengths.minimum
    /// The effective maximum to receive.
    var receive = DataLengths.minimum
}
