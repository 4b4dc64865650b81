// SPDX-License-Identifier: Apache-2.0

import Configuration
import GateTrial
import Glibc
import Reader
import TestSupport
import Testing

@testable import readerd

@Suite struct CalibrateCommandTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private var path: String { directory.path + "/site.csv" }

    /// Runs the command on the file: exit status or error, what it printed, what it complained about.
    private func calibrate(_ words: String...) -> ProgramOutcome {
        Program.outcome(of: ["calibrate", "--traces", path, "--door", "0", "--away", "0"] + words)
    }

    /// Walks of one window each.
    private func write(door: [Int8], away: [Int8]) throws {
        var file = try SurveyFile(path)
        for (levels, place) in [(door, SiteSurvey.Place.door), (away, .away)] {
            for level in levels {
                try file.add((0..<15).map { .init(at: .milliseconds($0 * 30), metres: nil, dBm: level) }, at: place)
            }
        }
    }

    @Test func aProposalIsATableAndLinesForTheConfiguration() throws {
        try write(door: [-70, -70], away: [-80, -81])
        let run = calibrate()
        #expect(run.code == 0 && run.complaints == [])
        #expect(
            run.printed == [
                "gate                                        at the door  95 % interval   away  95 % interval",
                "in use: median of 3 >= -60 dBm in 400 ms          0.0 %     0.0-84.2 %  0.0 %     0.0-84.2 %",
                "proposed: median of 3 >= -70 dBm in 400 ms      100.0 %   15.8-100.0 %  0.0 %     0.0-84.2 %",
                "",
                "Windows of 2 walks at the door (2) and 2 away (2); an interval counts walks.",
                "The proposed gate's rate at the door is of walks that it was not chosen by.",
                "Few walks: even 36 without a failure show no more than 90 %. Add some: run it again.",
                "",
                "For readerd.toml, then reload the reader:",
                "",
                "[proximity]", "threshold-dbm = -70", "window-ms = 400", "samples = 3",
            ])
        let lines = run.printed.suffix(4).joined(separator: "\n")
        let decoded = SettingsFile.decode(Array(lines.utf8).span)
        #expect(!decoded.hasFaults && decoded.settings.proximity.common.thresholdDBm == -70)
    }

    @Test func itIsJSONToo() throws {
        try write(door: [-70, -70], away: [-80])
        let rate = #"{"walks":2,"windows":2,"opened":2,"share":1.0000,"interval":[0.1581,1.0000]}"#
        let away = #"{"walks":1,"windows":1,"opened":0,"share":0.0000,"interval":[0.0000,0.9750]}"#
        let gate = #""window-ms":400,"samples":3"#
        let never = #"{"walks":2,"windows":2,"opened":0,"share":0.0000,"interval":[0.0000,0.8419]}"#
        #expect(
            calibrate("--json").printed == [
                "{\"traces\":\"\(path)\",\"present\":{\"threshold-dbm\":-60,\(gate),\"door\":\(never),\"away\":\(away)},"
                    + "\"proposed\":{\"threshold-dbm\":-70,\(gate),\"door\":\(rate),\"away\":\(away)}}"
            ])
    }

    /// The same levels at both places: no threshold can help, which is said.
    @Test func placesThatCannotBeToldApartAreNamed() throws {
        try write(door: [-70, -70, -70], away: [-70, -70])
        #expect(calibrate().printed.contains { $0.hasPrefix("Signal strength does not tell") })
    }

    @Test func withoutWalksAwayThatIsSaid() throws {
        try write(door: [-70, -70], away: [])
        #expect(
            calibrate().printed.contains(
                "Nothing was measured away from the door: that it stays shut there is not known."))
    }

    @Test func tooFewWalksProposeNothing() throws {
        try write(door: [-70], away: [-80])
        let run = calibrate()
        #expect(run.code == 1)
        #expect(
            run.complaints == ["readerd: no proposal: it needs 2 walks at the door; run it again with --door"])
        #expect(!run.printed.contains("[proximity]"))
    }

    @Test func theFileGrowsAndIsPrivate() throws {
        try write(door: [-70], away: [-80])
        try write(door: [-71], away: [])
        #expect(try SurveyFile(path).walks.map(\.name) == ["door-1", "away-1", "door-2"])
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    @Test func optionsAreChecked() throws {
        var expected = CalibrateOptions()
        (expected.door, expected.away, expected.seconds, expected.share) = (10, 0, 30, 90)
        (expected.traces, expected.isJSON, expected.control) = ("a.csv", true, "s")
        let words = [
            "calibrate", "--door", "10", "--away=0", "--seconds", "30", "--share", "90", "--traces", "a.csv", "--json",
            "--control", "s",
        ]
        #expect(try Command(words) == .calibrate(expected))
        for (words, text) in [
            (["--door", "101"], "--door takes 0 to 100, not \"101\""),
            (["--seconds", "2"], "--seconds takes 3 to 30, not \"2\""),
            (["--share", "x"], "--share takes 50 to 100, not \"x\""),
            (["now"], "calibrate: unknown argument \"now\"; see: readerd calibrate --help"),
        ] {
            #expect(throws: ReaderdError.usage(text)) { try Command(["calibrate"] + words) }
        }
    }

    @Test func theHelpFitsATerminal() {
        #expect(CommandHelp.text(.calibrate).split(separator: "\n").allSatisfy { $0.count <= 80 })
    }
}
