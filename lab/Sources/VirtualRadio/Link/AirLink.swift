// SPDX-License-Identifier: Apache-2.0

import Peripheral
import Timekeeping

/// One end of a link: a controller's state for a connection handle.
final class LinkEnd {
    /// The role as encoded in HCI.
    enum Role: UInt8 {
        case central = 0
        case peripheral = 1
    }

    unowned let controller: VirtualController
    let link: UInt64
    let handle: UInt16
    let role: Role
    let peer: BluetoothAddress
    var isOpen = true
    /// True if a packet from the peer was received.
    var isEstablished = false
    /// The time of the last received packet; before the first one, of the link's creation.
    var lastHeard: Instant
    /// The level of the last packet.
    var rssi: Int8?

    /// Control PDUs to send, which precede data.
    var control: [ControlPDU] = []
    /// ACL packets of the host, of which the first may be partly sent.
    var data: [OutboundPacket] = []
    /// The PDU that was sent and is not acknowledged.
    var inFlight: InFlight?
    /// The number of completed packets of the host that have not been reported.
    var completed: UInt16 = 0

    /// The reason in a received terminate PDU that has to be acknowledged.
    var terminationReceived: UInt8?
    /// True if the peer has acknowledged a terminate PDU.
    var terminationAcknowledged = false
    /// True if the host has requested disconnection.
    var isTerminating = false
    /// True if the controller was reset and notifies the peer.
    var saysFarewell = false

    /// True if the central waits for encryption to start.
    var isEncrypting = false
    /// The central's key, while the key of the peripheral's host is requested.
    var askedKey: [UInt8]?
    var isEncrypted = false

    var bits = AcknowledgementBits()
    var lengths = DataLengths()
    var awaitsFeatures = false
    var awaitsVersion = false
    var hasSentVersion = false
    var remoteVersion: UInt8?
    /// True if the host waits for the peer's transmit power.
    var awaitsPower = false
    /// True if changes of the local, and of the peer's transmit power are reported to the host.
    var reportsPower = (local: false, remote: false)

    init(
        _ controller: VirtualController, link: UInt64, handle: UInt16, role: Role, peer: BluetoothAddress,
        at now: Instant
    ) {
        self.controller = controller
        self.link = link
        self.handle = handle
        self.role = role
        self.peer = peer
        lastHeard = now
    }

    /// True if there is data that the peer has not received.
    var hasMore: Bool {
        if let inFlight, !inFlight.isDelivered { return true }
        return !control.isEmpty || !data.isEmpty || terminationReceived != nil
    }

    /// The time at which this end times out if nothing is received: the supervision time-out, or six intervals before
    /// the first packet (Core 5.4, Vol 6, Part B, 4.5.2).
    func givesUp(_ parameters: ConnectionParameters) -> Instant {
        lastHeard + (isEstablished ? parameters.supervisionTimeout : parameters.interval * 6)
    }
}

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

/// A connection: two ends, and the times of its connection events.
final class AirLink {
    let number: UInt64
    let central: LinkEnd
    /// nil if the connection request was not received: the central does not know.
    let peripheral: LinkEnd?
    var parameters: ConnectionParameters
    var nextEvent: Instant
    /// The number of connection events.
    var events: UInt64 = 0
    /// New parameters, and the number of the event at which they take effect.
    var update: (parameters: ConnectionParameters, at: UInt64)?

    init(
        number: UInt64, central: LinkEnd, peripheral: LinkEnd?, parameters: ConnectionParameters, firstEvent: Instant
    ) {
        self.number = number
        self.central = central
        self.peripheral = peripheral
        self.parameters = parameters
        nextEvent = firstEvent
    }

    /// The smallest increment of channel selection algorithm 1 (Core 5.4, Vol 6, Part B, 4.5.8.2).
    static let hop: UInt8 = 5

    /// The data channel of the present event, which the central's host has not classified as bad.
    var channel: UInt8 {
        channelMap.remapped(UInt8((events + 1) * UInt64(AirLink.hop) % UInt64(ChannelMap.dataChannels)))
    }

    /// The channels in use: the classification of the central's host, without the delay of an update.
    var channelMap: ChannelMap { central.controller.state.channelMap }

    /// The other end, or nil if it is closed or missing.
    func peer(of end: LinkEnd) -> LinkEnd? {
        let peer = end === central ? peripheral : central
        return peer?.isOpen == true ? peer : nil
    }
}
