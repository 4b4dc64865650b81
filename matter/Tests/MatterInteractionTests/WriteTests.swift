// SPDX-License-Identifier: Apache-2.0

import MatterTLV
import Testing

import MatterInteraction

@testable import MatterTestSupport

/// Writes (facts, section 11).
struct WriteTests {
    private let special = "2=1 3=4294048768"

    /// full-lock.txt at 21.290 and 21.298.
    @Test
    func theWritesOfTheTrace() {
        var bench = Bench()
        #expect(
            bench.send(6, #"{0=false 1=false 2=[{1=<2=0 3=40 4=5> 2="door"}] 3=false 255=12}"#) == [
                "written 1 {0=[{0=<2=0 3=40 4=5> 1={0=0}}] 255=12}"
            ])
        #expect(
            bench.send(6, #"{0=false 1=false 2=[{1=<2=0 3=40 4=2> 2="x"}] 3=false 255=12}"#) == [
                "written 1 {0=[{0=<2=0 3=40 4=2> 1={0=136}}] 255=12}"
            ])
        #expect(bench.node.log == [#"replace 5 "door""#])
    }

    /// full-lock.txt at 21.310: an access control list as a whole.
    @Test
    func aWholeList() {
        var bench = Bench()
        let list =
            "[{1=5 2=2 3=[112233] 4=null 254=0} {1=3 2=2 3=[99 18446744060824715265] 4=[{0=257 1=1 2=null}] 254=0}]"
        #expect(
            bench.write("{1=<2=0 3=31 4=0> 2=\(list)}") == ["written 1 {0=[{0=<2=0 3=31 4=0> 1={0=0}}] 255=12}"])
        #expect(bench.node.log == ["replace 0 \(list)"])
    }

    @Test(
        arguments: [
            ("{1=<2=9 3=1 4=1> 2=1}", 0x7F), ("{1=<2=1 3=40 4=5> 2=1}", 0xC3), ("{1=<2=0 3=40 4=9> 2=1}", 0x86),
            ("{1=<2=0 3=40 4=65533> 2=1}", 0x88), ("{1=<2=1 3=4294048768 4=1> 2=1}", 0xC6),
            ("{0=9 1=<2=1 3=4294048768 4=0> 2=1}", 0x92), ("{0=7 1=<2=1 3=4294048768 4=0> 2=1}", 0),
            ("{1=<2=1 3=4294048768 4=0> 2=99}", 0x87), ("{1=<2=1 3=4294048768 4=4> 2=1}", 0x8D),
            ("{1=<2=1 3=4294048768 4=0 5=null> 2=1}", 0x8D),
        ])
    func statusOfAnItem(item: String, status: Int) {
        var bench = Bench()
        let reply = bench.write(item)
        #expect(reply.count == 1 && reply.first?.hasSuffix("1={0=\(status)}}] 255=12}") == true)
        #expect(bench.server.transactionCount == 0)
    }

    @Test
    func aReadOnlyAttributeIsSoWithoutPrivilegeToo() {
        var bench = Bench()
        let statuses = { (status: Int) in
            "written 1 {0=[{0=<2=0 3=40 4=2> 1={0=136}} {0=<2=0 3=40 4=5> 1={0=\(status)}}] 255=12}"
        }
        let items = "{1=<2=0 3=40 4=2> 2=1} {1=<2=0 3=40 4=5> 2=1}"
        #expect(bench.write(items, by: .peer(5)) == [statuses(0x7E)])
        #expect(bench.write(items) == [statuses(0)])
    }

    /// The list is empty between the two parts, and so is the right of the peer: access is judged before the first.
    @Test
    func accessIsJudgedOncePerAttribute() {
        var bench = Bench()
        let entry = { (privilege: Int) in
            "{1=<2=0 3=31 4=0 5=null> 2={1=\(privilege) 2=2 3=null 4=null 254=0}}"
        }
        let written = "written 1 {0=[{0=<2=0 3=31 4=0> 1={0=0}}] 255=12}"
        #expect(bench.write("{1=<2=0 3=31 4=0> 2=[]} \(entry(5))", more: true) == ["\(written) …"])
        #expect(bench.node.accessEntries.isEmpty)
        #expect(bench.write("\(entry(3)) \(entry(1))") == [written])
        #expect(bench.node.log.count == 4)
        #expect(
            bench.write(entry(3)) == ["written 1 {0=[{0=<2=0 3=31 4=0> 1={0=126}}] 255=12}"],
            "a new interaction is judged anew")
    }

    /// The first write changes the version that the second names.
    @Test
    func theDataVersionIsJudgedOncePerAttribute() {
        var bench = Bench()
        let written = "written 1 {0=[{0=<\(special) 4=4> 1={0=0}}] 255=12}"
        #expect(bench.write("{0=7 1=<\(special) 4=4> 2=[]} {0=7 1=<\(special) 4=4 5=null> 2=5}") == [written])
        #expect(bench.node.values[AttributePath(1, SmallNode.special, 4)] == "[ 5]")
    }

    @Test
    func entriesAfterARefusedListAreRefused() {
        var bench = Bench()
        let append = { (entry: Int) in "{1=<\(special) 4=4 5=null> 2=\(entry)}" }
        #expect(
            bench.write("{1=<\(special) 4=4> 2=7} \(append(5))") == [
                "written 1 {0=[{0=<\(special) 4=4> 1={0=141}}] 255=12}"
            ])
        #expect(bench.node.log.isEmpty)
        // Also after a refused entry, until the list is replaced.
        #expect(
            bench.write("{1=<\(special) 4=4> 2=[]} \(append(99)) \(append(6)) {1=<\(special) 4=4> 2=[4]}") == [
                "written 1 {0=[{0=<\(special) 4=4> 1={0=135}}] 255=12}"
            ])
        #expect(bench.node.log == ["replace 4 []", "append 4 99", "replace 4 [4]"])
    }

    @Test
    func aSuppressedResponse() {
        var bench = Bench()
        #expect(bench.send(6, "{0=true 1=false 2=[{1=<\(special) 4=0> 2=1}] 255=12}") == ["close 1"])
        #expect(bench.node.log == ["replace 0 1"])
        #expect(bench.send(6, "{0=true 1=false 2=[] 3=true 255=12}") == refusal(0x80))
    }

    @Test
    func aFabricScopedListNeedsAFabric() {
        var bench = Bench()
        #expect(
            bench.write("{1=<2=0 3=31 4=0> 2=[]}", by: .commissioner) == [
                "written 1 {0=[{0=<2=0 3=31 4=0> 1={0=126}}] 255=12}"
            ])
    }

    @Test
    func anInterruptedWriteIsGivenUp() {
        var bench = Bench()
        _ = bench.write("{1=<\(special) 4=4> 2=[]}", more: true)
        #expect(bench.pass(to: 30) == ["close 1"])
        #expect(bench.read(paths: "<2=0 3=48 4=0>").first?.hasPrefix("report") == true)
    }

    @Test
    func anotherMessageDuringAWrite() {
        var bench = Bench()
        _ = bench.write("{1=<\(special) 4=4> 2=[]}", more: true)
        #expect(bench.read(paths: "<2=0 3=48 4=0>") == refusal(0x80))
        #expect(bench.server.transactionCount == 0)
    }

    @Test
    func tooManyAttributesAreRefusedBeforeTheFirst() {
        var bench = Bench()
        let items = (0..<33).map { "{1=<2=1 3=6 4=\($0)> 2=1}" }
        #expect(bench.write(items.joined(separator: " ")) == refusal(0xC8))
        // 32 statuses of the greatest length fit.
        let long = (0..<32).map { "{1=<2=1000 3=4294048768 4=\(4_294_048_768 + $0)> 2=1}" }
        let octets = Notation.octets("{0=false 1=false 2=[\(long.joined(separator: " "))] 255=12}")
        #expect(octets.count < InteractionLimits.largestRequest)
        #expect(bench.send(6, octets: octets).first?.hasPrefix("written") == true)
        // Entries of one list are one attribute.
        let entries = (0..<40).map { "{1=<\(special) 4=9 5=null> 2=\($0)}" }
        #expect(bench.write(entries.joined(separator: " ")).first?.hasPrefix("written") == true)
    }

    @Test(
        arguments: [
            "{0=false 2=[] 255=12}", "{0=false 1=false 255=12}", "{0=false 1=false 2=[{1=<3=40 4=5> 2=1}] 255=12}",
            "{0=false 1=false 2=[{1=<2=0 4=5> 2=1}] 255=12}", "{0=false 1=false 2=[{1=<2=0 3=40> 2=1}] 255=12}",
            "{0=false 1=false 2=[{1=<2=0 3=40 4=5>}] 255=12}", "{0=false 1=false 2=[{2=1}] 255=12}",
            "{0=false 1=false 2=[{1=<0=true 2=0 3=40 4=5> 2=1}] 255=12}",
            "{0=false 1=false 2=[{1=<2=0 3=31 4=0 5=0> 2=1}] 255=12}", "{0=1 1=false 2=[] 255=12}",
        ])
    func aMalformedWriteChangesNothing(message: String) {
        var bench = Bench()
        #expect(bench.send(6, message.replacing("2=[{", with: "2=[{1=<2=0 3=40 4=5> 2=1} {")) == refusal(0x80))
        #expect(bench.node.log.isEmpty)
    }
}
