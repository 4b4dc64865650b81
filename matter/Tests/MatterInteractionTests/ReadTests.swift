// SPDX-License-Identifier: Apache-2.0

import MatterTLV
import TestSupport
import Testing
import Timekeeping

import MatterInteraction

@testable import MatterTestSupport

/// Reads (facts, section 11).
struct ReadTests {
    /// `message` of the known answers without the message header: nine paths of which one leads to no cluster. The
    /// other device announced revision 11 of the interaction model, and it sent isFabricFiltered's default.
    @Test
    func theKnownAnswer() throws {
        let request = octets(
            "15360017240200240330240404181724020024033024040018172402002403302404011817240200240330240402181724020024"
                + "033024040318172402002403282404021817240200240328240404181724020024033818172403312504fcff1818280324ff"
                + "0c18")
        let report = octets(
            "15360115350126008590fa8a3701240200240330240404182902181815350126008590fa8a3701240200240330240400182402"
                + "00181815350126008590fa8a370124020024033024040118350224000a2501840318181815350126008590fa8a37012402"
                + "0024033024040218240202181815350126008590fa8a370124020024033024040318240202181815350126007e5f07a137"
                + "01240200240328240402182502f4ff181815350126007e5f07a13701240200240328240404182502341218181535012600"
                + "bd854eff37012402002403312504fcff18240201181818290424ff0c18")
        var bench = Bench()
        bench.node.values[AttributePath(0, 0x28, 2)] = "65524"
        bench.node.values[AttributePath(0, 0x28, 4)] = "4660"
        var effects: [InteractionEffect] = []
        bench.server.receive(
            2, request, exchange: 7, by: .commissioner, model: &bench.node, at: .origin, effects: &effects)
        #expect(effects == [.send(opcode: 5, payload: report, exchange: 7, expectingReply: false)])
        #expect(bench.server.transactionCount == 0)
    }

    /// full-lock.txt at 6.672: an absent cluster, first with a wildcard endpoint, then with a concrete one.
    @Test
    func anAbsentClusterIsAStatusForAConcretePathAlone() {
        var bench = Bench()
        #expect(
            bench.read("{0=[<3=70 4=3> <2=0 3=70 4=6> <2=0 3=70 4=7>] 3=false 255=12}") == [
                "report 1 {1=[{0={0=<2=0 3=70 4=6> 1={0=195}}} {0={0=<2=0 3=70 4=7> 1={0=195}}}] 4=true 255=12}"
            ])
    }

    @Test(
        arguments: [
            ("<2=9 3=48 4=0>", 0x7F), ("<2=0 3=257 4=0>", 0xC3), ("<2=0 3=48 4=99>", 0x86),
            ("<2=1 3=4294048768 4=10>", 0x8F), ("<2=1 3=4294048768 4=8>", 0x89), ("<2=1 3=4294048768 4=7>", 0x89),
        ])
    func aConcretePathThatCannotBeReadIsAStatus(path: String, status: Int) {
        var bench = Bench()
        #expect(bench.read(paths: path) == ["report 1 {1=[{0={0=\(path) 1={0=\(status)}}}] 4=true 255=12}"])
    }

    @Test
    func accessIsJudgedAfterExistence() {
        var bench = Bench()
        let stranger = Accessor.peer(5)
        #expect(
            bench.read(paths: "<2=0 3=48 4=0> <2=0 3=48 4=99>", by: stranger) == [
                "report 1 {1=[{0={0=<2=0 3=48 4=0> 1={0=126}}} {0={0=<2=0 3=48 4=99> 1={0=134}}}] 4=true 255=12}"
            ])
        #expect(bench.read(paths: "<>", by: stranger) == ["report 1 {4=true 255=12}"])
    }

    @Test
    func globalAttributes() {
        var bench = Bench()
        let value = { (attribute: Int, value: String) in
            "{1={0=7 1=<2=1 3=4294048768 4=\(attribute)> 2=\(value)}}"
        }
        #expect(
            bench.read(paths: "<2=1 3=4294048768 4=65528>") == [
                "report 1 {1=[\(value(65528, "[9]"))] 4=true 255=12}"
            ])
        #expect(
            bench.read(paths: [65529, 65531, 65532, 65533].map { "<2=1 3=4294048768 4=\($0)>" }.joined(separator: " "))
                == [
                    "report 1 {1=[\(value(65529, "[0 1 3 4 5 6 7]")) "
                        + "\(value(65531, "[0 1 2 3 4 5 6 7 8 9 10 65528 65529 65531 65532 65533]")) "
                        + "\(value(65532, "0")) \(value(65533, "1"))] 4=true 255=12}"
                ])
    }

    @Test
    func aWildcardExpandsToWhatThePeerMayRead() {
        var bench = Bench()
        bench.node.accessEntries.append(
            AccessControlEntry(
                fabric: 1, privilege: .view, authenticationMode: .case, subjects: [5],
                targets: [AccessControlTarget(endpoint: 0)]))
        #expect(
            paths(bench.read(paths: "<4=65533>", by: .peer(5))) == [
                "0/31/65533", "0/40/65533", "0/48/65533", "0/49/65533", "0/51/65533",
            ])
        #expect(paths(bench.read(paths: "<2=0 3=31>", by: .peer(5))).contains("0/31/0") == false)
        #expect(paths(bench.read(paths: "<2=0 3=31>")).contains("0/31/0"))
    }

    @Test(
        arguments: [
            (1 << 0, ["0/48/0"]), (1 << 1, ["1/257/65533", "1/257/65528"]), (1 << 2, ["1/257/65531"]),
            (1 << 4, ["1/257/65528", "1/257/65529"]), (1 << 5, ["1/4294048768/0"]),
            (1 << 6, ["1/4294048768/2", "1/257/65533"]), (1 << 7, ["1/4294048768/3"]), (1 << 8, ["0/51/2"]),
        ])
    func aWildcardLeavesOutWhatItsFlagsName(flag: Int, omitted: [String]) {
        var bench = Bench()
        let all = Set(bench.readAll("<>"))
        let rest = Set(bench.readAll("<6=\(flag)>"))
        #expect(all.isSuperset(of: omitted) && rest.isDisjoint(with: omitted))
        #expect(rest.isSubset(of: all) && rest.contains(flag == 1 ? "1/257/0" : "0/48/0"))
    }

    /// A value that exists but fits no message is a status; one that cannot be read is left out.
    @Test
    func aWildcardOverWhatHasNoValue() {
        var bench = Bench()
        let status = { (attribute: Int) in "{0={0=<2=1 3=4294048768 4=\(attribute)> 1={0=137}}}" }
        bench.node.values[AttributePath(1, SmallNode.special, 6)] = "[]"
        let report = bench.read(paths: "<2=1 3=4294048768>").joined()
        #expect(report.contains("\(status(7)) \(status(8)) {1={0=7 1=<2=1 3=4294048768 4=9>"))
        #expect(!report.contains("4=10>"))
    }

    @Test
    func flagsDoNotConcernAConcretePath() {
        var bench = Bench()
        #expect(paths(bench.read(paths: "<2=0 3=51 4=2 6=511>")) == ["0/51/2"])
    }

    @Test
    func aDataVersionFilterSkipsAClusterThatThePeerKnows() {
        var bench = Bench()
        bench.node.versions[0x101] = 1000
        let request = { (version: Int) in
            "{0=[<2=1 3=257 4=0> <2=1 3=257>] 3=false 4=[{0=<1=1 2=257> 1=\(version)}] 255=12}"
        }
        #expect(bench.read(request(1000)) == ["report 1 {4=true 255=12}"])
        #expect(paths(bench.read(request(999))).count == 7)
    }

    @Test
    func theFilterByFabricIsTheModels() {
        var bench = Bench()
        bench.node.accessEntries.append(
            AccessControlEntry(
                fabric: 2, privilege: .view, authenticationMode: .case, subjects: nil, targets: nil))
        let own = "{1=5 2=2 3=[112233] 4=null 254=1}"
        let foreign = "{1=1 2=2 3=[] 4=null 254=2}"
        let report = { (entries: String) in
            "report 1 {1=[{1={0=7 1=<2=0 3=31 4=0> 2=[\(entries)]}}] 4=true 255=12}"
        }
        #expect(bench.read("{0=[<2=0 3=31 4=0>] 3=true 255=12}") == [report(own)])
        #expect(bench.read("{0=[<2=0 3=31 4=0>] 3=false 255=12}") == [report("\(own) \(foreign)")])
    }

    @Test
    func aReportInSeveralMessages() {
        var bench = Bench()
        var replies = bench.read(paths: "<>")
        var count = 1
        while replies.first?.hasSuffix("3=true 4=false 255=12} …") == true {
            replies = bench.status()
            count += 1
        }
        #expect(replies.count == 1 && replies.first?.hasSuffix("] 4=true 255=12}") == true)
        #expect((4...8).contains(count))
        #expect(bench.server.transactionCount == 0)
    }

    @Test
    func theMessagesTogetherHoldEachAttributeOnce() {
        var bench = Bench()
        let all = bench.readAll("<>").filter { $0 != "1/4294048768/6" }
        #expect(Set(all).count == all.count)
        // The global attributes of seven clusters and their own, without the list in parts and what has no value.
        #expect(all.count == 7 * 5 + 1 + 3 + 5 + 1 + 1 + 7)
    }

    /// A list that does not fit: an empty list, then one entry each with listIndex null.
    @Test
    func aListInParts() {
        var bench = Bench()
        let path = "2=1 3=4294048768 4=6"
        let entry = "{1={0=7 1=<\(path) 5=null> 2=\(SmallNode.octets(500))}}"
        let first = bench.read(paths: "<\(path)>")
        #expect(first == ["report 1 {1=[{1={0=7 1=<\(path)> 2=[]}} \(entry) \(entry)] 3=true 4=false 255=12} …"])
        // The entries are those of the beginning.
        bench.node.values[AttributePath(1, SmallNode.special, 6)] = "[]"
        bench.node.versions[SmallNode.special] = 8
        #expect(bench.status() == ["report 1 {1=[\(entry) \(entry)] 3=true 4=false 255=12} …"])
        #expect(bench.status() == ["report 1 {1=[\(entry)] 4=true 255=12}"])
    }

    /// A value of any length from "all in one message" to "fits no message". The room for moreChunkedMessages is kept
    /// free, so that the last message has two octets less.
    @Test(arguments: 1_090...1_170)
    func anyBoundaryOfAMessage(count: Int) {
        var bench = Bench()
        let value = SmallNode.octets(count)
        bench.node.values[AttributePath(0, 0x28, 5)] = value
        let alone = "{1=[{1={0=2701614974 1=<2=0 3=40 4=5> 2=\(value)}}] 4=true 255=12}"
        let fits = Notation.octets(alone).count + 2 <= InteractionLimits.largestMessage
        var found = paths(bench.read(paths: "<2=0 3=40 4=5> <2=0 3=48 4=0> <2=0 3=48 4=3>"))
        if bench.server.transactionCount > 0 { found += paths(bench.status()) }
        #expect(found == (fits ? ["0/40/5"] : []) + ["0/48/0", "0/48/3"])
    }

    @Test
    func anotherStatusEndsTheReport() {
        var bench = Bench()
        _ = bench.read(paths: "<>")
        #expect(bench.status(1) == ["close 1"])
        #expect(bench.server.transactionCount == 0)
    }

    @Test
    func aSilentReaderIsGivenUp() {
        var bench = Bench()
        _ = bench.read(paths: "<>")
        #expect(bench.pass(to: 29.9) == [])
        #expect(bench.pass(to: 30) == ["close 1"])
        #expect(bench.notices == [.abandoned(exchange: 1)])
        #expect(bench.server.deadline == nil)
    }

    @Test(
        arguments: [
            "{0=[<2=0 3=48 4=0>] 255=12}", "{0=[<2=0 4=5>] 3=false 255=12}", "{0=[<0=true>] 3=false 255=12}",
            "{0=[<2=0 3=48 4=0 5=null>] 3=false 255=12}", "{0=[<2=0 3=48 4=0 5=1>] 3=false 255=12}",
            "{0=[{2=0}] 3=false 255=12}", "{0=<> 3=false 255=12}", "{0=[<2=65536>] 3=false 255=12}",
            "{0=[<2=true>] 3=false 255=12}", "{1=[<1=0 3=5>] 3=false 255=12}", "{2=[{0=5}] 3=false 255=12}",
            "{3=false 4=[{0=<1=0> 1=5}] 255=12}", "{3=0 255=12}", "[]", "7",
        ])
    func aMalformedReadIsAnInvalidAction(message: String) {
        var bench = Bench()
        #expect(bench.read(message) == refusal(0x80))
        #expect(bench.notices == [.rejected(opcode: 2, session: 9, .invalidAction)])
    }

    /// Unknown members are skipped, and numbers may have any width that fits.
    @Test
    func toleratedForms() {
        var bench = Bench()
        let plain = "report 1 {1=[{1={0=7 1=<2=1 3=257 4=0> 2=1}}] 4=true 255=12}"
        #expect(bench.read("{0=[<1=5 2=1 3=257 4=0 9=4>] 3=false 77=[1] 255=13}") == [plain])
        let wide: [UInt8] = [
            0x15, 0x36, 0, 0x17, 0x27, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0x26, 3, 1, 1, 0, 0, 0x25, 4, 0, 0, 0x18, 0x18,
            0x28, 3, 0x18,
        ]
        #expect(bench.send(2, octets: wide) == [plain])
        #expect(bench.read("{3=false}") == ["report 1 {4=true 255=12}"])
    }

    @Test
    func tooManyPaths() {
        var bench = Bench()
        let path = "<2=9 3=1 4=1>"
        let nine = [String](repeating: path, count: 9).joined(separator: " ")
        #expect(bench.read(paths: nine).first?.hasPrefix("report") == true)
        #expect(bench.read(paths: [String](repeating: path, count: 65).joined(separator: " ")) == refusal(0xC8))
        let events = [String](repeating: "<>", count: 17).joined(separator: " ")
        #expect(bench.read("{1=[\(events)] 3=false 255=12}") == refusal(0xC8))
    }
}

extension Bench {
    /// The paths of a report in all its messages.
    mutating func readAll(_ selector: String) -> [String] {
        var replies = read(paths: selector)
        var found = paths(replies)
        while replies.first?.hasSuffix("…") == true {
            replies = status()
            found += paths(replies)
        }
        return found
    }
}

/// The attributes with values in a report.
func paths(_ replies: [String]) -> [String] {
    replies.flatMap { reply in
        reply.matches(of: /\{1=\{0=\d+ 1=<2=(\d+) 3=(\d+) 4=(\d+)( 5=null)?>/).map {
            "\($0.output.1)/\($0.output.2)/\($0.output.3)"
        }
    }
}
