public import Peripheral
public import Timekeeping

/// The host of a Bluetooth LE central, as a phone has one: scanning, links, ATT PDUs.
///
/// A value without I/O: H4 packets of the controller, wishes and time go in; H4 packets for the controller and events
/// come out, to be taken with `popPacket(into:)` and `popEvent()` after every call. It uses the extended scanning
/// and initiating commands where the controller has them, and the legacy ones where not; never both (Core 5.4,
/// Vol 4, Part E, 3.1.1). It does not encrypt: a peer that asks for it is told that pairing is not supported.
public struct Central: Sendable {
    /// How long the controller may take to answer a command.
    public static let commandTimeout = Duration.seconds(2)

    enum Phase: Equatable {
        case off
        case starting(Startup)
        case ready
    }

    /// A connection that is being made.
    struct Attempt {
        var peer: BluetoothAddress
        var ends: Instant
        var isCancelling = false
    }

    /// A command that the controller has not answered.
    struct Outstanding {
        var opcode: UInt16
        var deadline: Instant
    }

    /// The random static address to use; nil for the controller's public address.
    let randomAddress: BluetoothAddress?
    var phase = Phase.off
    var controller = CentralController()
    /// Commands that wait for their turn.
    var commands: [(opcode: UInt16, packet: [UInt8])] = []
    var outstanding: Outstanding?
    var mayCommand = true
    var outbound: [[UInt8]] = []
    var events: [CentralEvent] = []
    var attempt: Attempt?
    var links: [CentralLink] = []
    var generation: UInt32 = 0
    /// ACL packets that the controller still has room for.
    var freePackets = 0
    /// The link whose turn it is to send.
    var turn = 0
    var advertisers: [KnownAdvertiser] = []

    /// Whether a scan runs, or will when the controller has taken the commands.
    public internal(set) var isScanning = false
    /// Packets of the controller that could not be read, or that belong to nothing; they are ignored.
    public internal(set) var malformedPackets = 0

    /// A central that has not been started. With a random static `address` it uses that, else the controller's own.
    public init(address: BluetoothAddress? = nil) {
        randomAddress = address
    }

    /// Whether the controller has been started.
    public var isReady: Bool { phase == .ready }

    /// The links that are up, in the order in which they came.
    public var openLinks: [LinkID] { links.map(\.id) }

    /// When `advance(to:)` wants to be called, at the latest; nil if only for packets.
    public var nextDeadline: Instant? {
        let attemptEnds = attempt.flatMap { $0.isCancelling ? nil : $0.ends }
        switch (outstanding?.deadline, attemptEnds) {
        case (let command?, let attempt?): return min(command, attempt)
        case (let command, let attempt): return command ?? attempt
        }
    }

    /// Takes the next H4 packet for the controller, replacing the contents of `packet`; false if there is none.
    public mutating func popPacket(into packet: inout [UInt8]) -> Bool {
        guard !outbound.isEmpty else { return false }
        packet = outbound.removeFirst()
        return true
    }

    /// Takes the next event.
    public mutating func popEvent() -> CentralEvent? {
        events.isEmpty ? nil : events.removeFirst()
    }

    /// Tells the time: commands and connection attempts have their limits.
    public mutating func advance(to now: Instant) {
        if let outstanding, outstanding.deadline <= now {
            fail(.commandTimeout(opcode: outstanding.opcode))
        }
        if let attempt, !attempt.isCancelling, attempt.ends <= now { cancelConnecting(at: now) }
    }

    /// Queues a command, and sends it if it is its turn.
    mutating func command(_ opcode: UInt16, _ parameters: [UInt8] = [], at now: Instant) {
        commands.append((opcode, CentralCommand.packet(opcode, parameters)))
        sendCommand(at: now)
    }

    /// Sends the next command, if none is unanswered.
    mutating func sendCommand(at now: Instant) {
        guard outstanding == nil, mayCommand, !commands.isEmpty else { return }
        let next = commands.removeFirst()
        outstanding = Outstanding(opcode: next.opcode, deadline: now + Central.commandTimeout)
        outbound.append(next.packet)
    }

    /// Gives everything up; the owner starts again.
    mutating func fail(_ fault: ControllerFault) {
        for link in links { events.append(.disconnected(link.id, reason: .hardwareFailure)) }
        if let attempt { events.append(.connectionFailed(attempt.peer, .hardwareFailure)) }
        forget()
        events.append(.failed(fault))
    }

    /// Back to how it was before the start; generations go on, so that no link identifier comes twice.
    mutating func forget() {
        phase = .off
        controller = CentralController()
        commands.removeAll()
        outstanding = nil
        mayCommand = true
        outbound.removeAll()
        attempt = nil
        links.removeAll()
        freePackets = 0
        advertisers.removeAll()
        isScanning = false
    }
}

/// What the controller has said of itself.
struct CentralController: Equatable, Sendable {
    var supportedCommands: [UInt8] = []
    var features: UInt64 = 0
    var aclDataLength = 0
    var aclPackets = 0
    var address = BluetoothAddress(kind: .public, value: 0)

    /// Whether the Supported Commands have this bit (Core 5.4, Vol 4, Part E, 6.27).
    func supports(octet: Int, bit: UInt8) -> Bool {
        octet < supportedCommands.count && supportedCommands[octet] >> bit & 1 == 1
    }

    /// Whether it scans and connects by the extended commands.
    var isExtended: Bool {
        features >> 12 & 1 == 1 && [5, 6, 7].allSatisfy { supports(octet: 37, bit: $0) }
    }

    /// Whether it can be told to use long packets by itself.
    var hasDataLength: Bool { features >> 5 & 1 == 1 && supports(octet: 34, bit: 0) }
}
