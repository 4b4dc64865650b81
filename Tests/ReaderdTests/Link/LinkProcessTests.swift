// SPDX-License-Identifier: Apache-2.0

import Crypto
import Fleet
import Glibc
import JSON
import Reader
import System
import TestSupport
import Testing
import Timekeeping

@testable import readerd

/// A whole reader with a client that is the process of its link.
@Suite struct LinkProcessTests {
    private static func rig(_ more: String = "") throws -> CompanionRig {
        try CompanionRig("link", "name = \"Front\"\n\(more)")
    }

    /// The process of the link, and the first reports: the reader, and the end of its log.
    static func link(_ rig: CompanionRig) throws -> (client: BlockingClient, reader: LinkReader) {
        let client = try BlockingClient(rig.socket)
        guard case .reader(let reader) = try report(client) else { throw Missing(what: "the greeting") }
        return (client, reader)
    }

    struct Missing: Error { let what: String }

    /// The line that asks for a batch.
    private static func read(_ first: UInt64, octets: Int = FleetLimits.batchCount) -> String {
        LinkRequest.read(from: first, octets: octets).line + "\n"
    }

    static func report(_ client: BlockingClient) throws -> LinkReport {
        guard let line = client.line() else { throw Missing(what: "a line") }
        return try LinkReport(line: Array(line.utf8))
    }

    /// The next report for which `body` gives a value.
    static func next<Value>(_ client: BlockingClient, _ body: (LinkReport) -> Value?) throws -> Value {
        while true { if let value = body(try report(client)) { return value } }
    }

    @Test func eventsAreReadInOrderAndSigned() throws {
        let rig = try Self.rig()
        try rig.process.serve { control, _ in
            let (link, reader) = try Self.link(rig)
            #expect(reader.name == "Front")
            #expect(reader.device == "7761307931597753")
            for _ in 0..<3 { #expect(control.ask(#"{"unlock":"pulse"}"#)?.contains(#""ok":true"#) == true) }
            let newest = try LinkProcessTests.next(link) { report in
                if case .newest(let number) = report, number >= 4 { number } else { nil }
            }
            link.send(Self.read(2))
            let (text, covers) = try LinkProcessTests.next(link) { report in
                if case .batch(let text, let covers, false) = report { (text, covers) } else { nil }
            }
            #expect(covers.lowerBound == 2 && covers.upperBound >= newest)
            let signed = try EventBatch.Signed(Array(text.utf8))
            #expect(signed.batch.log == reader.log)
            #expect(signed.batch.events.count == covers.count)
            #expect(signed.batch.chain.count == 64)
            #expect(signed.batch.events.contains { $0.contains(#""kind":"unlocked""#) })
            let key = try ReaderIdentity.demo().terminalKey.publicKey
            let isValid = key.isValid(signature: signed.signature.span, for: signed.signedOctets.span)
            #expect(isValid)
        }
    }

    @Test func whatHasLeftTheLogIsToldAsAGap() throws {
        let rig = try Self.rig("[events]\ncapacity = 100\n")
        try rig.process.serve { _, process in
            let (link, _) = try Self.link(rig)
            // Records that no origin's share bounds.
            process.onLoop {
                for _ in 0..<150 { process.process.record(AuditEvent(.withdrawn, at: process.process.auditTime)) }
                process.process.flush()
            }
            _ = try LinkProcessTests.next(link) { report in
                if case .newest(let number) = report, number >= 150 { number } else { nil }
            }
            link.send(Self.read(1))
            let text = try LinkProcessTests.next(link) { report in
                if case .batch(let text, _, true) = report { text } else { nil }
            }
            let batch = try EventBatch.Signed(Array(text.utf8)).batch
            let gap = try #require(batch.gap)
            #expect(gap.lowerBound == 1 && gap.upperBound >= 50)
            #expect(batch.events.count == FleetLimits.eventsPerBatch)
            #expect(batch.last == gap.upperBound + 50)
            // Beyond the log there is its end.
            link.send(Self.read(100_000))
            _ = try LinkProcessTests.next(link) { report in
                if case .newest = report { true } else { nil }
            }
        }
    }

    /// A batch has the length that is asked for, whatever the broker's limit is.
    @Test func aBatchIsNoLongerThanItsReadPermits() throws {
        let rig = try Self.rig()
        try rig.process.serve { control, _ in
            let (link, _) = try Self.link(rig)
            for _ in 0..<50 { _ = control.ask(#"{"unlock":"pulse"}"#) }
            _ = try LinkProcessTests.next(link) { report in
                if case .newest(let number) = report, number >= 50 { number } else { nil }
            }
            var counts: [Int] = []
            for octets in [4000, 8000, FleetLimits.batchCount] {
                link.send(Self.read(1, octets: octets))
                let text = try LinkProcessTests.next(link) { report in
                    if case .batch(let text, _, _) = report { text } else { nil }
                }
                #expect(text.utf8.count <= octets)
                counts.append(try EventBatch.Signed(Array(text.utf8)).batch.events.count)
            }
            #expect(counts[0] > 5 && counts[0] < counts[1] && counts[1] < counts[2], "\(counts)")
        }
    }

    /// A process that is stopped, or hangs, says nothing of the present: its status is not believed.
    @Test func aSilentProcessIsDisconnected() throws {
        let rig = try Self.rig()
        try rig.process.run { path, process in
            process.onLoop { process.process.service(ReaderLink.self)?.link.silenceLimit = .milliseconds(300) }
            let (link, _) = try Self.link(rig)
            let control = try BlockingClient(path)
            func status(_ text: String) -> Bool { control.ask(#"{"get":"status"}"#)?.contains(text) == true }
            link.send(#"{"status":{"connected":true,"delivered":3,"faults":{}}}"# + "\n")
            #expect(eventually { status(#""link":{"process":true,"connected":true"#) })
            while link.line() != nil {}
            #expect(eventually { status(#""link":{"process":false,"connected":false"#) })
            #expect(status("link-absent"))
            // The next one is served.
            let (next, _) = try Self.link(rig)
            #expect(eventually { status(#""link":{"process":true"#) })
            withExtendedLifetime(next) {}
        }
        #expect(rig.process.lines.all.contains("link: readerd-link has been silent for"))
    }

    @Test func stateIsToldWhenItChanges() throws {
        let rig = try Self.rig()
        try rig.process.serve { control, _ in
            let (link, _) = try Self.link(rig)
            #expect(control.ask(#"{"unlock":"office-on"}"#)?.contains(#""ok":true"#) == true)
            _ = try LinkProcessTests.next(link) { report in
                if case .state(let text) = report, text.contains(#""lock":"UNLOCKED""#) { true } else { nil }
            }
            #expect(control.ask(#"{"unlock":"office-off"}"#)?.contains(#""ok":true"#) == true)
            let text = try LinkProcessTests.next(link) { report in
                if case .state(let text) = report, text.contains(#""lock":"LOCKED""#) { text } else { nil }
            }
            #expect(text.contains(#""open":false,"tampered":false,"sequence":"#))
        }
    }

    /// The names of docs/operate/fleet.md, and not those of the source.
    @Test func anAlarmOfTheDoorHasItsName() throws {
        let rig = try CompanionRig("link", "", others: "[door]\nopen-time-s = 10\nopen-warning-s = 1\n")
        try rig.serveLink { link, process in
            func waitForState(with part: String) throws {
                _ = try LinkProcessTests.next(link) { report in
                    if case .state(let text) = report, text.contains(part) { true } else { nil }
                }
            }
            process.contact(isOpen: false)
            process.contact(isOpen: true)
            try waitForState(with: #""alarm":"forced""#)
            process.contact(isOpen: false)
            process.exitFreesTheLock()
            process.contact(isOpen: true)
            process.onLoop { process.skew.value = .seconds(60) }
            try waitForState(with: #""alarm":"ajar""#)
        }
    }

    /// An order gets a signed answer. No key of this reader can have signed one: the door does not move.
    @Test func everyOrderIsRefusedAndAnswered() throws {
        let rig = try Self.rig()
        try rig.process.run { path, _ in
            let (link, reader) = try Self.link(rig)
            let order = RemoteOrder(
                reader: reader.device, key: [UInt8](repeating: 1, count: 8), id: [UInt8](repeating: 2, count: 16),
                counter: 1, notBefore: 0, expires: 30, command: "pulse")
            var stranger = order
            stranger.reader = "0000000000000000"
            let rows: [([UInt8], RemoteAnswer)] = [
                (
                    try RemoteOrder.Signed.message(order.body(), signature: [0x30]),
                    RemoteAnswer(device: reader.device, id: order.id, command: "pulse", .refused, .key)
                ),
                (
                    try RemoteOrder.Signed.message(stranger.body(), signature: [0x30]),
                    RemoteAnswer(device: reader.device, id: order.id, command: "pulse", .refused, .reader)
                ),
                ([0x80], RemoteAnswer(device: reader.device, id: nil, command: nil, .refused, .form)),
            ]
            let key = try ReaderIdentity.demo().terminalKey.publicKey
            for (index, (octets, answer)) in rows.enumerated() {
                link.send(LinkRequest.order(octets, isRetained: false, number: UInt64(index)).line + "\n")
                let text = try LinkProcessTests.next(link) { report -> String? in
                    if case .answer(let text, UInt64(index)) = report { text } else { nil }
                }
                let signed = try RemoteAnswer.Signed(Array(text.utf8))
                #expect(signed.answer == answer)
                let isValid = key.isValid(signature: signed.signature.span, for: signed.signedOctets.span)
                #expect(isValid)
            }
            let control = try BlockingClient(path)
            #expect(control.ask(#"{"get":"status"}"#)?.contains(#""openings":0"#) == true)
        }
    }

    /// The link gives no order of its own: whatever it sends, the door does not move.
    @Test(arguments: [
        #"{"unlock":"pulse"}"#, #"{"order":1,"move":"unlocked","fabric":1,"node":"000000000001B669"}"#, "{}", "x",
        #"{"read":-1}"#, #"{"read":1}{"unlock":"pulse"}"#, String(repeating: "x", count: 5000),
    ]) func noOrderIsTaken(line: String) throws {
        let rig = try Self.rig()
        try rig.process.run { path, _ in
            let (link, _) = try Self.link(rig)
            link.send(line + "\n")
            while link.line() != nil {}
            let control = try BlockingClient(path)
            #expect(
                eventually { control.ask(#"{"get":"status"}"#)?.contains(#""link":{"process":false"#) == true })
            #expect(control.ask(#"{"get":"status"}"#)?.contains(#""openings":0"#) == true)
            // The next process is served.
            _ = try Self.link(rig)
        }
        #expect(rig.process.lines.all.contains("link: readerd-link sent "))
    }

    /// Of reads that wait only the newest is carried out: no number of them grows in memory.
    @Test func ofManyReadsTheNewestIsCarriedOut() throws {
        let rig = try Self.rig()
        try rig.process.serve { control, _ in
            let (link, _) = try Self.link(rig)
            for _ in 0..<2 { #expect(control.ask(#"{"unlock":"pulse"}"#)?.contains(#""ok":true"#) == true) }
            _ = try LinkProcessTests.next(link) { report in
                if case .newest(let number) = report, number >= 3 { number } else { nil }
            }
            let reads = CompanionPacing.messagesPerSecond - 2
            link.send(String(repeating: Self.read(1), count: reads) + Self.read(2))
            var batches = 0
            _ = try LinkProcessTests.next(link) { report -> Bool? in
                guard case .batch(_, let covers, _) = report else { return nil }
                batches += 1
                return covers.lowerBound == 2 ? true : nil
            }
            #expect(batches < reads / 2)
        }
    }

    /// A process that floods is put out; the door and the next process are served.
    @Test func floodEndsTheConnection() throws {
        let rig = try Self.rig()
        try rig.process.run { path, _ in
            let (link, _) = try Self.link(rig)
            link.send(String(repeating: Self.read(1), count: 20_000))
            while link.line() != nil {}
            let control = try BlockingClient(path)
            #expect(control.ask(#"{"unlock":"pulse"}"#)?.contains(#""ok":true"#) == true)
            _ = try Self.link(rig)
        }
        #expect(rig.process.lines.all.contains("readerd-link sent more than 200 messages within a second"))
    }

    @Test func faultsOfTheLinkAreTheReaders() throws {
        let rig = try Self.rig()
        try rig.process.serve { control, _ in
            func status(_ text: String, _ isThere: Bool = true) -> Bool {
                eventually { (control.ask(#"{"get":"status"}"#)?.contains(text) == true) == isThere }
            }
            #expect(status("link-absent"))
            do {
                let (link, _) = try Self.link(rig)
                #expect(status("link-absent", false))
                link.send(
                    #"{"status":{"connected":false,"delivered":null,"faults":{"certificate-time":"not \u001Bvalid yet"}}}"#
                        + "\n")
                #expect(status(#""code":"link-certificate-time""#))
                #expect(status(##"link: not \\u{1b}valid yet"##))
                // The cause may be another while the fault stands.
                link.send(
                    #"{"status":{"connected":false,"delivered":null,"faults":{"certificate-time":"expired"}}}"# + "\n")
                #expect(status("link: expired"))
                link.send(#"{"status":{"connected":true,"delivered":3,"faults":{}}}"# + "\n")
                #expect(status("link-certificate-time", false))
                #expect(status(#""link":{"process":true,"connected":true,"delivered":3}"#))
            }
            #expect(status("link-absent"))
        }
    }

    /// Every fault of a link has a code, and every code of a link a fault.
    @Test func codes() {
        let codes = LinkFault.allCases.compactMap { FaultCode($0) }
        #expect(codes.count == LinkFault.allCases.count)
        let linked = FaultCode.allCases.filter { $0.rawValue.hasPrefix("link-") }
        #expect(Set(linked) == Set(codes + [.linkAbsent, .linkForged, .linkClock]))
    }
}
