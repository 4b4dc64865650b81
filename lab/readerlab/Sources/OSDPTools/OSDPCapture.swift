// SPDX-License-Identifier: Apache-2.0

import JSON
import Octets
import Timekeeping

/// A capture of a line in the format OSDPCAP, version 1, of libosdp-conformance and OSDP.Net: one JSON object for each
/// line, with octets as hexadecimal digits and their time of arrival. A message may span several objects.
struct OSDPCapture: Sendable {
    /// A record of the capture.
    struct Record: Equatable, Sendable {
        /// The octets.
        var octets: [UInt8]
        /// The time since the epoch; nil if the record has none.
        var time: Instant?
    }

    /// A line that is not a record.
    struct Fault: Error, Equatable, Sendable {
        /// The number of the line, from 1.
        var line: Int
        var problem: String
    }

    /// The maximum number of octets in a line: several of the longest frames.
    static let lineLimit = 64 << 10
    private static let version = "1"
    /// The byte order mark that some programs write before a text in UTF-8.
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private var line: [UInt8] = []
    private var number = 1

    /// True if the octets at the beginning of a file are a capture's.
    static func begins(_ octets: some Collection<UInt8>) -> Bool {
        let text = octets.starts(with: byteOrderMark) ? octets.dropFirst(byteOrderMark.count) : octets.dropFirst(0)
        return text.first { !isSpace($0) } == UInt8(ascii: "{")
    }

    /// Reads octets of the file in pieces of any length, and passes each record to `body`.
    mutating func receive(_ octets: some Sequence<UInt8>, _ body: (Record) -> Void) throws(Fault) {
        for octet in octets {
            guard octet == UInt8(ascii: "\n") else {
                guard line.count < OSDPCapture.lineLimit else { throw fault("the line is too long") }
                line.append(octet)
                continue
            }
            try endLine(body)
        }
    }

    /// Handles the end of the file.
    mutating func finish(_ body: (Record) -> Void) throws(Fault) { try endLine(body) }

    private mutating func endLine(_ body: (Record) -> Void) throws(Fault) {
        if number == 1, line.starts(with: OSDPCapture.byteOrderMark) {
            line.removeFirst(OSDPCapture.byteOrderMark.count)
        }
        if !line.allSatisfy(OSDPCapture.isSpace) { body(try record()) }
        line.removeAll(keepingCapacity: true)
        number += 1
    }

    private static func isSpace(_ octet: UInt8) -> Bool { [0x20, 0x09, 0x0D, 0x0A].contains(octet) }

    private func fault(_ problem: String) -> Fault { Fault(line: number, problem: problem) }

    // MARK: - Record

    private func record() throws(Fault) -> Record {
        let object: JSONNode
        do throws(JSONFault) { object = try JSONParser.parse(line) } catch { throw fault(error.problem) }
        guard case .object = object.content else { throw fault("\(object.kind) where an object is expected") }
        if let version = object["osdpTraceVersion"], OSDPCapture.text(version) != OSDPCapture.version {
            throw fault("version \(version.written) of the format is unknown; version 1 is read")
        }
        guard let data = object["data"] else { throw fault("\"data\" is missing") }
        guard let octets = OSDPCapture.text(data).flatMap(OSDPCapture.octets) else {
            throw fault("\"data\" is no text of hexadecimal octets")
        }
        return Record(octets: octets, time: try time(object["timeSec"], object["timeNano"]))
    }

    private func time(_ seconds: JSONNode?, _ rest: JSONNode?) throws(Fault) -> Instant? {
        guard let seconds else { return nil }
        let second = Duration.seconds(1).wholeNanoseconds
        guard let whole = OSDPCapture.text(seconds).flatMap({ Int64($0) }), (0..<Int64.max / second).contains(whole),
            let part = rest.map({ OSDPCapture.text($0).flatMap { Int64($0) } }) ?? 0, (0..<second).contains(part)
        else { throw fault("\"timeSec\" and \"timeNano\" are no time") }
        return Instant(nanoseconds: whole * second + part)
    }

    /// The text of a number: it is written as a string, and by some programs as a number.
    private static func text(_ node: JSONNode) -> String? {
        switch node.content {
        case .string(let text), .number(let text): text
        default: nil
        }
    }

    /// The octets of hexadecimal digits, with spaces, hyphens or colons between octets.
    private static func octets(_ text: String) -> [UInt8]? {
        var octets: [UInt8] = []
        for word in text.utf8.split(whereSeparator: { isSpace($0) || $0 == 0x2D || $0 == 0x3A }) {
            guard let part = Hexadecimal.octets(String(decoding: word, as: UTF8.self)) else { return nil }
            octets += part
        }
        return octets
    }
}
