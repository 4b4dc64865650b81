// SPDX-License-Identifier: Apache-2.0

public import Timekeeping

/// A peripheral device of OSDP 2.2: octets of the line and time go in, effects come out.
///
/// Without a key it accepts commands in clear. With a key it answers ID and CAP, and POLL without a report, and refuses
/// everything else outside a secure session under that key. The well-known key, SCBK-D, is accepted only while an
/// installation window is open, which a new key closes.
public struct OSDPDevice: Sendable {
    /// The silence after which the panel is offline.
    public static let silence: Duration = .seconds(8)
    /// The pause within a frame that ends it (5.6, inter-character timeout).
    public static let characterPause: Duration = .milliseconds(20)
    /// The time from the last octet of a command to its reply. Later the panel may already be addressing another
    /// device, so the command is neither answered nor executed.
    public static let answerTime: Duration = .milliseconds(200)
    /// The time after which a card, keys or a message are no longer reported.
    public static let reportLifetime = OSDPEventQueue.lifetime
    /// The minimum frame size that a panel has to accept, in octets (osdp_ACURXSIZE).
    public static let receiveSizeMinimum: UInt16 = 128
    /// The maximum number of keys in one report.
    public static let keyLimit = 16
    /// The maximum length of a manufacturer's report in octets.
    public static let manufacturerLimit = 64

    /// The identity and the equipment.
    public let configuration: OSDPConfiguration
    /// Address and speed.
    public internal(set) var line: OSDPLine
    /// True while the panel is online. Once a key is set, only valid MACs prove that: any device can send other frames.
    public internal(set) var isOnline = false
    /// True if a key is set.
    public var hasKey: Bool { key != nil }
    /// True while the installation window is open.
    public var isInstalling: Bool { installationEnd != nil }
    /// True if commands in clear are executed.
    var takesClear: Bool { key == nil && !configuration.requiresKey }
    /// True if the panel is online and its commands are executed: in clear where permitted, otherwise in a session
    /// under the key.
    public var isTrusted: Bool { isOnline && (takesClear || secured.map(isTrusted) ?? false) }
    /// True in a secure session.
    public var isSecure: Bool { secured != nil }
    /// The states of the outputs.
    public var outputStates: [Bool] { outputs.states }

    /// A secure session, and whether its key is the published SCBK-D.
    struct Secured: Sendable {
        var session: OSDPSession
        var isWithWellKnownKey: Bool
    }

    /// A handshake between osdp_CCRYPT and osdp_SCRYPT.
    struct Challenged: Sendable {
        var handshake: OSDPHandshake
        var isWithWellKnownKey: Bool
    }

    /// The last command and its reply, which is sent again for a repetition until `end`.
    struct Exchange: Sendable {
        var command: [UInt8]
        var sequence: UInt8
        var reply: [UInt8]?
        var end: Instant
    }

    /// A key that is being stored, with the command that waits for it.
    struct PendingKey: Sendable {
        var key: OSDPKey
        var frame: OSDPFrame
        /// The time until which the command, or its last repetition, can be answered; nil after another command.
        var answerEnd: Instant?
    }

    var key: OSDPKey?
    var installationEnd: Instant?
    var challenged: Challenged?
    var secured: Secured?
    var exchange: Exchange?
    var pendingKey: PendingKey?
    var outputs: OSDPOutputs
    var queue = OSDPEventQueue()
    var transfer: OSDPFileTransfer?
    /// The requested pause before the panel's next part of a file, or its next question for the result, in
    /// milliseconds.
    public var fileDelay: UInt16 = 0
    var inputs: [Bool]
    var isTampered = false
    var isReaderConnected = true
    var hasPowerFailure = false
    /// True while orders to switch an output on are not executed. The reply has the states of the outputs: panels
    /// interpret a refusal as a defect of the device.
    public var refusesSwitchingOn = false
    /// True once a file can no longer be dropped: osdp_ABORT is refused with NAK 9, and another file with −1.
    public var holdsFile = false
    var decoder = OSDPFrameDecoder()
    var lastOctet = Instant.origin
    /// After dropped octets, the time until which the next ones are dropped as well, unless a pause precedes them: an
    /// adapter delivers delayed octets at once.
    var outOfStepEnd: Instant?
    /// The time of the last frame for the device, from any sender.
    var lastAddressed: Instant?
    /// The time of the last frame that proves the panel online.
    var lastProof = Instant.origin
    /// The time of the last frame of the session, under any key.
    var lastOpened = Instant.origin
    /// The time of the last command with all rights; nil before the first.
    public internal(set) var lastTrusted: Instant?
    /// True if the current command was opened in the session; the reply is then sealed in it.
    var isOpened = false
    /// The time until which the current command can be answered.
    var answerEnd = Instant.origin

    /// Creates a device with its key; nil if no key was ever set.
    public init(_ configuration: OSDPConfiguration, key: OSDPKey?) {
        self.configuration = configuration
        self.key = key
        line = configuration.line
        outputs = OSDPOutputs(count: configuration.outputs)
        inputs = Array(repeating: false, count: configuration.inputs)
    }

    // MARK: - Session and outputs

    /// False for a session under the well-known key, unless the device accepts commands in clear.
    func isTrusted(_ secured: Secured) -> Bool { takesClear || !secured.isWithWellKnownKey }

    mutating func endSession(_ reason: OSDPNotice.Reason, _ effects: inout [OSDPEffect]) {
        guard secured != nil else { return }
        secured = nil
        effects.append(.notice(.unsecured(reason)))
    }

    mutating func abortFile(_ effects: inout [OSDPEffect]) {
        transfer = nil
        effects.append(.fileAborted)
    }

    /// Changes outputs, and reports each output that switches.
    mutating func switchOutputs(_ effects: inout [OSDPEffect], _ body: (inout OSDPOutputs) -> Void) {
        let before = outputs.states
        body(&outputs)
        for (index, isOn) in outputs.states.enumerated() where isOn != before[index] {
            effects.append(.output(index, isOn: isOn))
            queue.change(.outputs)
        }
    }

    mutating func reportDropped(_ effects: inout [OSDPEffect]) {
        let dropped = queue.takeDropped()
        guard !dropped.isEmpty else { return }
        effects.append(.notice(.eventsDropped(dropped.count)))
        for case .card(let card) in dropped { effects.append(.notice(.cardDropped(card))) }
    }

    // MARK: - Installation

    /// Opens the installation window: until `end`, or until a key is set, the well-known key begins a session, and
    /// osdp_COMSET is taken in clear.
    public mutating func openInstallation(until end: Instant) { installationEnd = end }

    /// Closes the window. A session under the well-known key ends.
    public mutating func closeInstallation(effects: inout [OSDPEffect]) {
        guard installationEnd != nil else { return }
        installationEnd = nil
        if challenged?.isWithWellKnownKey == true { challenged = nil }
        if secured?.isWithWellKnownKey == true { endSession(.installationEnded, &effects) }
        effects.append(.notice(.installationEnded))
    }
}
