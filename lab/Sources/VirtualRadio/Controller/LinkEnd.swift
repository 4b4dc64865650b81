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
    let peer: AirPeer
    /// The local address, if the resolving list has generated it.
    let privateAddress: BluetoothAddress?
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
        _ controller: VirtualController, link: UInt64, handle: UInt16, role: Role, peer: AirPeer,
        privateAddress: BluetoothAddress?, at now: Instant
    ) {
        self.controller = controller
        self.link = link
        self.handle = handle
        self.role = role
        self.peer = peer
        self.privateAddress = privateAddress
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
