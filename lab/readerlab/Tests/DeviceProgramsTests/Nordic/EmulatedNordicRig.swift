// SPDX-License-Identifier: Apache-2.0

import AirRig
import Devices
import Emulation
import NordicProvisioning
import Peripheral
import Phone
import WiFi
import WiFiStation
import TestSupport
import Testing
import Timekeeping
import VirtualRadio

@testable import HostLoop
@testable import DevicePrograms

/// An emulated Wi-Fi chip with its session, and one phone that sends ATT PDUs as hexadecimal octets. The link needs no
/// protection here: the required security is tested with the table.
final class EmulatedNordicRig: ProgramRig<EmulationSession> {
    private let session: EmulationSession
    private var phone: RecordingPhone { phones[0] }

    /// The handles of the service's values and configurations (Core 5.4, Vol 3, Part F, 3.2.2), as in an ATT PDU:
    /// Generic Access, with its preferred parameters, and Generic Attribute have 1 to 17.
    static let information = "1400", controlPoint = "1600", controlConfiguration = "1700"
    static let dataOut = "1900", dataConfiguration = "1a00"

    /// A seed whose connection events come so that the phone's confirmation arrives when these tests tell it: with half
    /// of the seeds it swaps places with the record beside it.
    private static let seed: UInt64 = 2

    /// A connected phone. A reset of the device's controller terminates links only if `terminatesLinksOnReset`.
    init(
        _ profile: NordicProfile, mtu: String = "020502", terminatesLinksOnReset: Bool = true,
        simulation: WiFiSimulation = NordicWorld.usual
    ) throws {
        let settings = NordicSettings(profile: profile)
        let unit = EmulatedNordic(settings, simulation, stored: settings.emptyStore, file: nil)
        session = EmulationSession([unit])
        var definition = unit.define(0)
        for place in definition.characteristics.indices {
            definition.characteristics[place].security = .none
            definition.characteristics[place].configuration = nil
        }
        session.watch(&definition, 0)
        var settingsOfHost = ProgramSettings()
        unit.adapt(&settingsOfHost.host)
        var controllerProfile = ControllerProfile.modern
        controllerProfile.terminatesLinksOnReset = terminatesLinksOnReset
        try super.init(
            session, [definition], seed: EmulatedNordicRig.seed, profile: controllerProfile, settings: settingsOfHost
        ) { program in
            program.onDeadline({ $0.deadline }) { session, context in session.advance(&context) }
            program.onOther { session, context, event in session.receive(event, &context) }
        }
        _ = try connected()
        if !mtu.isEmpty { try send(mtu) }
        try send("12" + Self.dataConfiguration + "0100")
        try send("12" + Self.controlConfiguration + "0200")
    }

    /// The timeline entries since the last call, one per line, without the times.
    func told() -> [String] {
        let text = TimelineText(hasColour: false, hasDevices: false)
        return all { session.timeline.next() }.map { String(text.line($0).dropFirst(20)) }
    }

    /// The times of all entries so far.
    var times: [String] { session.timeline.entries.map { "\($0.at)" } }

    /// Types a line.
    func type(_ line: String) throws {
        let command = try EmulationCommand(line: line, steps: EmulationSession.steps(of: session.units))
        device.act(at: air.now) { session, context in
            session.catchUp(context.now)
            _ = session.execute(command, &context)
        }
        run(.milliseconds(100))
    }

    /// Connects again.
    func connect() throws {
        try phone.central.connect(to: keys.address(ofDevice: 0), at: air.now)
        run(.seconds(2))
    }

    var isConnected: Bool { phone.link != nil }

    /// The reasons for which links ended, as the phone saw them.
    var ends: [UInt8] { phone.ends.map(\.rawValue) }

    /// Sends a PDU; returns the PDUs received shortly afterwards.
    @discardableResult
    func send(_ pdu: String, wait: Duration = .milliseconds(200)) throws -> [String] {
        try send(octets(pdu), phone, wait: wait).map(hex)
    }

    /// Writes a request to the control point; returns the PDUs received shortly afterwards, each indication confirmed
    /// if `confirms`.
    func write(_ request: String, confirms: Bool = true) throws -> [String] {
        let answers = try send("12" + Self.controlPoint + request)
        return confirms ? try confirmed(answers) : answers
    }

    /// The PDUs received within this time, confirmed.
    func wait(_ duration: Duration) throws -> [String] {
        phone.received.removeAll()
        run(duration)
        return try confirmed(phone.pdus.map(hex))
    }

    private func confirmed(_ pdus: [String]) throws -> [String] {
        var pdus = pdus
        var place = 0
        while place < pdus.count {
            if isConnected, pdus[place].hasPrefix("1d") { pdus += try send("1e") }
            place += 1
        }
        return pdus
    }
}
