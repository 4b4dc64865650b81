public import AccessProtocol
public import Crypto
public import Peripheral
public import Timekeeping

/// The access reader: who may connect, who is near, what they ask, and what the door does about it.
///
/// A value without I/O. The host's events and the time go in; the host is driven through its port, the door's lines
/// through `doorActions`, and what happened is told by `nextNotice`. It knows no HCI and no clock.
public struct AccessReader: ~Copyable {
    var configuration: AccessConfiguration
    let identity: ReaderIdentity
    let table: AccessTable
    /// The links by the host's slot.
    var links: [AccessLink?] = []
    /// The phone that touches the reader.
    var contactless = ContactlessSide()
    var backOff = AddressBackOff()
    var door: Door
    var notices: [ReaderNotice] = []
    var advertises: Bool?
    var readsRSSI = true
    var isShuttingDown = false
    /// How often the door was opened since the start, for `STATUS`.
    var openings: UInt32 = 0
    /// The result of the command being executed; kept for its memory.
    var result: [UInt8] = []

    /// What waits for its record.
    var pendingOpenings = PendingOpenings()
    /// Openings whose phones are not told yet.
    var unansweredOpenings: [PendingOpenings.Unanswered] = []
    /// Who was let in a moment ago, and how that was answered.
    var repeats: RepeatedRequests
    /// The levels of the door's inputs, in the order of `DoorInput.allCases`.
    var inputs: [InputDebouncer]
    /// When the office hours are looked at next; nil without any.
    var officeHoursDue: Instant?
    /// What holds the door open as far as that is recorded.
    var recordedHold: ReleaseCause?
    /// What happened at the door and has been told, and is to be recorded.
    var untimedDoorEvents: [DoorEvent] = []
    /// What is to be recorded, in order; the shell does it and empties the list.
    public var auditEvents: [AuditEvent] = []
    /// Who is to be let in once that is recorded; the shell empties the list and answers each by `decideOpening`.
    public var openRequests: [OpenRequest] = []
    /// The credentials that are refused. Credentials add to it, and the notice of the decision says what; whoever
    /// keeps it puts back what it has kept.
    public var blacklist: Blacklist
    /// The list without the changes that wait to be kept; nil while none does.
    var keptBlacklist: Blacklist?
    /// Events that a phone may take along, oldest first; whoever keeps the event log sets them.
    public var eventsToCarry: [Event] = []

    /// Commands that wait for whoever keeps the log, the blacklist and the settings.
    var pendingCommands = PendingCommands()
    /// What is asked of them, in order; the shell empties the list, and answers each that has a number by
    /// `answerStorage`.
    public var storageRequests: [StorageRequest] = []
    /// How much is in the logs, as far as is known.
    public var logCounters = LogCounters()
    /// What is known of the platform's updater; whoever runs it says when it is there, and when it has ended.
    public var updater = UpdaterState.absent
    /// Who is to get an update, in order; the shell empties the list, and starts the updater once the answer has left.
    public var updateRequests: [UpdateRequest] = []
    /// The configuration that was pushed last.
    var pushed: PushedConfiguration?
    /// Until the policy is known, nothing is decided.
    var isRestoring = false

    /// What the door's lines are to do, in order; the shell does it and empties the list.
    public var doorActions: [DoorAction] = []

    /// A reader that has not been told anything yet.
    public init(
        configuration: AccessConfiguration, identity: ReaderIdentity, table: AccessTable, door: DoorConfiguration
    ) {
        self.configuration = configuration
        self.identity = identity
        self.table = table
        self.door = Door(door)
        repeats = RepeatedRequests(time: configuration.reArm)
        inputs = DoorInput.allCases.map {
            InputDebouncer(time: configuration.debounce[$0] ?? InputDebouncer.defaultTime)
        }
        officeHoursDue = configuration.officeHours.spans.isEmpty ? nil : .origin
        blacklist = Blacklist(capacity: configuration.blacklistCapacity)
    }

    /// Brings the door into its secured state and sets all of its outputs.
    public mutating func startDoor(at now: Instant) {
        door.start(at: now, into: &doorActions)
        notices.append(.doorStarted)
    }

    /// An output of the door could not be set; the door sets it again a little later.
    public mutating func doorOutputFailed(_ output: DoorOutput, at now: Instant) {
        door.failed(output, at: now)
    }

    /// Ends all links and takes the current from the door, for the end of the process; nobody is served any more.
    public mutating func shutDown<Port: PeripheralPort & ~Copyable>(port: inout Port, at now: Instant) {
        isShuttingDown = true
        updateAdvertising(port: &port, at: now)
        for case let link? in links where !link.life.isClosing {
            link.life.close()
            port.disconnect(link.id, reason: .remotePowerOff, at: now)
        }
        contactless.link.close()
        endTap()
        door.shutdown(at: now, into: &doorActions)
    }

    /// Takes an event of the host.
    public mutating func receive<Port: PeripheralPort & ~Copyable>(
        _ event: HostEvent, port: inout Port, random: inout some RandomSource, at moment: Moment
    ) {
        defer { settleDoor(at: moment) }
        switch event {
        case .ready(let controller): controllerReady(controller, port: &port, at: moment.instant)
        case .controllerFailed(let fault): controllerFailed(fault)
        case .connected(let link, let description): connected(link, description, port: &port, at: moment.instant)
        case .disconnected(let link, let reason): disconnected(link, reason, port: &port, at: moment.instant)
        case .intervalChanged(let id, let interval): link(id)?.life.connectionIntervalChanged(to: interval)
        case .rssi(let id, let reading): measured(id, reading, port: &port, random: &random, at: moment)
        case .written(let id, let handle, let value):
            let octets = port.eventOctets
            guard value.upperBound <= octets.count else { return }
            written(id, handle, octets.span.extracting(value), port: &port, random: &random, at: moment)
        case .writable(let id):
            guard let link = link(id) else { return }
            sendAnswer(link, port: &port, at: moment.instant)
        case .mtuExchanged, .subscribed, .readRequested, .writeRequested, .confirmed: break
        // A reader's devices do not pair: phones prove themselves in the session.
        case .displayPasskey, .requestPasskey, .compare, .securityChanged, .paired, .pairingFailed: break
        case .channelOpened, .channelReceived, .channelWritable, .channelReconfigured, .channelClosed: break
        }
    }

    /// Does what is due at `moment`.
    public mutating func advance<Port: PeripheralPort & ~Copyable>(to moment: Moment, port: inout Port) {
        let now = moment.instant
        for case let link? in links {
            guard let deadline = link.life.nextDeadline, deadline <= now else { continue }
            switch link.life.advance(to: now) {
            case .sample:
                // One read at a time: if the last is still outstanding, this sample is skipped.
                _ = port.readRSSI(link.id, at: now)
            case .refuse(.idle) where now >= link.ends: refuse(link, .aged, port: &port, at: now)
            case .refuse(let refusal): refuse(link, refusal, port: &port, at: now)
            case .wait, .open: break
            }
        }
        advanceContactless(to: now)
        expireCommands(port: &port, at: moment)
        // Whoever has waited for the disk until now may be the one who makes room.
        makeRoom(port: &port, at: now)
        advanceDoor(to: moment)
    }

    /// When `advance` is to be called next.
    public var nextDeadline: Instant? {
        // Asked for after every frame, so without a list.
        var earliest = Instant.earlier(door.nextDeadline, officeHoursDue)
        earliest = Instant.earlier(earliest, inputsDue)
        earliest = Instant.earlier(earliest, pendingCommands.nextDeadline)
        earliest = Instant.earlier(earliest, contactlessDeadline)
        for case let link? in links { earliest = Instant.earlier(earliest, link.life.nextDeadline) }
        earliest = Instant.earlier(earliest, nextToYield?.yieldsAt)
        return earliest
    }

    /// The host has found that these modes cannot be advertised.
    mutating func unserved(_ modes: [AdvertisingMode]) {
        if !modes.isEmpty { notices.append(.unserved(modes)) }
    }

    /// The oldest thing that happened and was not told yet.
    public mutating func nextNotice() -> ReaderNotice? {
        notices.isEmpty ? nil : notices.removeFirst()
    }

    /// How many links hold a slot: all but those on their way out.
    public var servedLinks: Int {
        links.count { $0.map { !$0.life.isClosing } ?? false }
    }

    /// Whether any link is up, those on their way out included.
    public var hasLinks: Bool { links.contains { $0 != nil } }

    func link(_ id: LinkID) -> AccessLink? {
        if id.isContactless { return contactless.session.flatMap { $0.id == id ? $0 : nil } }
        guard links.indices.contains(id.slot), let link = links[id.slot], link.id == id else { return nil }
        return link
    }

    private mutating func controllerReady<Port: PeripheralPort & ~Copyable>(
        _ controller: ControllerDescription, port: inout Port, at now: Instant
    ) {
        notices.append(.controllerReady(controller))
        readsRSSI = controller.readsRSSI
        if !readsRSSI, configuration.modes.contains(where: { $0.gate != nil }) { notices.append(.rssiUnavailable) }
        advertises = nil
        updateAdvertising(port: &port, at: now)
    }

    private mutating func controllerFailed(_ fault: ControllerFault) {
        // The host has told the end of each link before; the door goes on.
        notices.append(.controllerFailed(fault))
        advertises = nil
    }
}
