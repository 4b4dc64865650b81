// SPDX-License-Identifier: Apache-2.0

public import NordicProvisioning
import Octets
import WiFi
import WiFiStation

/// A fault that the device injects on command, for app developers.
public struct SoftAPFault: Equatable, Sendable {
    /// The effect of a fault.
    public enum Kind: Equatable, Sendable {
        /// The response is delayed.
        case delay(Duration)
        /// The response has this status code, and the request has no effect.
        case status(UInt16)
        /// The connection closes, and the request has no effect.
        case close
        /// The request takes effect, and the connection closes without a response.
        case lost
        /// The response has this body.
        case body([UInt8])
        /// The connection closes after this number of octets of the body.
        case cut(Int)
    }

    /// The endpoint; nil for a new connection, which supports `close` only.
    public var place: SoftAPEndpoint?
    /// The effect.
    public var kind: Kind
    /// The remaining number of occurrences; nil for unlimited.
    public var times: Int?

    /// A fault.
    public init(_ place: SoftAPEndpoint?, _ kind: Kind, times: Int? = nil) {
        self.place = place
        self.kind = kind
        self.times = times
    }

    /// Parses `PLACE:KIND[=VALUE][*TIMES]`, such as `networks:status=503*2`; nil if the text is invalid.
    ///
    /// Places: `connect`, `networks`, `configure`, `scan`, `status`. Kinds: `delay=MILLISECONDS`, `status=200…599`,
    /// `close`, `lost`, `body=HEX`, `cut=OCTETS`.
    public init?(_ text: String) {
        let halves = text.split(separator: "*", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = halves.first else { return nil }
        var times: Int?
        if halves.count == 2 {
            guard let number = Int(halves[1]), (1...1_000_000).contains(number) else { return nil }
            times = number
        }
        let parts = first.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let place = SoftAPEndpoint.allCases.first { $0.word == parts[0] }
        guard place != nil || parts[0] == "connect" else { return nil }
        let pair = parts[1].split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let kind = Kind(String(pair[0]), pair.count == 2 ? String(pair[1]) : nil) else { return nil }
        guard place != nil || kind == .close else { return nil }
        self.init(place, kind, times: times)
    }
}

extension SoftAPFault {
    /// The first of the faults that can never happen, with the reason; nil if all can.
    public static func problem(_ faults: [SoftAPFault], _ profile: NordicProfile) -> String? {
        for (index, fault) in faults.enumerated() {
            if profile == .exact, let place = fault.place, !place.isNordic {
                return "\(fault): \(profile.rawValue) has no \(place.word); take --profile gateway for it"
            }
            if let before = faults[..<index].first(where: { $0.place == fault.place && $0.times == nil }) {
                return "\(fault) is never reached: \(before) is taken every time; give that one *TIMES"
            }
        }
        return nil
    }
}

extension SoftAPFault.Kind {
    fileprivate init?(_ word: String, _ value: String?) {
        switch (word, value) {
        case ("close", nil): self = .close
        case ("lost", nil): self = .lost
        case ("delay", let value?):
            // The maximum is an hour: longer than any app waits.
            guard let number = Int(value), (0...3_600_000).contains(number) else { return nil }
            self = .delay(.milliseconds(number))
        case ("status", let value?):
            guard let number = UInt16(value), (200...599).contains(number) else { return nil }
            self = .status(number)
        case ("cut", let value?):
            guard let number = Int(value), (0...65_535).contains(number) else { return nil }
            self = .cut(number)
        case ("body", let value?):
            guard let octets = Hexadecimal.octets(value) else { return nil }
            self = .body(octets)
        default: return nil
        }
    }
}
