// SPDX-License-Identifier: Apache-2.0

import CardFormats
public import Crypto
public import Timekeeping

/// A peripheral device of OSDP 2.2: octets of the line and time go in, effects come out.
///
/// Without a key it takes commands in clear. With one it answers ID and CAP, and POLL without a report, and refuses
/// everything else outside of a secure session under that key. The well-known key, SCBK-D, is taken only while an
/// installation window is open, which a new key closes.
public struct OSDPDevice: Sendable {
    /// The silence after which the panel is lost.
    public static let silence: Duration = .seconds(8)
    /// The pause within a frame after which its start was none.
    public static let characterPause: Duration = .milliseconds(100)
    /// The minimum of octets that a panel has to take (osdp_ACURXSIZE).
    public static let receiveSizeMinimum: UInt16 = 128
    /// The maximum of keys in one report.
    public static let keyLimit = 16
    /// The maximum of octets of a maker's report.
    public static let manufacturerLimit = 64

    /// The identity and the equipment.
    public let configuration: OSDPConfiguration
    /// Address and speed.
    public internal(set) var line: OSDPLine
    /// True while the panel is there.
    public internal(set) var isOnline = false
    /// True if a key is set.
    public var hasKey: Bool { key != nil }
    /// True while the installation window is open.
    public var isInstalling: Bool { installationEnd != nil }
    /// True if commands in clear are obeyed.
    var takesClear: Bool { key == nil && !configuration.requiresKey }
    /// True if the panel is there, and obeyed: in clear where that is permitted, otherwise in a session under the key.
    public var isTrusted: Bool { isOnline && (takesClear || secured.map(isTrusted) ?? false) }
    /// True in a secure session.
    public var isSecure: Bool { secured != nil }
    /// The states of the outputs.
    public var outputStates: [Bool] { outputs.states }

    /// A secure session, and whether its key is known to everybody.
    struct Secured: Sendable {
        var session: OSDPSession
        var isWithWellKnownKey: Bool
    }

    /// A handshake between osdp_CCRYPT and osdp_SCRYPT.
    struct Challenged: Sendable {
        var handshake: OSDPHandshake
        var isWithWellKnownKey: Bool
    }

    /// The last command and its reply, which a repetition gets again.
    struct Exchange: Sendable {
        var command: [UInt8]
        var sequence: UInt8
        var reply: [UInt8]?
    }

    var key: OSDPKey?
    var installationEnd: Instant?
    var challenged: Challenged?
    var secured: Secured?
    var exchange: Exchange?
    /// A key that is being stored, with the command that waits for it.
    var pendingKey: (key: OSDPKey, frame: OSDPFrame)?
    var outputs: OSDPOutputs
    var queue = OSDPEventQueue()
    var transfer: OSDPFileTransfer?
    /// The pause that a panel is asked for before the next part of a file, or the next question for its result, in
    /// milliseconds.
    public var fileDelay: UInt16 = 0
    var inputs: [Bool]
    var isTampered = false
    var isReaderConnected = true
    var hasPowerFailure = false
    private var decoder = OSDPFrameDecoder()
    private var lastOctet = Instant.origin
    var lastHeard = Instant.origin
    /// The time of the last command that may switch outputs.
    var lastTrusted = Instant.origin
    /// True while the command at hand was opened in the session, in which it is answered then.
    var isOpened = false

    /// A device with its key, if one was ever set.
    public init(_ configuration: OSDPConfiguration, key: OSDPKey?) {
        self.configuration = configuration
        self.key = key
        line = configuration.line
        outputs = OSDPOutputs(count: configuration.outputs)
        inputs = Array(repeating: false, count: configuration.inputs)
    }

    // MARK: - Line and time

    /// Takes octets of the line in any pieces.
    public mutating func receive(
        _ octets: Span<UInt8>, at now: Instant, random: inout some RandomSource, effects: inout [OSDPEffect]
    ) {
        advance(to: now, effects: &effects)
        var items: [OSDPFrameDecoder.Item] = []
        if decoder.heldCount > 0, now - lastOctet > OSDPDevice.characterPause {
            decoder.abandon { items.append($0) }
        }
        lastOctet = now
        for index in octets.indices {
            decoder.receive(octets[index]) { items.append($0) }
        }
        for item in items {
            switch item {
            case .frame(let frame, let octets): hear(frame, octets, at: now, &random, &effects)
            case .damaged(let fault, let octets): hear(fault, octets, &effects)
            case .noise: break
            }
        }
        tellDropped(&effects)
    }

    /// Lets time pass.
    public mutating func advance(to now: Instant, effects: inout [OSDPEffect]) {
        if let end = installationEnd, end <= now { closeInstallation(effects: &effects) }
        switchOutputs(&effects) { $0.advance(to: now) }
        queue.advance(to: now)
        if isOnline, now - lastHeard >= OSDPDevice.silence { goOffline(&effects) }
        if let end = releaseTime, end <= now { switchOutputs(&effects) { $0.release() } }
        tellDropped(&effects)
    }

    /// The time at which `advance` has something to do.
    public var deadline: Instant? {
        let silence = isOnline ? lastHeard + OSDPDevice.silence : nil
        return [silence, installationEnd, outputs.deadline, queue.deadline, releaseTime].compactMap { $0 }.min()
    }

    /// The end of the panel's power over the outputs: commands in clear do not prolong it once a key is set.
    private var releaseTime: Instant? {
        guard configuration.obeysOutputOrders, !configuration.keepsOutputsOffline, outputs.isAnyOn else { return nil }
        return lastTrusted + OSDPDevice.silence
    }

    private mutating func goOffline(_ effects: inout [OSDPEffect]) {
        isOnline = false
        exchange = nil
        challenged = nil
        queue.restore()
        // The person has gone; the states are still true.
        queue.clear()
        endSession(.silence, &effects)
        if transfer != nil { abortFile(&effects) }
        effects.append(.notice(.offline))
    }

    /// False for a session under the well-known key, unless the device obeys anybody.
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

    /// Changes outputs, and reports those that are switched.
    mutating func switchOutputs(_ effects: inout [OSDPEffect], _ body: (inout OSDPOutputs) -> Void) {
        let before = outputs.states
        body(&outputs)
        for (index, isOn) in outputs.states.enumerated() where isOn != before[index] {
            effects.append(.output(index, isOn: isOn))
            queue.change(.outputs)
        }
    }

    private mutating func tellDropped(_ effects: inout [OSDPEffect]) {
        let count = queue.takeDropped()
        if count > 0 { effects.append(.notice(.eventsDropped(count))) }
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

    // MARK: - Events

    /// Reports a card on the next poll. False if it has no bits or too many.
    public mutating func present(_ card: OSDPCardData, at now: Instant, effects: inout [OSDPEffect]) -> Bool {
        guard (1...CardFormat.bitLimit).contains(Int(card.bitCount)), card.octets.count == (Int(card.bitCount) + 7) / 8
        else { return false }
        queue.add(.card(card), at: now)
        tellDropped(&effects)
        return true
    }

    /// Reports keys: digits, * and #. False for other characters, none, or too many.
    public mutating func press(_ keys: String, at now: Instant, effects: inout [OSDPEffect]) -> Bool {
        var codes: [UInt8] = []
        for key in keys.utf8 {
            switch key {
            case 0x30...0x39: codes.append(key)
            case 0x2A: codes.append(0x7F)
            case 0x23: codes.append(0x0D)
            default: return false
            }
        }
        guard (1...OSDPDevice.keyLimit).contains(codes.count) else { return false }
        queue.add(.keypad(reader: 0, codes), at: now)
        tellDropped(&effects)
        return true
    }

    /// Reports a maker's message under the device's vendor code. False if it is too long.
    public mutating func report(manufacturer data: [UInt8], at now: Instant, effects: inout [OSDPEffect]) -> Bool {
        guard data.count <= OSDPDevice.manufacturerLimit else { return false }
        queue.add(
            .manufacturer(OSDPManufacturerData(vendor: configuration.identity.vendor, data: data)), at: now)
        tellDropped(&effects)
        return true
    }

    /// The state of an input. False if there is no such input.
    public mutating func setInput(_ input: Int, isActive: Bool) -> Bool {
        guard inputs.indices.contains(input) else { return false }
        if inputs[input] != isActive { queue.change(.inputs) }
        inputs[input] = isActive
        return true
    }

    /// The state of an output that the device has set by itself. It ends the panel's order, without an effect. False if
    /// there is no such output.
    public mutating func setOutput(_ output: Int, isOn: Bool) -> Bool {
        guard outputs.states.indices.contains(output) else { return false }
        if outputs.states[output] != isOn {
            outputs.set(output, isOn: isOn)
            queue.change(.outputs)
        }
        return true
    }

    /// The state of the tamper switch.
    public mutating func setTampered(_ isTampered: Bool) {
        guard self.isTampered != isTampered else { return }
        queue.change(.local)
        queue.change(.reader)
        self.isTampered = isTampered
    }

    /// The state of the reader (osdp_RSTATR, 7.9), which a tamper hides; true at first.
    public mutating func setReaderConnected(_ isReaderConnected: Bool) {
        if self.isReaderConnected != isReaderConnected, !isTampered { queue.change(.reader) }
        self.isReaderConnected = isReaderConnected
    }

    /// The state of the power supply.
    public mutating func setPowerFailure(_ hasPowerFailure: Bool) {
        if self.hasPowerFailure != hasPowerFailure { queue.change(.local) }
        self.hasPowerFailure = hasPowerFailure
    }
}
