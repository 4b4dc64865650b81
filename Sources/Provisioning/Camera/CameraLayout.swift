import Octets

/// Where a camera's signals and its diagnostics stand in one value. Only the first four octets are published, so the
/// layout is a setting; the default is assumed: three 32-bit numbers, least significant octet first, then UTF-8 text.
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

    /// How a number is written.
    public enum Number: String, Sendable, CaseIterable {
        /// Two octets, least significant first.
        case int16LittleEndian = "int16le"
        /// Two octets, most significant first.
        case int16BigEndian = "int16be"
        /// Four octets, least significant first.
        case int32LittleEndian = "int32le"
        /// Four octets, most significant first.
        case int32BigEndian = "int32be"

        /// How many octets it has.
        public var count: Int {
            switch self {
            case .int16LittleEndian, .int16BigEndian: 2
            case .int32LittleEndian, .int32BigEndian: 4
            }
        }
    }

    /// A number of the value.
    public struct Field: Equatable, Sendable {
        /// What it says.
        public var signal: Signal
        /// How it is written.
        public var number: Number

        /// A number that says this.
        public init(_ signal: Signal, _ number: Number = .int32LittleEndian) {
            self.signal = signal
            self.number = number
        }
    }

    /// The numbers, in their order.
    public var fields: [Field]
    /// Whether diagnostics follow them.
    public var hasText: Bool

    /// A layout; without arguments the assumed one.
    public init(
        fields: [Field] = [Field(.notification), Field(.onboarding), Field(.connectivity)], hasText: Bool = true
    ) {
        self.fields = fields
        self.hasText = hasText
    }

    /// The layout that is written as `notification:int32le,onboarding:int32le,connectivity:int32le,text`: each signal at
    /// most once, the notification state among them, `:int32le` may be left out, `text` last or not at all. Nil for
    /// anything else.
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

    /// How many octets the numbers have.
    public var fixedCount: Int { fields.reduce(0) { $0 + $1.number.count } }

    /// The numbers of a value; the text is appended by the one who knows how much of it fits.
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

    /// As `init(_:)` reads it.
    public var description: String {
        (fields.map { "\($0.signal.rawValue):\($0.number.rawValue)" } + (hasText ? ["text"] : []))
            .joined(separator: ",")
    }
}

/// What becomes of diagnostics that a link's ATT_MTU has no room for (assumed: nothing is published).
public enum CameraOverflow: String, Sendable, CaseIterable {
    /// The text is cut, between two characters.
    case cut
    /// What is left of the text follows in further values with the same numbers.
    case split
    /// The text is left out.
    case leaveOut = "leave-out"
}

extension CameraLayout {
    /// The values that tell of a status on a link that takes `limit` octets: one, or with `split` as many as the text
    /// needs. The numbers are never cut: a link that has no room for them gets no value. Where not one character fits,
    /// there is no text.
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

    /// As much of a text as has at most `count` octets, in whole Unicode scalars.
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
