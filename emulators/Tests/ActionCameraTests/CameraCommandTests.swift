// SPDX-License-Identifier: Apache-2.0

import ActionCamera
import Emulation
import JSON
import Testing

/// Typed commands, scenario files, faults, and ranges of downloads.
@Suite struct CameraCommandTests {
    @Test(
        "typed words",
        arguments: [
            ("button record", CameraCommand.control(.recordButton)),
            ("button remote", .control(.tagButton(isRemote: true))),
            ("mode slow_motion", .control(.mode(.slowMotion))), ("battery 5", .control(.battery(5))),
            ("charging on", .control(.charging(true))), ("gnss off", .control(.satellites(false))),
            ("heart-rate 142", .control(.heartRate(142))), ("heart-rate off", .control(.heartRate(nil))),
            ("cadence 80", .control(.cadence(80))), ("card pull", .control(.card(.pull))),
            ("wifi down", .control(.wifi(isUp: false))), ("power off", .control(.shutdown(.user))),
            ("power heat", .control(.shutdown(.heat))), ("power on", .control(.powerOn)),
            ("clock 1970-01-01T00:00:07Z", .control(.clock(7))), ("faults", .faults), ("clear", .clear),
            ("release drop line", .release(fault: "drop", step: "line")),
            ("disconnect", .disconnect), ("steps", .steps), ("findings", .findings), ("help", .help),
            (" quit\r", .quit),
            (#"{"battery": 5}"#, .control(.battery(5))), (#"{"card": "pull"}"#, .control(.card(.pull))),
            (#"{"quit": true}"#, .quit),
        ])
    func words(_ line: String, _ command: CameraCommand) throws {
        #expect(try CameraCommand(line: line) == command)
    }

    @Test(
        "what is no command",
        arguments: [
            "", "button", "button red", "battery 101", "battery", "mode fast", "clock now", "wifi", "quit now",
            "heart-rate 256",
            #"{"battery": null}"#, #"{"a": 1}"#, "{", #"{"battery": 1, "card": "pull"}"#,
        ])
    func noWords(_ line: String) {
        #expect(throws: CommandFault.self) { try CameraCommand(line: line) }
    }

    @Test("a fault with its time and its chance, in words and as JSON") func rules() throws {
        var rule = CameraFaultRule(.drop, at: "datagram")
        rule.times = nil
        rule.chance = 5
        #expect(try CameraCommand(line: "fault drop datagram every 5%") == .fault(rule))
        let json = #"{"fault": {"at": "datagram", "do": "drop", "times": "every", "chance": 5}}"#
        #expect(try CameraCommand(line: json) == .fault(rule))
        var third = CameraFaultRule(.status(500), at: "videos")
        third.occurrence = 3
        #expect(try CameraCommand(line: "fault status videos 500 3") == .fault(third))
        #expect(
            try CameraCommand(line: #"{"fault": {"at": "videos", "do": {"status": 500}, "occurrence": 3}}"#)
                == .fault(third))
    }

    @Test(
        "a fault that can never happen is refused",
        arguments: [
            "fault split videos", "fault status line 500", "fault sync frame", "fault drop nowhere", "fault fall line",
            "fault status videos", "fault status videos 99", "fault drop line 0", "fault drop line 5% 101%",
            "fault swap preview-packet", "fault lost connection",
        ])
    func impossible(_ line: String) {
        #expect(throws: CommandFault.self) { try CameraCommand(line: line) }
    }

    @Test("each step takes the faults that its place has, and each of them is described") func steps() throws {
        for step in CameraStep.all {
            for word in [
                "delay", "status", "close", "reset", "lost", "cut", "drop", "duplicate", "swap", "split",
                "merge", "silence", "sync", "size", "gap",
            ] {
                let number = ["delay", "status", "cut", "size", "gap"].contains(word) ? " 200" : ""
                guard case .fault(let rule)? = try? CameraCommand(line: "fault \(word) \(step.name)\(number)") else {
                    continue
                }
                #expect(rule.description.hasPrefix(word))
                #expect(rule.step == step.name)
            }
        }
    }

    @Test("the same seed gives the same faults; times and occurrences count") func plan() throws {
        func drops(_ seed: UInt64) throws -> [Bool] {
            var plan = CameraFaultPlan(seed: seed)
            guard case .fault(let rule) = try CameraCommand(line: "fault drop datagram every 20%") else { return [] }
            let isAdded = plan.add(rule)
            #expect(isAdded)
            return (0..<1000).map { _ in !plan.faults(at: "datagram").isEmpty }
        }
        #expect(try drops(1) == drops(1))
        #expect(try drops(1) != drops(2))
        #expect((150...250).contains(try drops(1).count { $0 }))
        var plan = CameraFaultPlan(seed: 1)
        var rule = CameraFaultRule(.close, at: "videos")
        rule.occurrence = 2
        rule.times = 2
        _ = plan.add(rule)
        #expect(plan.faults(at: "images") == [])
        let counts = (0..<4).map { _ in plan.faults(at: "videos").count }
        #expect(counts == [0, 1, 1, 0])
        #expect(plan.isEmpty)
        _ = plan.add(CameraFaultRule(.lost, at: "any-request"))
        #expect(plan.faults(at: "line") == [])
        #expect(plan.faults(at: "status") == [.lost])
    }

    @Test("a scenario file: faults, events by their times, a seed") func scenario() throws {
        let file = """
            {"seed": 7, "faults": [{"at": "line", "do": "split", "times": 3}],
             "events": [{"after-ms": 9000, "card": "pull"}, {"after-ms": 5000, "button": "record"},
                        {"after-ms": 5000, "fault": {"at": "frame", "do": {"cut": 100}}}]}
            """
        let scenario = try CameraScenario(json: Array(file.utf8))
        #expect(scenario.seed == 7)
        #expect(scenario.faults.map(\.description) == ["split at line, 3 times"])
        #expect(scenario.events.map(\.after) == [.seconds(5), .seconds(5), .seconds(9)])
        #expect(scenario.events[0].command == .control(.recordButton))
        #expect(scenario.events[2].command == .control(.card(.pull)))
    }

    @Test(
        "a mistake in a file has its line",
        arguments: [
            ("{\"faults\": [\n{\"at\": \"line\"}]}", 2), ("{\"events\": [\n\n{\"card\": \"pull\"}]}", 3),
            ("{\"x\": 1}", 1),
            ("{\"events\": [{\"after-ms\": 1,\n\"battery\": 101}]}", 2),
        ])
    func mistakes(_ file: String, _ line: Int) {
        let error = #expect(throws: JSONPlaceFault.self) { try CameraScenario(json: Array(file.utf8)) }
        #expect(error?.line == line)
    }

    @Test(
        "RFC 9110, 14.1.2: ranges, and what is ignored",
        arguments: [
            (nil, ByteRange.whole), ("bytes=0-99", .part(0..<100)), ("bytes=100-", .part(100..<1000)),
            ("bytes=-100", .part(900..<1000)), ("bytes=0-9999", .part(0..<1000)), ("bytes=1000-", .unsatisfiable),
            ("bytes=-0", .unsatisfiable), ("bytes=5-4", .whole), ("bytes=0-1,5-6", .whole), ("lines=0-1", .whole),
            ("bytes=a-b", .whole), ("bytes=", .whole), ("bytes=-", .whole),
            ("bytes=0-9223372036854775807", .part(0..<1000)),
            ("bytes=-9223372036854775807", .part(0..<1000)), ("bytes=99999999999999999999-", .whole),
        ])
    func ranges(_ header: String?, _ range: ByteRange) {
        #expect(ByteRange(header, of: 1000) == range)
    }
}
