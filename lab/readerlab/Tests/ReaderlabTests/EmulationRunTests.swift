// SPDX-License-Identifier: Apache-2.0

import Emulation
import LabReport
import Peripheral
import TestSupport
import Testing
import Timekeeping

import Commands
@testable import Console
@testable import DevicePrograms
@testable import readerlab

/// Descriptions and refusals of devices before they are advertised.
@Suite struct EmulationRunTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// The first line of each device, and the number of further lines.
    private func said(_ list: String) throws -> [(String, Int)] {
        let units = try EmulatedDevices.load(directory.write("devices.json", "{\"devices\": [\(list)]}"))
        TemporaryDirectory.remove(directory.path + "/devices.json")
        let keys = EmulationRun.keys(EmulationAddress.parse("C0:11:22:33:44:55"))
        return units.indices.map {
            let lines = EmulationRun.lines(units, $0, keys)
            return (lines.first ?? "", lines.dropFirst().filter { $0.hasPrefix("  ") }.count)
        }
    }

    @Test func whatIsTheSameOfTheDeviceBeforeIsSaidOnce() throws {
        let same = try said(#"{"kind": "smarter-ai", "name": "a"}, {"kind": "smarter-ai", "name": "b"}"#)
        #expect(same.map(\.0) == ["device 1: \"a\" at C0:11:22:33:44:55", "device 2: \"b\" at C0:11:22:33:44:56"])
        #expect(same[0].1 > 0 && same[1].1 == 0)
        let others = try said(
            #"{"kind": "smarter-ai"}, {"kind": "smarter-ai", "state": "onboarded-offline"}, {"kind": "nordic-wifi"}"#)
        #expect(others.allSatisfy { $0.1 > 0 })
    }

    /// A camera and a chip both have a step `status`.
    @Test func stepsAreListedOnceEachWithWhatTheyAreOfEachKind() throws {
        let list = #"{"kind": "smarter-ai"}, {"kind": "smarter-ai"}, {"kind": "nordic-wifi"}"#
        let units = try EmulatedDevices.load(directory.write("devices.json", "{\"devices\": [\(list)]}"))
        let lines = EmulationSession.stepLines(of: units)
        let names = lines.map { $0.prefix { $0 != " " } }
        #expect(Set(names).count == names.count && names.contains("credentials") && names.contains("set-config"))
        #expect(
            lines.filter { $0.hasPrefix("status ") } == [
                "status (value): the value that a new subscriber is sent; or (value): an answer, as indication"
            ])
    }

    @Test func aTranscriptThatCannotBeWrittenIsSaidAtTheStart() throws {
        try EmulationTranscript(path: nil).check()
        try EmulationTranscript(path: directory.path + "/run.json").check()
        for (path, why) in [
            (directory.path + "/none/run.json", "No such file or directory"), (directory.path, "Is a directory"),
        ] {
            let error = try #require(throws: CommandError.self) { try EmulationTranscript(path: path).check() }
            #expect(error.code == 1)
            #expect(
                error.text
                    == "\(path): cannot write the transcript: \(why); name a file in a directory that may be written")
        }
    }

    @Test func aRunWithFindingsFailsIfAsked() throws {
        var timeline = Timeline(start: .origin, expectations: [AppExpectations(), AppExpectations()])
        for isAsked in [false, true] {
            try EmulationVerdict(junit: nil, failsOnFindings: isAsked).judge(timeline)
        }
        timeline.mistake("small-mtu", "agreed on 23 & lost", entry: 7, device: 1, link: 2, at: .origin)
        try EmulationVerdict(junit: nil, failsOnFindings: false).judge(timeline)
        let error = try #require(throws: CommandError.self) {
            try EmulationVerdict(junit: nil, failsOnFindings: true).judge(timeline)
        }
        #expect(error == CommandError(code: 3, text: "the app got something wrong: 1 finding, see above"))

        let run = EmulationVerdict.run(timeline, devices: 2, "emulate devices")
        #expect(
            run.cases == [
                LabCase("emulate.devices.device-1", "no findings"),
                LabCase(
                    "emulate.devices.device-2", "small-mtu",
                    .failed(type: "small-mtu", message: "agreed on 23 & lost", text: "entry 7, link 2")),
            ])
        let alone = EmulationVerdict.run(timeline, devices: 1, "emulate reader")
        #expect(alone.cases.map(\.className) == ["emulate.reader"])
    }
}
