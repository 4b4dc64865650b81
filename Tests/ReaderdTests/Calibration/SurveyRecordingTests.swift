// SPDX-License-Identifier: Apache-2.0

import Configuration
import GateTrial
import JSON
import Peripheral
import Proximity
import Reader
import Testing
import Timekeeping

@testable import readerd

/// docs/operate/control.md, "Surveys".
@Suite struct SurveyRecordingTests {
    private let start = Instant.origin + .seconds(100)
    private var recording: SurveyRecording

    init() { recording = SurveyRecording(ticket: 7, start: start) }

    private func link(_ number: UInt32) -> LinkID { LinkID(slot: Int(number % 8), generation: number) }

    private func address(_ number: UInt8) -> BluetoothAddress {
        BluetoothAddress(kind: .random, value: 0xC010_8BB6_E200 + UInt64(number))
    }

    private mutating func receive(_ milliseconds: Int64, _ notice: ReaderNotice) {
        recording.receive(notice, at: start + .milliseconds(milliseconds))
    }

    private var answer: String { recording.answer(ReaderSettings().proximity).text }

    @Test mutating func phonesAreNumbersOfTheSurvey() {
        receive(10, .connected(link(4), .access, peer: address(1)))
        receive(35, .traced(link(4), dBm: -57))
        receive(40, .connected(link(5), nil, peer: address(2)))
        receive(65, .traced(link(5), dBm: -80))
        receive(70, .disconnected(link(4), reason: 0x13))
        receive(75, .traced(link(4), dBm: -1))
        receive(600, .connected(link(6), .access, peer: address(1)))
        receive(625, .traced(link(6), dBm: -58))
        #expect(
            answer == #"{"gate":{"threshold-dbm":-60,"window-ms":400,"interval-ms":25,"samples":3},"#
                + #""own-gates":[],"readings":[[1,35,-57],[2,65,-80],[1,625,-58]]}"#)
    }

    @Test mutating func linksFromBeforeAreNotMeasured() {
        receive(10, .traced(link(1), dBm: -50))
        receive(10, .measured(link(1), dBm: -50))
        #expect(answer.hasSuffix(#""readings":[]}"#))
    }

    /// However many come, the answer is bounded.
    @Test mutating func readingsAndPhonesAreBounded() throws {
        for number in 0..<40 {
            receive(0, .connected(link(UInt32(number)), .access, peer: address(UInt8(number))))
            for _ in 0..<200 { receive(29_999, .traced(link(UInt32(number)), dBm: -126)) }
        }
        let readings = try #require(JSONParser.parse(Array(answer.utf8))["readings"]?.elements)
        #expect(readings.count == SurveyRecording.maximumReadings)
        #expect(Set(readings.compactMap { $0.elements[0].text }.compactMap { Int($0) }).max() ?? 0 <= 16)
        #expect(answer.utf8.count < ControlLimits.waitingCount / 4)
    }

    /// The lines that `calibrate` prints would not change those.
    @Test func modesWithAGateOfTheirOwnAreNamed() throws {
        let text =
            "[proximity]\nsamples = 5\n[proximity.on-touch]\nthreshold-dbm = -45\n[proximity.classic]\nsamples = 1\n"
        let settings = SettingsFile.decode(Array(text.utf8).span).settings
        let answer = recording.answer(settings.proximity).text
        #expect(answer.contains(#""samples":5},"own-gates":["on-touch"],"#))
        let survey = try #require(try SurveyAnswer(JSONParser.parse(Array(answer.utf8))))
        #expect(survey.ownGates == ["on-touch"] && survey.gate.samples == 5)
    }

    // MARK: The answer at the client

    @Test mutating func theClientReadsIt() throws {
        receive(10, .connected(link(4), .access, peer: address(1)))
        receive(35, .traced(link(4), dBm: -57))
        let survey = try #require(try SurveyAnswer(JSONParser.parse(Array(answer.utf8))))
        #expect(survey.gate == ProximityGate.Configuration() && survey.phones == 1)
        #expect(survey.readings == [.init(at: .milliseconds(35), metres: nil, dBm: -57)])
    }

    @Test(arguments: [
        #"{"ok":true}"#, #"{"gate":{"threshold-dbm":-60,"window-ms":400,"interval-ms":25,"samples":3}}"#,
        #"{"gate":{"threshold-dbm":0,"window-ms":400,"interval-ms":25,"samples":3},"readings":[]}"#,
        #"{"gate":{"threshold-dbm":-60,"window-ms":400,"interval-ms":25,"samples":3},"readings":[[1,2]]}"#,
        #"{"gate":{"threshold-dbm":-60,"window-ms":400,"interval-ms":25,"samples":3},"readings":[[1,2,9]]}"#,
        #"{"gate":{"threshold-dbm":-60,"window-ms":400,"interval-ms":25,"samples":3},"readings":[[1,2,-9],[1,1,-9]]}"#,
    ])
    func whatIsNoAnswerIsRefused(text: String) throws {
        #expect(try SurveyAnswer(JSONParser.parse(Array(text.utf8))) == nil)
    }
}
