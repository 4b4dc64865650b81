import Peripheral
import Timekeeping

/// One side of a link: what a controller keeps for a connection handle.
final class LinkEnd {
    /// The role as HCI has it.
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
    /// Whether a packet of the peer was received.
    var isEstablished = false
    /// When the last packet was received; before the first one, when the link was created.
    var lastHeard: Instant
    /// The level of the last packet.
    var rssi: Int8?

    /// Control PDUs to send; they go before data.
    var control: [ControlPDU] = []
    /// ACL packets of the host, of which the first may have been sent in part.
    var data: [OutboundPacket] = []
    /// What was sent and is not yet acknowledged.
    var inFlight: InFlight?
    /// Packets of the host that are through and not yet reported.
    var completed: UInt16 = 0

    /// The reason in a terminate PDU that was received and must still be acknowledged.
    var terminationReceived: UInt8?
    /// Whether the peer has acknowledged a terminate PDU.
    var terminationAcknowledged = false
    /// Whether the host has asked for the end.
    var isTerminating = false
    /// Whether the controller was reset and tells the peer so.
    var saysFarewell = false

    /// The central waits for encryption to start.
    var isEncrypting = false
    /// The central's key, while the peripheral's host is asked for its own.
    var askedKey: [UInt8]?
    var isEncrypted = false

    var lengths = DataLengths()
    var awaitsFeatures = false
    var awaitsVersion = false
    var hasSentVersion = false
    var remoteVersion: UInt8?

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

    /// Whether there is something that the peer has not received.
    var hasMore: Bool {
        if let inFlight, !inFlight.isDelivered { return true }
        return !control.isEmpty || !data.isEmpty || terminationReceived != nil
    }

    /// When this end gives the link up if nothing is received: the supervision time-out, or six intervals before the
    /// first packet (Core 5.4, Vol 6, Part B, 4.5.2).
    func givesUp(_ parameters: ConnectionParameters) -> Instant {
        lastHeard + (isEstablished ? parameters.supervisionTimeout : parameters.interval * 6)
    }
}

/// An ACL packet of the host.
struct OutboundPacket {
    var octets: [UInt8]
    /// Whether an L2CAP PDU begins with it.
    var isStart: Bool
    /// How much of it was sent.
    var sent = 0
}

/// A PDU that was sent and not acknowledged. It is sent again until it is; the receiver takes it once.
struct InFlight {
    var pdu: LinkPDU
    var isDelivered = false
    /// Whether it ends an ACL packet of the host.
    var completesPacket = false
}

/// What goes over a link.
enum LinkPDU {
    case control(ControlPDU)
    case data([UInt8], isStart: Bool)
}

/// Link layer control PDUs, as far as they are simulated (Core 5.4, Vol 6, Part B, 2.4.2).
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
    /// The central wants encryption with this key, which has this name: Rand and EDIV.
    case encryptionRequest(name: [UInt8], key: [UInt8])
    /// The peripheral's host has given a key.
    case encryptionStart(sameKey: Bool)
    case rejectEncryption(reason: UInt8)
    /// The peer does not know the length request; nothing changes.
    case unknownLengthRequest
}

/// The data lengths of one end in octets (Core 5.4, Vol 6, Part B, 4.5.10).
struct DataLengths {
    static let minimum: UInt16 = 27
    static let maximum: UInt16 = 251

    /// What this end wants to send at most.
    var wanted = DataLengths.minimum
    /// What it sends at most.
    var transmit = DataLengths.minimum
    /// What it receives at most.
    var receive = DataLengths.minimum
}

/// A connection: two ends, and the times at which they meet.
final class AirLink {
    let number: UInt64
    let central: LinkEnd
    /// nil when the connection request was not heard: the central does not know that it is alone.
    let peripheral: LinkEnd?
    var parameters: ConnectionParameters
    var nextEvent: Instant
    /// Counts connection events.
    var events: UInt64 = 0
    /// New parameters, and the event at which they come into force.
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

    /// The other end; nil if there is none or it is closed.
    func peer(of end: LinkEnd) -> LinkEnd? {
        let peer = end === central ? peripheral : central
        return peer?.isOpen == true ? peer : nil
    }
}
