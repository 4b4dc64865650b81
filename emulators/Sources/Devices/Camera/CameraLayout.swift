// SPDX-License-Identifier: Apache-2.0

import Octets

/// The layout of a camera's value, with signals and diagnostics. Only the first four octets are published, so the
/// layout is configurable; the default is assumed: three 32-bit numbers, least significant octet first, then UTF-8
/// text.
public struct CameraLayout: Equatable, Sendable, CustomStringConvertible {
    /// A signal of the status.
    public enum Signal: String, Sendable, CaseIterable {
        /// The notification state.
        case notification
        /// The onboarding state.
        case onboarding
        /// The connectivity state.
        case connectivity
    }

    /// The encoding of a number.
    public enum Number: String, Sendable, CaseIterable {
        /// Two octets, least significant first.
        case int16LittleEndian = "int16le"
        /// Two octets, most significant first.
        case int16BigEndian = "int16be"
        /// Four octets, least significant first.
        case int32LittleEndian = "int32le"
        /// Four octets, most significant first.
        case int32BigEndian = "int32be"

        /// The length in octets.
        public var count: Int {
            switch self {
            case .int16LittleEndian, .int16BigEndian: 2
            case .int32LittleEndian, .int32BigEndian: 4
            }
        }
    }

    /// A number in the value.
    public struct Field: Equatable, Sendable {
        /// The signal that it holds.
        public var signal: Signal
        /// Its encoding.
        public var number: Number

        /// A field for this signal.
        public init(_ signal: Signal, _ number: Number = .int32LittleEndian) {
            self.signal = signal
            self.number = number
        }
    }

    /// The numbers in order.
    public var fields: [Field]
    /// True if diagnostics follow the numbers.
    public var hasText: Bool

    /// A layout; by default the assumed one.
    public init(
        fields: [Field] = [Field(.notification), Field(.onboarding), Field(.connectivity)], hasText: Bool = true
    ) {
        self.fields = fields
        self.hasText = hasText
    }

    /// Parses a layout such as `notification:int32le,onboarding:int32le,connectivity:int32le,text`: each signal at
    /// most once, the notification state among them, `:int32le` optional, `text` last or absent. Nil for any other
    /// text.
    public init?(_ text: String) {
        var parts = text.split(separator: ",", omittingEmptySubsequences: false)[...]
        hasText = parts.last == "text"
        if hasText { parts = parts.dropLast() }
        fields = []
        for part in parts {
            let halves = part.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard let first = halves.first, let signal = Signal(rawValue: String(first)),
                let number = halves.count == 1 ? .int32LittleEndian : Number(rawValue: String(halves[1])),
                !fields.contains(where: { $0.signal == signal })
            else { return nil }
            fields.append(Field(signal, number))
        }
        guard fields.contains(where: { $0.signal == .notification }) else { return nil }
    }

    /// The length of all numbers in octets.
    public var fixedCount: Int { fields.reduce(0) { $0 + $1.number.count } }

    /// Encodes the numbers of a value. The caller appends as much of the text as fits.
    public func encodedNumbers(_ status: CameraStatus) -> [UInt8] {
        var octets: [UInt8] = []
        for field in fields {
            let signal =
                switch field.signal {
                case .notification: status.notification
                case .onboarding: status.onboarding
                case .connectivity: status.connectivity
                }
            let value = UInt32(bitPattern: signal.rawValue)
            switch field.number {
            case .int16LittleEndian: octets.append(littleEndian: UInt16(truncatingIfNeeded: value))
            case .int16BigEndian: octets.append(bigEndian: UInt16(truncatingIfNeeded: value))
            case .int32LittleEndian: octets.append(littleEndian: value)
            case .int32BigEndian: octets.append(littleEndian: value.byteSwapped)
            }
        }
        return octets
    }

    /// The text that `init(_:)` parses.
    public var description: String {
        (fields.map { "\($0.signal.rawValue):\($0.number.rawValue)" } + (hasText ? ["text"] : []))
            .joined(separator: ",")
    }
}

/// The treatment of diagnostics that exceed a link's ATT_MTU (assumed: nothing is published).
public enum CameraOverflow: String, Sendable, CaseIterable {
    /// The text is cut between two characters.
    case cut
    /// The rest of the text follows in further values with the same numbers.
    case split
    /// The text is omitted.
    case leaveOut = "leave-out"
}

extension CameraLayout {
    /// The values that report a status on a link with room for `limit` octets: one, or with `split` as many as the
    /// text requires. Numbers are never cut: a link without room for them gets no value. If not one character fits,
    /// the text is omitted.
    public func values(_ status: CameraStatus, text: String, limit: Int, _ overflow: CameraOverflow) -> [[UInt8]] {
        let numbers = encodedNumbers(status)
        guard numbers.count <= limit else { return [] }
        guard hasText else { return [numbers] }
        let room = limit - numbers.count
        if text.utf8.count <= room { return [numbers + Array(text.utf8)] }
        switch overflow {
        case .leaveOut: return [numbers]
        case .cut: return [numbers + CameraLayout.prefix(of: text[...], room)]
        case .split:
            var values: [[UInt8]] = []
            var rest = text[...]
            while !rest.isEmpty {
                let part = CameraLayout.prefix(of: rest, room)
                guard !part.isEmpty else { break }
                values.append(numbers + part)
                rest = rest[rest.utf8.index(rest.startIndex, offsetBy: part.count)...]
            }
            return values.isEmpty ? [numbers] : values
        }
    }

    /// The longest prefix of a text with at most `count` octets, in whole Unicode scalars.
    private static func prefix(of text: Substring, _ count: Int) -> [UInt8] {
        var octets: [UInt8] = []
        for scalar in text.unicodeScalars {
            let encoded = UTF8.encode(scalar).map(Array.init) ?? []
            guard octets.count + encoded.count <= count else { break }
            octets += encoded
        }
        return octets
    }
}
