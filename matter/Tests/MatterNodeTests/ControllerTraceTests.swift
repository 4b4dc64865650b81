// SPDX-License-Identifier: Apache-2.0

import MatterCredentials
import MatterTLV
import TestSupport
import Testing
import Timekeeping
import WiFi
import WiFiTestSupport

@testable import MatterNode
@testable import MatterSession
@testable import MatterTestSupport

/// Whole traces of controllers (`ControllerTraces`), step by step.
struct ControllerTraceTests {
    @Test
    func chip() throws {
        var player = try TracePlayer(.test(.lock(LockTraits())))
        try player.play(ControllerTraces.chip)
        #expect(player.rig.node.fabrics.map(\.label) == ["lab"])
    }

    @Test
    func hub() throws {
        var player = try TracePlayer(.test(.lock(LockTraits())))
        try player.play(ControllerTraces.hub)
        #expect(player.rig.node.fabrics.map(\.vendor) == [4742])
    }

    /// The empty intermediate certificate is in AddNOC and in Sigma3.
    @Test
    func anEmptyIntermediate() throws {
        var player = try TracePlayer(.test(.lock(LockTraits())))
        player.commissioner.sendsEmptyIntermediate = true
        try player.play(ControllerTraces.matterJS)
        #expect(player.rig.node.fabrics.map(\.label) == ["matter.js fabric"])
    }

    @Test
    func overBluetooth() throws {
        var player = try TracePlayer(.test(network: .wifi(address: [2, 0, 0, 0, 0, 1])), peer: .ble(link: 3))
        player.commissioner.sendsEmptyIntermediate = true
        try player.play(ControllerTraces.matterJSOverBluetooth)
        #expect(player.rig.node.fabrics.map(\.index) == [1])
    }
}

/// A controller that sends a trace to a node, and compares the outcomes.
private struct TracePlayer {
    private static let home = WiFiNetwork(
        name: "Home", address: WiFiAddress(2, 0, 0, 0, 0, 1), band: .band2GHz,
        channel: 6, security: .wpa2PSK, rssi: -40)

    var rig: NodeRig
    var commissioner: Commissioner
    /// The data versions of the last read, as filters.
    private var versions: [(path: String, version: String)] = []
    private var interval = 0

    init(_ configuration: MatterConfiguration, peer: TransportPeer = .host(1)) throws {
        rig = try NodeRig(configuration)
        commissioner = try Commissioner(peer: peer)
    }

    mutating func play(_ trace: String) throws {
        for line in trace.split(separator: "\n") {
            let word = String(line.prefix { $0 != " " })
            let parts = line.dropFirst(word.count).split(
                separator: "=>", maxSplits: 1, omittingEmptySubsequences: false)
            let payload = try filled(parts[0].trimmed)
            let wanted = parts.count > 1 ? parts[1].trimmed : ""
            do {
                let outcome = try perform(word, payload, wanted)
                #expect(Self.matches(outcome, wanted), "\(line)\nhad \(outcome)")
            } catch {
                Issue.record("\(line)\n\(error)")
                throw error
            }
        }
    }

    /// True if each of the wanted texts is in the outcome, in this order; the last one may be its beginning.
    private static func matches(_ outcome: [String], _ wanted: String) -> Bool {
        let words = wanted.split(separator: ", ").map(String.init)
        var rest = outcome[...]
        for (place, word) in words.enumerated() {
            let isLast = place == words.count - 1
            guard
                let found = rest.firstIndex(where: { isLast || word.hasSuffix("\"") ? $0.hasPrefix(word) : $0 == word })
            else { return false }
            rest = rest[(found + 1)...]
        }
        return true
    }

    private mutating func perform(_ word: String, _ payload: String, _ wanted: String) throws -> [String] {
        switch word {
        case "pase":
            commissioner.parameters = payload
            try commissioner.perform(.passcode, &rig)
            return []
        case "case":
            commissioner.parameters = payload
            try commissioner.perform(.session, &rig)
            return []
        case "read": return try reports(2, payload, end: 5)
        case "subscribe":
            defer { interval = 60 }
            return try reports(3, payload, end: 4)
        case "write":
            let answer = try ask(6, payload)
            let list = try TLVElement(answer.payload).structure().required(0).array()
            let entry = try #require(list.first { _ in true }).structure()
            return ["\(try entry.required(1).structure().required(0).unsigned(UInt8.self))"]
        case "timed":
            #expect(Notation.text(try ask(10, payload).payload) == "{0=0 255=12}")
            isTimed = true
            return []
        case "invoke": return [try invoke(payload, wanted)]
        case "report":
            rig.advance(by: .seconds(1))
            let report = try #require(try controller { rig, controller in try controller.takeReport(&rig) })
            return report.map { Self.text($0.path, $0.value) }
        case "alive":
            // The subscription lives on: a report without changes at its interval, which the controller answers.
            rig.advance(by: .seconds(interval))
            let report = try #require(try controller { rig, controller in try controller.takeReport(&rig) })
            #expect(report.isEmpty)
            return []
        default: throw NoAnswer()
        }
    }

    private var isTimed = false

    private mutating func invoke(_ payload: String, _ wanted: String) throws -> String {
        defer { isTimed = false }
        let begins = !isTimed
        guard let answer = try controller({ try $1.send(&$0, 8, payload, beginsExchange: begins) }) else {
            // ScanNetworks and ConnectNetwork wait for the station.
            rig.input { $0.receive(.found(Self.home), at: $1) }
            rig.input { $0.receive(.scanEnded(complete: true), at: $1) }
            if wanted.hasPrefix("scan ") {
                return "scan " + (try controller { try $1.laterOutcome(&$0) } ?? "")
            }
            rig.input { $0.receive(.joined(Self.home, IPv4Address(192, 0, 2, 7)), at: $1) }
            return "join " + (try controller { try $1.laterOutcome(&$0) } ?? "")
        }
        let outcome = try Controller.outcome(answer)
        if payload.contains("0=<0=0 1=62 2=4>") { try commissioner.takeRequest(outcome) }
        return outcome
    }

    /// All values of a read or of a subscription's first report, `endpoint/cluster/attribute value`.
    private mutating func reports(_ opcode: UInt8, _ payload: String, end: UInt8) throws -> [String] {
        var values: [String] = []
        versions = opcode == 2 ? [] : versions
        var answer = try ask(opcode, payload)
        while answer.opcode == 5 {
            let report = try TLVElement(answer.payload).structure()
            for element in try report[1]?.array().map({ $0 }) ?? [] {
                let fields = try element.structure()
                if let data = try fields[1]?.structure() {
                    let path = Notation.text(try data.required(1).standalone)
                    values.append(Self.text(path, Notation.text(try data.required(2).standalone)))
                    record(path, version: try data.required(0).unsigned(UInt32.self))
                } else if let status = try fields[0]?.structure() {
                    let code: UInt8 = try status.required(1).structure().required(0).unsigned()
                    values.append(Self.text(Notation.text(try status.required(0).standalone), "status \(code)"))
                }
            }
            let hasMore = try report[3]?.bool() == true
            guard hasMore || end == 4 else { break }
            let next = try controller { try $1.send(&$0, 1, "{0=0 255=12}", beginsExchange: false) }
            answer = try #require(next)
        }
        #expect(answer.opcode == end)
        return values
    }

    private mutating func record(_ path: String, version: UInt32) {
        let fields = path.dropFirst().dropLast().split(separator: " ").map { $0.split(separator: "=")[1] }
        let filter = "<1=\(fields[0]) 2=\(fields[1])>"
        if !versions.contains(where: { $0.path == filter }) { versions.append((filter, "\(version)")) }
    }

    /// `endpoint/cluster/attribute value` of a path in notation.
    private static func text(_ path: String, _ value: String) -> String {
        let numbers = path.dropFirst().dropLast().split(separator: " ").compactMap { field -> Substring? in
            let parts = field.split(separator: "=")
            return ["2", "3", "4"].contains(parts[0]) ? parts[1] : nil
        }
        return numbers.joined(separator: "/") + " " + value
    }

    private func filled(_ payload: String) throws -> String {
        var text = payload.replacing("$nonce", with: Commissioner.nonce)
        text = text.replacing("$root", with: quoted(commissioner.fabric.root.tlv))
        text = text.replacing("$ipk", with: quoted(commissioner.fabric.groupKey))
        if text.contains("$noc") {
            let certificate = try commissioner.fabric.certificate(
                node: commissioner.node, point: commissioner.operationalKey)
            text = text.replacing("$noc", with: quoted(certificate.tlv))
        }
        let filters = versions.map { "{0=\($0.path) 1=\($0.version)}" }.joined(separator: " ")
        return text.replacing("$versions", with: "[\(filters)]")
    }

    private mutating func ask(_ opcode: UInt8, _ payload: String) throws -> SentMessage {
        try #require(try controller { try $1.send(&$0, opcode, payload) })
    }

    private mutating func controller<Result>(_ body: (inout NodeRig, inout Controller) throws -> Result) throws
        -> Result
    {
        var controller = try #require(commissioner.controller)
        defer { commissioner.controller = controller }
        return try body(&rig, &controller)
    }
}

extension Substring {
    fileprivate var trimmed: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}

extension TLVElement {
    /// The element as one without a tag.
    fileprivate var standalone: [UInt8] {
        var writer = TLVWriter()
        writer.element(self, as: .anonymous)
        return writer.octets
    }
}
