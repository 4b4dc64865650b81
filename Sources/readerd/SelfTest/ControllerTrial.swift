// SPDX-License-Identifier: Apache-2.0

import Configuration
import Octets
import Peripheral
import Reader
import Timekeeping

/// The trial of a controller: resets and initialises it as the reader does, advertises each mode once, and stops. A
/// value without I/O: packets and time in, packets and a verdict out.
struct ControllerTrial: ~Copyable {
    /// A mode to be advertised.
    struct Mode {
        /// The mode.
        var mode: ReaderSettings.Mode
        /// Its advertising set.
        var set: AdvertisingSet
    }

    private enum Phase: Equatable {
        /// The controller is being initialised.
        case starting
        /// The modes are being advertised.
        case advertising
        /// Advertising is being stopped.
        case stopping
        /// The verdict is known.
        case done
    }

    private let name: TransportName
    private var host: Host
    private let modes: [Mode]
    private let gated: [ReaderSettings.Mode]
    private let limited: [ReaderSettings.Mode]
    private var phase = Phase.starting
    private var controller: ControllerDescription?
    private var address: BluetoothAddress?
    private var faults = 0
    /// The sets whose advertising the controller has refused repeatedly.
    private var refusals: [AdvertisingRefusal] = []
    /// The end of the time with all modes advertised; nil before.
    private var allOnAirUntil: Instant?
    /// The reason for an early end.
    private var failure: String?

    /// The number of failed initialisations that ends the trial, as in the reader.
    private static let faultLimit = 2
    /// On a controller with one advertising set, a mode waits for two packets of the previous one: up to 20 s at the
    /// longest configurable interval.
    private static let longestInterval = Duration.milliseconds(100)

    /// Creates the trial of the controller `name` with these modes. Links of `gated` modes need a controller that reads
    /// RSSI; links of `limited` modes need a controller that reads the transmit power of phones.
    init(
        _ name: TransportName, modes: [Mode], gated: [ReaderSettings.Mode], limited: [ReaderSettings.Mode] = []
    ) throws(DatabaseError) {
        self.name = name
        self.modes = modes
        self.gated = gated
        self.limited = limited
        host = Host(database: try DatabaseBuilder().build(), configuration: HostConfiguration())
        host.configure(
            advertising: modes.map { mode in
                var set = mode.set
                if set.fault == nil { set.interval = min(set.interval, ControllerTrial.longestInterval) }
                return set
            })
    }

    /// Starts the trial; the transport is open.
    mutating func start(at now: Instant) {
        host.start(at: now)
        handleEvents(at: now)
    }

    /// Handles a packet of the controller, with its type octet.
    mutating func receive(_ packet: Span<UInt8>, at now: Instant) {
        if let address = ControllerTrial.publicAddress(in: packet) { self.address = address }
        host.receive(packet, at: now)
        handleEvents(at: now)
    }

    /// Executes the actions due at `now`.
    mutating func advance(to now: Instant) {
        host.advance(to: now)
        handleEvents(at: now)
    }

    /// The time of the next call of `advance`; nil if only a packet can change the state.
    var nextDeadline: Instant? {
        phase == .advertising ? Instant.earlier(host.nextDeadline, allOnAirUntil) : host.nextDeadline
    }

    /// Moves the next packet for the controller into `packet`; false without one.
    mutating func popPacket(into packet: inout [UInt8]) -> Bool { host.outbound.popFirst(into: &packet) }

    /// True if the verdict is known and no packet is left for the controller.
    var isDone: Bool { phase == .done }

    /// Ends the trial with this reason: no transport, or time is up.
    mutating func fail(_ why: String) {
        guard phase != .done else { return }
        failure = why
        phase = .done
    }

    /// The outcome for the controller.
    var controllerOutcome: SelfTestOutcome {
        guard let controller else { return .failed(failure ?? "\(name): not started") }
        if !controller.readsRSSI, !gated.isEmpty {
            return .failed(
                "\(name): cannot read RSSI, needed by the modes \(ControllerTrial.names(gated)); replace the "
                    + "controller, or remove them from proximity.gate")
        }
        if !controller.tellsTransmitPower, !limited.isEmpty {
            return .failed(
                "\(name): lacks LE Power Control, needed by the modes \(ControllerTrial.names(limited)); replace the "
                    + "controller, or remove max-path-loss-db")
        }
        let advertising =
            controller.extendedAdvertising
            ? "extended advertising, \(controller.advertisingSets) sets" : "legacy advertising"
        let own = address.map { "\($0)" } ?? "no public address"
        return .ok(
            "\(name): \(own), maker \(ControllerTrial.hexadecimal(controller.manufacturer)), HCI version "
                + "\(controller.hciVersion), \(advertising), \(controller.readsRSSI ? "reads RSSI" : "no RSSI")")
    }

    /// The outcome for advertising.
    var advertisingOutcome: SelfTestOutcome {
        guard controller != nil else { return .failed("not tested: see controller") }
        guard !modes.isEmpty else { return .notConfigured("advertising.modes is empty") }
        let unserved = host.unservedAdvertisingSets
        let impossible = modes.filter { unserved.contains($0.set.id) }.map(\.mode.rawValue)
        guard impossible.isEmpty else {
            return .failed(
                "\(impossible.joined(separator: ", ")) cannot be advertised as configured; check "
                    + "advertising.interval-ms and the identifiers")
        }
        let silent = modes.filter { host.onAirAddress(ofSet: $0.set.id) == nil }.map(\.mode.rawValue)
        if let failure {
            guard !silent.isEmpty else { return .failed("on the air, but could not be stopped: \(failure)") }
            return .failed("\(silent.joined(separator: ", ")) not on the air: \(failure)")
        }
        if let refusal = refusals.first {
            return .failed("\(silent.joined(separator: ", ")) not on the air: \(refusal)")
        }
        let names = modes.map { "\($0.mode.rawValue) \(ControllerTrial.address(of: $0.set))" }
        return .ok(names.joined(separator: ", ") + ": started and stopped")
    }

    // MARK: - Steps

    private mutating func handleEvents(at now: Instant) {
        while let event = host.nextEvent() { handle(event, at: now) }
        if phase == .advertising { checkSets(at: now) }
        if phase == .stopping, host.nextDeadline == nil { phase = .done }
    }

    private mutating func handle(_ event: HostEvent, at now: Instant) {
        switch event {
        case .ready(let description):
            guard phase == .starting || phase == .advertising else { return }
            controller = description
            phase = modes.isEmpty ? .stopping : .advertising
            if modes.isEmpty { host.setAdvertising(enabled: false, at: now) }
        case .controllerFailed(let fault):
            faults += 1
            guard faults >= ControllerTrial.faultLimit || phase == .stopping else { return }
            fail("\(name): \(ControllerTrial.words(fault))")
        case .advertising(let status):
            if phase == .advertising { refusals = status.refusals.filter(\.isRepeated) }
        // Connections during the trial are not served.
        case .connected(let link, _): host.disconnect(link, reason: .remotePowerOff, at: now)
        default: break
        }
    }

    private mutating func checkSets(at now: Instant) {
        let unserved = host.unservedAdvertisingSets
        let refused = refusals.map(\.set)
        // A mode that the controller refuses twice is not waited for.
        guard
            modes.map(\.set.id).allSatisfy({
                unserved.contains($0) || refused.contains($0) || host.onAirAddress(ofSet: $0) != nil
            })
        else { return }
        // The last mode needs time for a packet as well.
        let end = allOnAirUntil ?? now + ControllerTrial.linger
        allOnAirUntil = end
        guard now >= end else { return }
        phase = .stopping
        host.setAdvertising(enabled: false, at: now)
    }

    /// The time of two packets at the trial's interval.
    private static let linger = Duration.milliseconds(200)

    // MARK: - Descriptions

    private static func words(_ fault: ControllerFault) -> String {
        switch fault {
        case .commandTimeout(let opcode):
            "no answer to command \(hexadecimal(opcode)); check power, rate and flow control"
        case .commandRefused(let opcode, let status):
            "command \(hexadecimal(opcode)) refused with \(hexadecimal(status.rawValue)); replace the controller or "
                + "its firmware"
        case .unsuitable(let why): why
        case .hardwareError(let code): "hardware error \(hexadecimal(code)); replace it or its firmware"
        case .stateLost: "\(fault); replace it or its firmware"
        case .transportLost: "connection lost"
        }
    }

    private static func names(_ modes: [ReaderSettings.Mode]) -> String {
        modes.map(\.rawValue).joined(separator: ", ")
    }

    private static func address(of set: AdvertisingSet) -> String {
        if case .fixed(let address) = set.ownAddress { return "\(address)" }
        return "private"
    }

    private static func hexadecimal<Number: FixedWidthInteger>(_ number: Number) -> String {
        "0x" + number.padded(to: Number.bitWidth / 4, radix: 16, uppercase: true)
    }

    /// Returns the address in the answer to HCI_Read_BD_ADDR (Core 5.4, Vol 4, Part E, 7.4.6), which the host does not
    /// expose; nil for any other packet.
    static func publicAddress(in packet: Span<UInt8>) -> BluetoothAddress? {
        // HCI event, Command Complete, length, number of packets, opcode 0x1009, status; then the address, least
        // significant octet first.
        let head: [UInt8?] = [0x04, 0x0E, 0x0A, nil, 0x09, 0x10, 0x00]
        guard packet.count == head.count + 6 else { return nil }
        for index in head.indices {
            if let octet = head[index], packet[index] != octet { return nil }
        }
        var value: UInt64 = 0
        for index in 0..<6 { value |= UInt64(packet[head.count + index]) << UInt64(8 * index) }
        return value == 0 ? nil : BluetoothAddress(kind: .public, value: value)
    }
}
