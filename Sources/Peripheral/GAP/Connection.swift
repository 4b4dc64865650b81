import Timekeeping

/// One place of the link table, and all that the host holds for the link in it: L2CAP, ATT, the Security Manager, flow
/// control.
struct Connection {
    /// Where a link is in its life.
    enum Phase: Equatable {
        /// The place is free.
        case free
        /// Connected, and the advertising set is not yet known; the device has not been told of the link.
        case identifying(until: Instant)
        /// The device has been told.
        case open
        /// It is to end: nothing is delivered, nothing more is taken. If the controller says nothing until then, the
        /// link is taken to be gone.
        case closing(gone: Instant)
    }

    /// The Disconnect command of a link.
    enum End: Equatable {
        case none
        /// To be sent, not before this.
        case wanted(HCIStatus, after: Instant)
        case sent(HCIStatus)
        /// The controller has taken it.
        case accepted
    }

    /// A Read RSSI command of a link.
    enum RSSIState: Equatable { case none, waiting, outstanding }

    var phase = Phase.free
    var id = LinkID(slot: 0, generation: 0)
    var handle: UInt16 = 0
    var description = LinkDescription(
        peer: BluetoothAddress(kind: .public, value: 0), advertisingSet: nil, interval: .zero)
    var supervisionTimeout = Duration.zero
    /// The sets' addresses when the link came.
    var onAir = OnAirAddresses()
    /// Whether `connected` has been said, so that `disconnected` must be.
    var isAnnounced = false
    var end = End.none
    var rssi = RSSIState.none
    /// The central's address as it went over the air, where the controller resolved it.
    var peerOnAir = BluetoothAddress(kind: .public, value: 0)
    /// The controller waits for the key with this name.
    var keyRequest: LTKIdentifier?
    /// Open if the link's device pairs.
    var security = SecurityLink()
    /// The link's client at the server of its device.
    var client = GATTServer.Client()
    var flow = ACLFlowControl.Share()
    /// The bonded peer, once the link is encrypted with a key that only it has; only where client states are kept.
    var provenPeer: BluetoothAddress?
    /// When a change of what the client has configured is kept; nil if there is none.
    var clientStateDue: Instant?
    var wantsDataLength = false
    var wantsInterval = false
    /// A notification was refused, and the device has not been told that there is room.
    var owesWritable = false
    var early = EarlyACLData()
    var reassembly: L2CAPReassembly
    var outbound = OutboundFrames()
    var channels: LinkChannels
    /// The channels that are enhanced ATT bearers, by the bearer's number.
    var bearerChannels: [Int: ChannelID] = [:]
    /// Whether the last fragment was of `channels`, and not of `outbound`.
    var sendsChannels = false

    /// A free place.
    init(maximumPayload: Int, services: [ChannelService]) {
        reassembly = L2CAPReassembly(maximumPayload: maximumPayload)
        channels = LinkChannels(services: services)
    }

    /// The device that it belongs to; the first one until it is announced.
    var device: Int { description.device }

    /// Makes the place a link's, with the memory it already has.
    mutating func begin(_ connection: HCIEvent.NewConnection, id: LinkID, until: Instant) {
        self.id = id
        handle = connection.handle
        description = LinkDescription(
            peer: connection.peer, advertisingSet: nil, interval: connection.interval)
        peerOnAir = connection.peerPrivate ?? connection.peer.unresolvedKind
        supervisionTimeout = connection.supervisionTimeout
        phase = .identifying(until: until)
    }

    /// Makes the place free. Security, client and flow have been closed by those that count on it.
    mutating func free() {
        phase = .free
        isAnnounced = false
        end = .none
        rssi = .none
        keyRequest = nil
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

    /// Whether commands for the link still make sense.
    var isLive: Bool {
        switch phase {
        case .identifying, .open: true
        case .free, .closing: false
        }
    }

    /// When something is to be done for the link, apart from answers. A command that waits for its turn needs no
    /// deadline: the answer before it brings it on.
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
        return earliest
    }
}
