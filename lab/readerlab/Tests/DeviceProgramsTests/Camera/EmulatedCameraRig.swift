// SPDX-License-Identifier: Apache-2.0

import AirRig
import Devices
import Emulation
import HostLoop
import Peripheral
import Phone
import TestSupport
import Timekeeping
import VirtualRadio
import WiFi
import WiFiStation

@testable import DevicePrograms

/// An emulated camera with its session, and phones that send ATT PDUs as octets.
final class EmulatedCameraRig: ProgramRig<EmulationSession> {
    /// The handles of the value, which takes credentials too, and of its configuration.
    static let value = "1200", configuration = "1300"
    /// Credentials of the usual network.
    static let good = "Home\ncorrect horse\nann\nt0k3n\n"

    let session: EmulationSession

    /// - Parameters:
    ///   - networks: the file of `--wifi-sim`.
    ///   - change: changes the camera's settings.
    convenience init(networks: String? = nil, _ change: (inout CameraSettings) -> Void = { _ in }) throws {
        let simulation = try networks.map { try WiFiSimulation(json: Array($0.utf8)) } ?? WiFiSimulationFile.usual()
        try self.init(simulation, change)
    }

    init(_ simulation: WiFiSimulation, _ change: (inout CameraSettings) -> Void = { _ in }) throws {
        var profile = CameraProfile()
        change(&profile.settings)
        let unit = EmulatedCamera(profile, .waiting, simulation, .any, file: nil)
        session = EmulationSession([unit])
        var definition = unit.define(0)
        session.watch(&definition, 0)
        try super.init(session, [definition]) { program in
            program.onDeadline({ $0.deadline }) { session, context in session.advance(&context) }
            program.onOther { session, context, event in session.receive(event, &context) }
        }
    }

    /// A connected phone that has subscribed, with an ATT_MTU of 517 unless that is left out.
    func app(subscribes: Bool = true, hasMTU: Bool = true) throws -> RecordingPhone {
        let phone = try connected()
        if hasMTU { _ = try send(octets("020502"), phone) }
        if subscribes { _ = try send(octets("12" + Self.configuration + "0100"), phone) }
        return phone
    }

    /// Writes credentials, in writes that fit the default ATT_MTU if `isSmall`.
    func write(_ text: String, _ phone: RecordingPhone, isSmall: Bool = false) throws {
        let all = Array(text.utf8)
        for start in stride(from: 0, to: all.count, by: isSmall ? 20 : all.count) {
            let part = all[start..<min(all.count, start + (isSmall ? 20 : all.count))]
            _ = try send(octets("12" + Self.value) + part, phone, wait: .milliseconds(100))
        }
    }

    /// Types a line; returns the answer.
    func type(_ line: String) -> [String] {
        guard let command = try? EmulationCommand(line: line, steps: EmulationSession.steps(of: session.units)) else {
            return ["no command"]
        }
        var lines: [String] = []
        device.act(at: air.now) { session, context in
            session.catchUp(context.now)
            lines = session.execute(command, &context)
        }
        run(.milliseconds(100))
        return lines
    }

    /// The findings so far, as rules with their links.
    var found: [String] {
        session.timeline.findings.map { "\($0.rule) \($0.link ?? 0)" }
    }

    /// The sentences of a rule.
    func sentences(_ rule: String) -> [String] {
        session.timeline.findings.filter { $0.rule == rule }.map(\.sentence)
    }

    /// The steps of the sent values, in order, with the times in milliseconds.
    var sent: [(step: String, at: Int64)] {
        session.timeline.entries.compactMap { entry in
            guard case .sent(let step, _, _, _) = entry.event else { return nil }
            return (step, entry.at.wholeMilliseconds)
        }
    }
}
