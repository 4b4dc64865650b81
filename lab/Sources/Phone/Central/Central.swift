// SPDX-License-Identifier: Apache-2.0

public import Peripheral
public import Timekeeping

/// The host of a Bluetooth LE central, as in a phone: scanning, links, ATT PDUs.
///
/// A value without I/O: H4 packets from the controller, requests and the time go in; H4 packets for the controller
/// and events come out, to be taken with `popPacket(into:)` and `popEvent()` after every call. It uses the extended
/// scanning and initiating commands if the controller supports them, and the legacy ones otherwise; never both (Core
/// 5.4, Vol 4, Part E, 3.1.1). It does not encrypt: a peer that requests pairing receives Pairing Not Supported.
public struct Central: Sendable {
    /// The time-out of an HCI command.
    public static let commandTimeout = Duration.seconds(2)

    enum Phase: Equatable {
        case off
        case starting(Startup)
        case ready
    }

    /// A connection attempt.
    struct Attempt {
        var peer: BluetoothAddress
        var ends: Instant
        var isCancelling = false
    }

    /// A command that the controller has not answered.
    struct Outstanding {
        var opcode: HCIOpcode
        var deadline: Instant
    }

    /// The random address to use; nil for the controller's public address.
    var randomAddress: BluetoothAddress?
    var phase = Phase.off
    var controller = CentralController()
    /// Queued commands.
    var commands: [any HCICommand] = []
    var outstanding: Outstanding?
    var mayCommand = true
    var outbound: [[UInt8]] = []
    var events: [CentralEvent] = []
    var attempt: Attempt?
    /// The links whose RSSI is being read, in the order of the commands.
    var readings: [LinkID] = []
    var links: [CentralLink] = []
    var generation: UInt32 = 0
    /// Free ACL packet buffers of the controller.
    var freePackets = 0
    /// The index of the link that sends next.
    var turn = 0
    var advertisers: [KnownAdvertiser] = []
    let scanning: ScanDuty

    /// True if scanning is enabled, or will be when the controller has executed the commands.
    public internal(set) var isScanning = false
    /// The number of controller packets that were malformed or belonged to no link; they are ignored.
    public internal(set) var malformedPackets = 0

    /// A central that is not started. It uses the random static `address` if given, otherwise the controller's public
    /// address.
    ///
    /// - Parameter scanning: the share of time in which it listens while it scans.
    public init(address: BluetoothAddress? = nil, scanning: ScanDuty = .always) {
        randomAddress = address
        self.scanning = scanning
    }

    /// The kind of the address that the central uses.
    var ownKind: BluetoothAddress.Kind { randomAddress == nil ? .public : .random }

    /// True if the controller is initialized.
    public var isReady: Bool { phase == .ready }

    /// The open links, oldest first.
    public var openLinks: [LinkID] { links.map(\.id) }

    /// The time of the next call of `advance(to:)`; nil if only a packet can change anything.
    public var nextDeadline: Instant? {
        Instant.earlier(outstanding?.deadline, attempt.flatMap { $0.isCancelling ? nil : $0.ends })
    }

    /// Copies the next H4 packet for the controller into `packet`; false if no packet is pending.
    public mutating func popPacket(into packet: inout [UInt8]) -> Bool {
        guard !outbound.isEmpty else { return false }
        packet = outbound.removeFirst()
        return true
    }

    /// Removes and returns the next event, or nil.
    public mutating func popEvent() -> CentralEvent? {
        events.isEmpty ? nil : events.removeFirst()
    }

    /// Applies the time-outs of commands and connection attempts.
    public mutating func advance(to now: Instant) {
        if let outstanding, outstanding.deadline <= now {
            fail(.commandTimeout(opcode: outstanding.opcode.rawValue))
        }
        if let attempt, !attempt.isCancelling, attempt.ends <= now { cancelConnecting(at: now) }
    }

    /// Queues a command, and sends it if none is outstanding.
    mutating func command(_ command: some HCICommand, at now: Instant) {
        commands.append(command)
        sendCommand(at: now)
    }

    /// Sends the next command if none is outstanding.
    mutating func sendCommand(at now: Instant) {
        guard outstanding == nil, mayCommand, !commands.isEmpty else { return }
        let next = commands.removeFirst()
        outstanding = Outstanding(opcode: next.opcode, deadline: now + Central.commandTimeout)
        var packet: [UInt8] = []
        next.appendPacket(to: &packet)
        outbound.append(packet)
    }

    /// Ends all links after a controller failure; the owner starts again.
    mutating func fail(_ fault: ControllerFault) {
        transportLost()
        events.append(.failed(fault))
    }

    /// Handles the loss of the transport to the controller: all links and the attempt end. `start(at:)` starts again.
    public mutating func transportLost() {
        for link in links { events.append(.disconnected(link.id, reason: .hardwareFailure)) }
        if let attempt { events.append(.connectionFailed(attempt.peer, .hardwareFailure)) }
        forget()
    }

    /// Returns to the initial state. Generations continue, so that no link identifier is reused.
    mutating func forget() {
        phase = .off
        controller = CentralController()
        commands.removeAll()
        outstanding = nil
        mayCommand = true
        outbound.removeAll()
        attempt = nil
        readings.removeAll()
        links.removeAll()
        freePackets = 0
        advertisers.removeAll()
        isScanning = false
    }
}

/// The capabilities of the controller.
struct CentralController: Equatable, Sendable {
    var commands = SupportedCommands()
    var features: UInt64 = 0
    var buffers = DataBuffers()
    var address = BluetoothAddress(kind: .public, value: 0)

    /// True if the extended scanning and initiating commands are supported (Core 5.4, Vol 4, Part E, 6.27).
    var isExtended: Bool {
        features >> 12 & 1 == 1 && (5...7).allSatisfy { commands.contains(octet: 37, bit: $0) }
    }

    /// True if the suggested default data length can be written.
    var hasDataLength: Bool { features >> 5 & 1 == 1 && commands.hasSuggestedDataLength }
}
