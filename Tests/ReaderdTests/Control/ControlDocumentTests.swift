// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import JSON
import Peripheral
import Reader
import Testing
import Timekeeping

@testable import readerd

/// docs/operate/control.md says what the program does.
@Suite struct ControlDocumentTests {
    private let lines: [String]

    init() throws {
        let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4)
        let path = parts.joined(separator: "/") + "/docs/operate/control.md"
        let contents = try #require(try FileContents.read(path, maximumCount: 1 << 16))
        lines = String(decoding: contents.octets, as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// The first cell of each row of a table, without its quotes.
    private func cells(_ prefix: String) -> [String] {
        lines.filter { $0.hasPrefix("| `\(prefix)") }.map { String($0.dropFirst(3).prefix { $0 != "`" }) }
    }

    private var examples: [String] { lines.filter { $0.hasPrefix("    {") }.map { String($0.dropFirst(4)) } }

    /// Every member of an object, with those of objects in it, as `door.state`.
    private func names(_ node: JSONNode, _ prefix: String = "") -> Set<String> {
        guard case .object(let members) = node.content else { return [] }
        return Set(
            members.flatMap { member -> [String] in
                let name = prefix + member.name
                return [name] + names(member.value, name + ".")
            })
    }

    @Test func everyRequestIsThereAndIsOne() throws {
        let requests = try cells("{").map { try ControlRequest(line: Array($0.utf8)) }
        let alice = try #require(OSSCredentialID("ALICE04711"))
        let june = try #require(LocalMinute.parse("2027-06-30"))
        let all: [ControlRequest.Action] =
            [.status, .metrics, .quiet] + [.pulse, .extended, .officeOn, .officeOff].map { .door($0) } + [
                .door(.lockdownOn), .door(.lockdownOff), .door(.tamperReset), .timed(.setTime, 1_795_262_400),
                .timed(.provisioning, 300),
                .timed(.survey, 10), .timed(.panelInstallation, 300), .timed(.matterWindow, 300),
                .revocation(.revoke(alice, until: nil)), .revocation(.revoke(alice, until: june)),
                .revocation(.unrevoke(alice)),
                .subscribe(.events), .subscribe(.notices), .subscribe(.outputs),
            ]
        #expect(requests.map(\.action) == all)
    }

    @Test func everyRefusalIsThere() {
        let section = lines.drop { $0 != "| `refused` | when |" }.dropFirst(2).prefix { $0.hasPrefix("|") }
        let words = section.map { String($0.dropFirst(3).prefix { $0 != "`" }) }
        let revocations = RevocationRefusal.allCases.map(\.rawValue)
        #expect(words == ControlAnswer.Refusal.allCases.map(\.rawValue) + revocations)
    }

    @Test func examplesAreWhatIsSaid() throws {
        #expect(examples.count == 9)
        #expect(try ControlRequest(line: Array(examples[0].utf8)).action == .door(.pulse))
        #expect(examples[1] == ControlAnswer.done.line(id: nil))
        #expect(examples[2] == ControlAnswer.done.line(id: "6f1c-17"))
        #expect(examples[3] == ControlAnswer.refused(.lockdown).line(id: "6f1c-17"))
        let time = AuditTime(
            epochSeconds: 1_795_262_407, utcOffsetMinutes: 60, quality: .synchronised, uptimeMilliseconds: 93_791_000)
        let event = AuditEvent(.unlocked, at: time, channel: .control, command: "pulse", actor: "uid 0")
        let record = EventLine.json(AuditRecord(sequence: 1205, event: event))
        #expect(examples[5] == ControlAnswer.line(record, of: .events))
        let link = LinkID(slot: 0, generation: 3)
        for (example, notice) in zip(
            examples[6...7], [ReaderNotice.measured(link, dBm: -52), .refused(.link(link), .tooFar(median: -71))])
        {
            #expect(example == ControlAnswer.line(NoticeLine.json(notice), of: .notices))
        }
        let red = NoticeLine.json(DoorAction.setIndicator(.denied, on: true))
        #expect(examples[8] == ControlAnswer.line(red, of: .outputs))
    }

    /// A fault has the members of the example.
    @Test func faultsAreTheRunningReaders() throws {
        let example = try JSONParser.parse(Array(examples[4].utf8))["faults"]?.elements.first
        let expected = try #require(example.map { names($0) })
        let rig = try ProcessRig(configuration: "[gpio]\nbuzzer = \"\(missingLine)\"\n")
        try rig.run { path, _ in
            let status = try JSONParser.parse(Array((BlockingClient(path).ask(#"{"get":"status"}"#) ?? "").utf8))
            #expect((status["faults"]?.elements ?? []).map { names($0) } == [expected])
        }
    }

    /// The status has the members of the example, no more and no fewer; and the metrics are the table's.
    @Test func statusAndMetricsAreTheRunningReaders() throws {
        let example = try names(JSONParser.parse(Array(examples[4].utf8)))
        let metrics = cells("readerd_")
        let kinds = lines.filter { $0.hasPrefix("| `readerd_") }.map {
            $0.split(separator: "|")[1].drop { $0 == " " }.prefix { $0 != " " }
        }
        let rig = try ProcessRig()
        try rig.run { path, _ in
            // Once the disk has answered, which the first event to come shows.
            let listener = try BlockingClient(path)
            _ = listener.ask(#"{"subscribe":"events"}"#)
            let client = try BlockingClient(path)
            _ = client.ask(#"{"unlock":"pulse"}"#)
            _ = listener.line()
            let status = try JSONParser.parse(Array((client.ask(#"{"get":"status"}"#) ?? "").utf8))
            #expect(names(status) == example)
            let answer = try JSONParser.parse(Array((client.ask(#"{"get":"metrics"}"#) ?? "").utf8))
            let text = answer["metrics"]?.text ?? ""
            let types = text.split(separator: "\n").filter { $0.hasPrefix("# TYPE ") }.map { $0.split(separator: " ") }
            #expect(types.map { String($0[2]) }.sorted() == metrics.sorted())
            #expect(Set(types.map { "\($0[2]) \($0[3])" }) == Set(zip(metrics, kinds).map { "\($0) \($1)" }))
            checkFormat(text)
        }
    }

    /// The exposition format: help and type before the values, values of the metric that was begun, and numbers.
    private func checkFormat(_ text: String) {
        var current = ""
        #expect(text.hasSuffix("\n"))
        for line in text.split(separator: "\n") {
            if line.hasPrefix("# HELP ") {
                current = String(line.split(separator: " ")[2])
            } else if line.hasPrefix("# TYPE ") {
                #expect(line.split(separator: " ")[2] == current)
            } else {
                #expect(line.hasPrefix(current))
                #expect(Double(line.split(separator: " ").last ?? "") != nil)
            }
        }
    }
}

@Suite struct MetricsTextTests {
    @Test func histogramsAddUp() {
        var histogram = Histogram(bounds: [500_000, 1_000_000])
        for value: Int64 in [400_000, 500_000, 900_000, 3_000_000_000] { histogram.count(value) }
        var text = MetricsText()
        text.histogram("x", "Help.", histogram, write: MetricsText.seconds)
        #expect(
            text.text == """
                # HELP readerd_x Help.
                # TYPE readerd_x histogram
                readerd_x_bucket{le="0.0005"} 2
                readerd_x_bucket{le="0.001"} 3
                readerd_x_bucket{le="+Inf"} 4
                readerd_x_sum 3.0018
                readerd_x_count 4

                """)
    }

    @Test func secondsAndLabelsAreExact() {
        for (nanoseconds, text) in [
            (0, "0"), (1, "0.000000001"), (1_500_000_000, "1.5"), (-1, "-0.000000001"), (-2_500_000_000, "-2.5"),
        ] as [(Int64, String)] {
            #expect(MetricsText.seconds(nanoseconds) == text)
        }
        var text = MetricsText()
        text.value("x", [("a", "\"\\\n")], 1)
        #expect(text.text == "readerd_x{a=\"\\\"\\\\\\n\"} 1\n")
    }
}
