// SPDX-License-Identifier: Apache-2.0

import WiFi

import TestSupport
import MatterCredentials
import Crypto
import MatterInteraction
import MatterTLV
import Testing
import Timekeeping

@testable import MatterSession
@testable import MatterTestSupport

/// A controller with a secure session to the node: requests of the interaction model, and their answers as texts in
/// the notation of the traces.
struct Controller {
    var session: TestSession
    let peer: TransportPeer
    private var exchange: UInt16 = 0x200

    init(session: TestSession, peer: TransportPeer) {
        self.session = session
        self.peer = peer
    }

    private var isReliable: Bool { if case .udp = peer { true } else { false } }

    // MARK: - Commands

    /// Invokes a command of the root.
    mutating func invoke(
        _ rig: inout NodeRig, _ cluster: UInt32, _ command: UInt32, _ fields: String = "{}", timed: Bool = false
    ) throws -> String? { try invoke(&rig, 0, cluster, command, fields, timed: timed) }

    /// Invokes a command. The fields of the response, or `status …`; nil if there is no answer yet.
    mutating func invoke(
        _ rig: inout NodeRig, _ endpoint: UInt16, _ cluster: UInt32, _ command: UInt32, _ fields: String = "{}",
        timed: Bool = false
    ) throws -> String? {
        exchange += 1
        if timed {
            let answer = try send(&rig, 10, Notation.octets("{0=1000 255=12}"))
            guard let answer else { throw NoAnswer() }
            #expect(Notation.text(answer.payload) == "{0=0 255=12}")
        }
        let element = try TLVElement(Notation.octets(fields))
        var writer = TLVWriter()
        writer.structure(as: .anonymous) { request in
            request.bool(false, as: 0)
            request.bool(timed, as: 1)
            request.array(as: 2) { list in
                list.structure(as: .anonymous) { item in
                    item.list(as: 0) { path in
                        path.unsigned(endpoint, as: 0)
                        path.unsigned(cluster, as: 1)
                        path.unsigned(command, as: 2)
                    }
                    item.element(element, as: 1)
                }
            }
            request.unsigned(UInt8(12), as: 255)
        }
        return try send(&rig, 8, writer.octets).map(Controller.outcome)
    }

    /// The answer to a command that came later.
    mutating func laterOutcome(_ rig: inout NodeRig) throws -> String? {
        try receive(&rig, rig.drain(to: peer)).map(Controller.outcome)
    }

    static func outcome(_ message: SentMessage) throws -> String {
        let response = try TLVElement(message.payload).structure()
        guard message.opcode == 9 else { return "message \(message.opcode) \(Notation.text(message.payload))" }
        let list = try response.required(1).array()
        let content = try #require(list.first { _ in true }).structure()
        if let data = content[0] {
            var writer = TLVWriter()
            writer.element(try data.structure().required(1), as: .anonymous)
            return Notation.text(writer.octets)
        }
        let status = try content.required(1).structure().required(1).structure()
        let code: UInt8 = try status.required(0).unsigned()
        let cluster = try status[1].map { try $0.unsigned(UInt8.self) }
        return "status \(code)" + (cluster.map { " cluster \($0)" } ?? "")
    }

    // MARK: - Attributes

    /// Reads one attribute of the root.
    mutating func read(
        _ rig: inout NodeRig, _ cluster: UInt32, _ attribute: UInt32, isFiltered: Bool = false
    ) throws -> String { try read(&rig, 0, cluster, attribute, isFiltered: isFiltered) }

    /// Reads one attribute: the value, or `status …`.
    mutating func read(
        _ rig: inout NodeRig, _ endpoint: UInt16, _ cluster: UInt32, _ attribute: UInt32, isFiltered: Bool = false
    ) throws -> String {
        let reports = try readAll(
            &rig, "<2=\(endpoint) 3=\(cluster) 4=\(attribute)>", isFiltered: isFiltered)
        #expect(reports.count == 1)
        return reports.first?.value ?? ""
    }

    /// Reads attribute paths in notation: all values in order, lists in one piece.
    mutating func readAll(
        _ rig: inout NodeRig, _ paths: String, isFiltered: Bool = false
    ) throws -> [(path: String, value: String)] {
        exchange += 1
        var reports: [(path: String, value: String)] = []
        var answer = try send(&rig, 2, Notation.octets("{0=[\(paths)] 3=\(isFiltered) 255=12}"))
        while let message = answer {
            guard message.opcode == 5 else { return [("message \(message.opcode)", Notation.text(message.payload))] }
            let report = try TLVElement(message.payload).structure()
            if let list = report[1] {
                for element in try list.array() { reports.append(try Controller.report(element)) }
            }
            guard try report[3]?.bool() == true else { break }
            answer = try send(&rig, 1, Notation.octets("{0=0 255=12}"))
        }
        return reports
    }

    private static func report(_ element: TLVElement) throws -> (path: String, value: String) {
        let fields = try element.structure()
        if let status = fields[0] {
            let parts = try status.structure()
            return (
                text(try parts.required(0)),
                "status \(try parts.required(1).structure().required(0).unsigned(UInt8.self))"
            )
        }
        let data = try fields.required(1).structure()
        return (text(try data.required(1)), text(try data.required(2)))
    }

    private static func text(_ element: TLVElement) -> String {
        var writer = TLVWriter()
        writer.element(element, as: .anonymous)
        return Notation.text(writer.octets)
    }

    /// Writes one attribute of the root.
    mutating func write(
        _ rig: inout NodeRig, _ cluster: UInt32, _ attribute: UInt32, _ value: String
    ) throws -> UInt8? { try write(&rig, 0, cluster, attribute, value) }

    /// Writes one attribute: the status.
    mutating func write(
        _ rig: inout NodeRig, _ endpoint: UInt16, _ cluster: UInt32, _ attribute: UInt32, _ value: String
    ) throws -> UInt8? {
        exchange += 1
        let data = "{1=<2=\(endpoint) 3=\(cluster) 4=\(attribute)> 2=\(value)}"
        guard let message = try send(&rig, 6, Notation.octets("{0=false 1=false 2=[\(data)] 3=false 255=12}")),
            message.opcode == 7
        else { return nil }
        let list = try TLVElement(message.payload).structure().required(0).array()
        return try #require(list.first { _ in true }).structure().required(1).structure().required(0).unsigned()
    }

    /// Reads the events of the device in order: `endpoint/cluster/event fields`.
    mutating func events(_ rig: inout NodeRig, _ paths: String = "<>") throws -> [String] {
        exchange += 1
        var events: [String] = []
        var answer = try send(&rig, 2, Notation.octets("{1=[\(paths)] 3=false 255=12}"))
        while let message = answer {
            let report = try TLVElement(message.payload).structure()
            if let list = report[2] {
                for element in try list.array() {
                    guard let data = try element.structure()[1]?.structure() else { continue }
                    let path = try data.required(0).list()
                    let numbers = try [1, 2, 3].map { try path.required($0).unsigned(UInt32.self) }
                    events.append(
                        numbers.map { "\($0)" }.joined(separator: "/") + " " + Controller.text(try data.required(7)))
                }
            }
            guard try report[3]?.bool() == true else { break }
            answer = try send(&rig, 1, Notation.octets("{0=0 255=12}"))
        }
        return events
    }

    /// Subscribes to attribute paths; the number and the maximum interval.
    mutating func subscribe(
        _ rig: inout NodeRig, _ paths: String, floor: Int = 0, ceiling: Int = 60
    ) throws -> (id: UInt32, interval: UInt16)? {
        exchange += 1
        var answer = try send(
            &rig, 3,
            Notation.octets("{0=true 1=\(floor) 2=\(ceiling) 3=[\(paths)] 4=[<>] 7=false 255=12}"))
        while let message = answer, message.opcode == 5 {
            answer = try send(&rig, 1, Notation.octets("{0=0 255=12}"))
        }
        guard let answer, answer.opcode == 4 else { return nil }
        let fields = try TLVElement(answer.payload).structure()
        return (try fields.required(0).unsigned(), try fields.required(2).unsigned())
    }

    /// Takes a report on an exchange of the node's, and answers it: the changes.
    mutating func takeReport(_ rig: inout NodeRig) throws -> [(path: String, value: String)]? {
        guard let message = try receive(&rig, rig.drain(to: peer)), message.opcode == 5 else { return nil }
        let report = try TLVElement(message.payload).structure()
        let answer = try session.message(
            1, Notation.octets("{0=0 255=12}"), exchange: message.proto.exchange, isFromInitiator: false,
            isReliable: isReliable, acknowledging: isReliable ? message.header.counter : nil)
        rig.receive(answer, from: peer)
        return try report[1].map { list in try list.array().map { try Controller.report($0) } } ?? []
    }

    // MARK: - Messages

    /// Sends a message in notation, on an exchange that begins with it or on the last one; the answer.
    mutating func send(
        _ rig: inout NodeRig, _ opcode: UInt8, _ payload: String, beginsExchange: Bool = true
    ) throws -> SentMessage? {
        if beginsExchange { exchange += 1 }
        return try send(&rig, opcode, Notation.octets(payload))
    }

    /// Sends a request, acknowledges the answer and returns it; nil if there is none yet.
    mutating func send(_ rig: inout NodeRig, _ opcode: UInt8, _ payload: [UInt8]) throws -> SentMessage? {
        let datagram = try session.message(opcode, payload, exchange: exchange, isReliable: isReliable)
        return try receive(&rig, rig.receive(datagram, from: peer))
    }

    private mutating func receive(_ rig: inout NodeRig, _ datagrams: [[UInt8]]) throws -> SentMessage? {
        var result: SentMessage?
        for datagram in datagrams {
            let message = try session.read(datagram)
            if message.isReliable {
                let acknowledgement = try session.acknowledgement(
                    message.header.counter, exchange: message.proto.exchange,
                    isFromInitiator: !message.proto.isFromInitiator)
                rig.receive(acknowledgement, from: peer)
            }
            if message.proto.protocolID == 1 { result = message }
        }
        return result
    }
}

/// A request without an answer.
struct NoAnswer: Error {}

extension SentMessage {
    var opcode: UInt8 { proto.opcode }
}
