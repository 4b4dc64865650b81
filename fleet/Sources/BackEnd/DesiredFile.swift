// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
public import CBOR
public import Fleet
public import JSON
import Remote
import Timekeeping

/// A desired state in a file: `{"blacklist": [{"credential": "A1", "end": "2027-01-31 18:00"}], "settings": {…}}`.
public struct DesiredFile {
    /// The refused credentials; nil to leave the reader's as they are.
    public let blacklist: [DesiredChunk.Entry]?
    /// The settings, by their keys in the configuration file; nil for none.
    public let settings: [String: CBORValue]?

    /// The state in the octets of a file.
    public init(_ octets: [UInt8]) throws(JSONPlaceFault) {
        let root = try JSONPlace(file: octets)
        let members = try root.members(["blacklist", "settings"])
        guard !members.members.isEmpty else { throw root.fault("needs blacklist, settings, or both") }
        var known: Set<String> = []
        blacklist = try members["blacklist"].map { place throws(JSONPlaceFault) in
            var entries: [DesiredChunk.Entry] = []
            for element in try place.elements() {
                let entry = try DesiredFile.entry(element)
                guard known.insert(entry.credential).inserted else {
                    throw element.fault("\(entry.credential) is listed twice")
                }
                entries.append(entry)
            }
            return entries
        }
        settings = try members["settings"].map { place throws(JSONPlaceFault) in
            guard case .object(let values) = place.node.content else { throw place.fault("must be an object") }
            var settings: [String: CBORValue] = [:]
            for member in values {
                let place = place.member(member)
                let value = try DesiredFile.value(place)
                guard DesiredSettings([member.name: value]) != nil else {
                    throw place.fault(
                        "is no setting that a back end may set, or not its value; docs/operate/fleet.md lists them")
                }
                settings[member.name] = value
            }
            return settings
        }
    }

    /// The octets of the chunks; the order contains the SHA-256 of each.
    public func chunks() throws(DesiredChunk.FormFault) -> [[UInt8]] {
        try DesiredChunk.chunks(blacklist: blacklist, settings: settings)
    }

    private static func entry(_ place: JSONPlace) throws(JSONPlaceFault) -> DesiredChunk.Entry {
        let members = try place.members(["credential", "end"])
        let credential = try members.required("credential")
        guard OSSCredentialID(try credential.text()) != nil else {
            throw credential.fault("is no credential: 1 to 10 characters of ASCII")
        }
        let end = try members["end"].map { place throws(JSONPlaceFault) in
            guard let time = CivilTime(minute: try place.text()), time.epochSeconds > 0 else {
                throw place.fault("is no time; write it as \"2027-01-31 18:00\", by the reader's clock")
            }
            return time.epochSeconds
        }
        return DesiredChunk.Entry(credential: try credential.text(), end: end)
    }

    private static func value(_ place: JSONPlace) throws(JSONPlaceFault) -> CBORValue {
        switch place.node.content {
        case .boolean(let flag): return .boolean(flag)
        case .string(let text): return .text(text)
        case .number(let text):
            guard let number = Int64(text) else { throw place.fault("\(text) is no whole number") }
            return .integer(number)
        case .array:
            var values: [CBORValue] = []
            for element in try place.elements() { values.append(try value(element)) }
            return .array(values)
        case .object, .null: throw place.fault("is \(place.node.kind)")
        }
    }
}

extension CivilTime {
    /// The minute of a text such as `2027-01-31 18:00`; nil for other texts.
    fileprivate init?(minute text: String) {
        let digits = Array(text.utf8)
        let separators: [Int: UInt8] = [4: 0x2D, 7: 0x2D, 10: 0x20, 13: 0x3A]
        guard digits.count == 16,
            digits.indices.allSatisfy({ index in
                separators[index].map { digits[index] == $0 } ?? (0x30...0x39).contains(digits[index])
            })
        else { return nil }
        func number(_ range: Range<Int>) -> Int { range.reduce(0) { $0 * 10 + Int(digits[$1] - 0x30) } }
        self.init(
            year: number(0..<4), month: number(5..<7), day: number(8..<10), hour: number(11..<13),
            minute: number(14..<16))
        guard isValid else { return nil }
    }
}
