// SPDX-License-Identifier: Apache-2.0

import JSON
import TestSupport
import Testing
import Timekeeping
import VirtualRadio

@testable import Scenario

/// A scenario that is watched and changed while it is played.
@Suite struct SitePlayTests {
    private static let json = """
        {
          "seconds": 60,
          "phones": [{"name": "anna b", "path": [{"at-ms": 100, "at": [0, -30]}], "again-s": 2}]
        }
        """

    private func play(_ json: String = SitePlayTests.json, seed: UInt64 = 1) throws -> SitePlay {
        try SitePlay(SiteScenario(json: Array(json.utf8)), named: "test", seed: seed, isPlaying: true)
    }

    private func messages(_ play: SitePlay) -> [String] { all { play.nextMessage() }.map(\.text) }

    private func pass(_ play: SitePlay, seconds: Int) { for _ in 0..<10 * seconds { play.pass(.milliseconds(100)) } }

    private func lock(_ play: SitePlay) -> Bool { play.scene.text.contains("\"lock\":true") }

    @Test("the plan and the scene of a site that has just begun")
    func planAndScene() throws {
        let play = try play()
        #expect(
            messages(play).first
                == "{\"event\":\"plan\",\"name\":\"test\",\"about\":\"\",\"run\":1,\"seed\":1,\"plays\":true,"
                + "\"end-ms\":60000,\"needs-floor\":false,\"readers\":[{\"name\":\"reader\",\"at\":[0,0],"
                + "\"threshold-dbm\":-60,\"window-ms\":400,\"samples\":3,\"near-m\":3.162}],\"walls\":[]}")
        play.pass(.milliseconds(150))
        #expect(
            play.scene.text
                == "{\"event\":\"scene\",\"at-ms\":150,\"run\":1,\"playing\":true,\"speed\":1,\"over\":false,"
                + "\"phones\":[{\"name\":\"anna b\",\"on\":true,\"carry\":\"hand\",\"at\":[0,-30],\"levels\":[-80],"
                + "\"links\":[],\"step\":\"found C1:23:45:67:89:AC at -78 dBm, connects\"}],"
                + "\"readers\":[{\"name\":\"reader\",\"power\":true,\"controller\":true,"
                + "\"door\":\"secured\",\"lock\":false,\"granted\":false,\"denied\":false,\"buzzer\":false,"
                + "\"contact\":false,\"exit\":false,\"fire\":false,\"tamper\":false,\"lockdown\":false,\"links\":0}]}")
    }

    @Test("a phone that is dragged to the reader opens, and dragged away it is refused")
    func dragged() throws {
        let play = try play()
        pass(play, seconds: 3)
        #expect(!lock(play))
        _ = try play.execute("move anna b 0.3 -0.4 500ms")
        var opened = false
        for _ in 0..<60 where !opened {
            play.pass(.milliseconds(100))
            opened = lock(play)
        }
        #expect(opened)
        #expect(messages(play).contains { $0.contains("\"event\":\"near\"") && $0.contains("\"phone\":\"anna b\"") })
        _ = try play.execute("move anna b 0 -12")
        pass(play, seconds: 8)
        _ = messages(play)
        pass(play, seconds: 4)
        let late = messages(play)
        #expect(late.contains { $0.contains("\"event\":\"refused\"") } && !lock(play))
        #expect(!late.contains { $0.contains("\"event\":\"near\"") })
    }

    @Test("a wall, a pocket and a level that is set change what the air computes")
    func levels() throws {
        let play = try play()
        pass(play, seconds: 1)
        func level() -> String? {
            play.scene.text.split(separator: "\"levels\":[").last?.split(separator: "]").first.map(String.init)
        }
        _ = try play.execute("move anna b 0 -1")
        #expect(level() == "-50")
        _ = try play.execute("carry anna b pocket")
        #expect(level() == "-58")
        _ = try play.execute("wall -1 -0.5 1 -0.5 20")
        #expect(level() == "-78")
        #expect(messages(play).contains { $0.contains("\"walls\":[{\"from\":[-1,-0.5],\"to\":[1,-0.5],\"db\":20}]") })
        _ = try play.execute("wall 1 off")
        _ = try play.execute("level anna b -71")
        #expect(level() == "-71" && play.scene.text.contains("\"dbm\":-71"))
    }

    @Test("time passes by speed, stands still in a pause, and begins again with another seed")
    func time() throws {
        let play = try play()
        pass(play, seconds: 1)
        #expect(play.time == .seconds(1))
        _ = try play.execute("speed 4")
        pass(play, seconds: 1)
        #expect(play.time == .seconds(5))
        _ = try play.execute("pause")
        pass(play, seconds: 1)
        #expect(play.time == .seconds(5))
        _ = messages(play)
        #expect(try play.execute("seed 9").lines == ["begins, seed 9"])
        #expect(play.time == .zero && messages(play)[0].contains("\"run\":2,\"seed\":9"))
    }

    @Test("at the end it pauses with its results, and can be continued")
    func end() throws {
        let json = """
            {"seconds": 2, "phones": [{"name": "a", "path": [{"at-ms": 100, "dbm": -45}], "expect": "opened"}]}
            """
        let play = try play(json)
        pass(play, seconds: 4)
        #expect(play.time == .seconds(2) && !play.isPlaying)
        let scene = play.scene.text
        #expect(scene.contains("\"over\":true") && scene.contains("\"as-expected\":true,\"failures\":[]"))
        #expect(scene.contains("\"results\":[{\"name\":\"a\",\"result\":\"opened\",\"after-ms\":"))
        _ = try play.execute("play")
        pass(play, seconds: 1)
        #expect(play.time == .seconds(3))
    }

    @Test("the file that is saved repeats the run, event by event, with every seed", arguments: [1, 7, 23] as [UInt64])
    func saved(seed: UInt64) throws {
        let play = try play(seed: seed)
        pass(play, seconds: 2)
        _ = try play.execute("lockdown on")
        // A drag: moves that replace each other on the way.
        for step in 0..<12 {
            _ = try play.execute("move anna b \(Double(step) / 37) \(-6 + Double(step) / 2.1) 120ms")
            play.pass(.milliseconds(100))
        }
        pass(play, seconds: 5)
        _ = try play.execute("lockdown off")
        pass(play, seconds: 8)
        let answer = try play.execute("save")
        let file = try #require(answer.file)
        let scenario = try SiteScenario(json: Array(file.utf8))
        #expect(scenario.json == file && scenario.events.count == 2 && scenario.phones[0].walk.points.count > 12)
        let run = try SiteRun(scenario, seed: seed)
        #expect(run.isAsExpected && run.openings > 0)
        func events(_ entries: [TimelineEntry]) -> [String] {
            entries.filter { $0.seconds <= 16 && $0.event != .walks }.map { "\($0.seconds) \($0.who) \($0.text)" }
        }
        #expect(events(run.timeline) == events(play.site.timeline))
    }

    @Test(
        "a wrong line is answered with its remedy",
        arguments: [
            ("fly", "\"fly\" is no command; help lists them"), ("speed 100", "write speed 2"),
            ("move ben 0 0", "name a phone and a value; there are anna b"),
            ("move anna b 0 500", "write move PHONE X Y [TIME], as move anna 0.5 -1 2s"),
            ("wall 3 off", "there is no wall 3; there are 0"),
            ("at nowhere exit on", "name a reader and a value; there are reader"),
        ])
    func faults(line: String, fault: String) throws {
        let play = try play()
        #expect(thrown { _ = try play.execute(line) }.map { "\($0)" } == fault)
    }

    @Test("the demo begins, and no phone is near")
    func demo() throws {
        let play = try play(ScenarioLibrary.demo.json)
        pass(play, seconds: 20)
        #expect(!messages(play).contains { $0.contains("\"event\":\"near\"") })
    }
}
