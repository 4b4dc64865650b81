// SPDX-License-Identifier: Apache-2.0

import JSON

extension JSONPlace {
    /// A word of an enumeration.
    func value<Value: RawRepresentable & CaseIterable>() throws(JSONPlaceFault) -> Value
    where Value.RawValue == String {
        let word = try word(Value.allCases.map(\.rawValue))
        guard let value = Value(rawValue: word) else { throw fault("is not known") }
        return value
    }

    /// A number of 32 bits.
    func unsigned() throws(JSONPlaceFault) -> UInt32 { UInt32(try number(0...Int(UInt32.max))) }

    /// A text of limited length.
    func shortText() throws(JSONPlaceFault) -> String {
        let text = try text()
        guard text.utf8.count <= LockChannelLimits.textCount else {
            throw fault("has \(text.utf8.count) octets, and \(LockChannelLimits.textCount) are the most")
        }
        return text
    }

    var isNull: Bool { node.content == .null }
}
