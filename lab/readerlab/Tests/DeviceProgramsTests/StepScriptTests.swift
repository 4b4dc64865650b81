// SPDX-License-Identifier: Apache-2.0

import AirRig
import Devices
import Emulation
import NordicProvisioning
import Testing
import Timekeeping
import WiFi
import WiFiStation

@testable import DevicePrograms

/// Each key of `steps` has an effect in each device that takes it.
@Suite struct StepScriptTests {
    /// The keys of a step that a device takes.
    struct Script: CustomStringConvertible, Sendable {
        let step: WiFiSimulation.Step
        let members: String

        var description: String { "\(step.rawValue): \(members)" }

        static let all = WiFiSimulation.Step.allCases.flatMap { step in
            [Script(step: step, members: #""fail": "failed""#), Script(step: step, members: #""delay-ms": 3000"#)]
        }
    }

    private static func simulation(_ script: Script?, _ use: WiFiSimulation.Use) -> WiFiSimulation? {
        let steps = script.map { #", "steps": {"\#($0.step.rawValue)": {\#($0.members)}}"# } ?? ""
        let text = #"{"networks": [{"ssid": "Home", "passphrase": "correct horse"}]\#(steps)}"#
        return try? WiFiSimulation(json: Array(text.utf8), for: use)
    }

    /// The texts and times of what a device does.
    private static func imprint(_ timeline: Timeline) -> [String] {
        let text = TimelineText(hasColour: false, hasDevices: false)
        return timeline.entries.map(text.line)
    }

    /// An onboarding that gets to its end, or to the failure.
    private func camera(_ simulation: WiFiSimulation) throws -> [String] {
        let rig = try EmulatedCameraRig(simulation)
        try rig.write(EmulatedCameraRig.good, rig.app())
        rig.run(.seconds(20))
        return Self.imprint(rig.session.timeline)
    }

    @Test(arguments: Script.all)
    func aCamera(_ script: Script) throws {
        let plain = try camera(#require(Self.simulation(nil, .camera)))
        guard let simulation = Self.simulation(script, .camera) else {
            #expect([.leave, .status].contains(script.step), "only these are refused")
            return
        }
        #expect(try camera(simulation) != plain)
    }

    /// The status, a scan, a configuration, its status, and the end of it.
    private func nordic(_ simulation: WiFiSimulation, _ profile: NordicProfile) throws -> [String] {
        let rig = try EmulatedNordicRig(profile, simulation: simulation)
        for request in [
            "0801", "0802", "08045a250a140a04486f6d651206020000000000180120012804120d636f727265637420686f727365",
        ] {
            _ = try rig.write(request)
            _ = try rig.wait(.seconds(8))
        }
        _ = try rig.write("0801")
        _ = try rig.write("0805")
        _ = try rig.wait(.seconds(1))
        return rig.told() + rig.times
    }

    @Test(arguments: NordicProfile.allCases, Script.all)
    func aChip(_ profile: NordicProfile, _ script: Script) throws {
        guard let simulation = Self.simulation(script, .station) else {
            #expect([.leave, .status, .connectivity, .pairing].contains(script.step), "only these are refused")
            return
        }
        let plain = try nordic(#require(Self.simulation(nil, .station)), profile)
        #expect(plain.contains { $0.contains("Wi-Fi: is in \"Home\"") }, "\(plain)")
        #expect(try nordic(simulation, profile) != plain)
    }
}
