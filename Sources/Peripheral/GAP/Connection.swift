// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// A slot of the link table with all state of its link: L2CAP, ATT, Security Manager and flow control.
struct Connection {
    /// The phase of a link.
    enum Phase: Equatable {
        /// The slot is free.
        case free
        /// Connected; the advertising set is not yet known, and the device has no event yet.
        case identifying(until: Instant)
        /// The device has received `connected`.
        case open
        /// The link is ending: no further data is delivered or accepted. At `gone` the link is released even without an
        /// event of the controller.
        case closing(gone: Instant)
    }

    /// The state of the Disconnect command of a link.
    enum End: Equatable {
        case none
        /// To be sent at this time or later.
        case wanted(HCIStatus, after: Instant)
        case sent(HCIStatus)
        /// Accepted by the controller.
        case accepted
        /// The controller does not know the handle; the event of the end is outstanding or lost.
        case unknown
    }

    /// The state of the Read RSSI command of a link.
    enum RSSIState: Equatable { case none, waiting, outstanding }

    var phase = Phase.free
    var id = LinkID(slot: 0, generation: 0)
    var handle: UInt16 = 0
    var description = LinkDescription(
        peer: BluetoothAddress(kind: .public, value: 0), advertisingSet: nil, interval: .zero)
    var supervisionTimeout = Duration.zero
    /// The addresses of the sets when the link was established.
    var onAir = OnAirAddresses()
    /// True after the event `connected`, so that `disconnected` must follow.
    var isAnnounced = false
    var end = End.none
    var rssi = RSSIState.none
    var power = CentralPower()
    /// The central's address on the air, if the controller resolved it.
    var peerOnAir = BluetoothAddress(kind: .public, value: 0)
    /// The key request of the controller to be answered.
    var keyRequest: LTKIdentifier?
    /// The controller has the key, and has not reported the change of encryption: data waits in `early`.
    var awaitsEncryption = false
    /// The end of that wait; nil while no data waits.
    var encryptionWaitEnd: Instant?
    /// The link has had traffic since the last round of the supervision.
    var isProven = true
    /// True if verification of the handle is due.
    var wantsReview = false
    /// The controller does not know the handle; without its event or traffic until this time, the event is lost.
    var missingAt: Instant?
    /// The state of the Security Manager; open if the link's device pairs.
    var security = SecurityLink()
    /// The client of the link at the GATT server of its device.
    var client = GATTServer.Client()
    var flow = ACLFlowControl.Share()
    /// The bonded peer, after encryption with the key of its bond; nil if client states are not stored.
    var provenPeer: BluetoothAddress?
    /// The time to store the changed client configuration; nil if it is unchanged.
    var clientStateDue: Instant?
    var wantsDataLength = false
    var wantsInterval = false
    /// A notification was refused as busy; the event `writable` is outstanding.
    var owesWritable = false
    var early = EarlyACLData()
    var reassembly: L2CAPReassembly
    var outbound = OutboundFrames()
    var channels: LinkChannels
    /// The channels that are enhanced ATT bearers, by the bearer's number.
    var bearerChannels: [Int: ChannelID] = [:]
    /// True if the last fragment came from `channels`, not from `outbound`.
    var sendsChannels = false

    /// A free slot.
    init(maximumPayload: Int, services: [ChannelService]) {
        reassembly = L2CAPReassembly(maximumPayload: maximumPayload)
        channels = LinkChannels(services: services)
    }

    /// The device of the link; the first device until it is announced.
    var device: Int { description.device }

    /// Assigns the slot to a new link; memory is reused.
    mutating func begin(_ connection: HCIEvent.NewConnection, id: LinkID, until: Instant) {
        self.id = id
        handle = connection.handle
        description = LinkDescription(
            peer: connection.peer, advertisingSet: nil, interval: connection.interval)
        peerOnAir = connection.peerPrivate ?? connection.peer.unresolvedKind
        supervisionTimeout = connection.supervisionTimeout
        phase = .identifying(until: until)
    }

    /// Frees the slot. Security, client and flow must be closed before.
    mutating func free() {
        phase = .free
        isAnnounced = false
        end = .none
        rssi = .none
        power = CentralPower()
        keyRequest = nil
        awaitsEncryption = false
        encryptionWaitEnd = nil
        isProven = true
        wantsReview = false
        missingAt = nil
        provenPeer = nil
        clientStateDue = nil
        wantsDataLength = false
        wantsInterval = false
        owesWritable = false
        bearerChannels.removeAll()
        early = EarlyACLData()
        reassembly.reset()
        outbound.removeAll()
        channels.reset()
        sendsChannels = false
    }

    /// True if commands for the link are still useful.
    var isLive: Bool {
        switch phase {
        case .identifying, .open: true
        case .free, .closing: false
        }
    }

    /// The time of the next action for the link, apart from answers. A command that waits for its turn needs no
    /// deadline: it is sent after the answer to the pending command.
    func deadline(canSendCommand: Bool) -> Instant? {
        switch phase {
        case .free: return nil
        case .open: return openDeadline
        case .identifying(let until): return until
        case .closing(let gone):
            if canSendCommand, case .wanted(_, let after) = end { return min(after, gone) }
            return gone
        }
    }

    private var openDeadline: Instant? {
        var earliest = channels.deadline
        func consider(_ deadline: Instant?) {
            if let deadline { earliest = min(earliest ?? deadline, deadline) }
        }
        if client.mayHaveDeadline { consider(client.deadline) }
        consider(security.deadline)
        consider(clientStateDue)
        consider(encryptionWaitEnd)
        consider(missingAt)
        return earliest
    }
}
