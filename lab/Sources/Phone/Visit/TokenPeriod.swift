// SPDX-License-Identifier: Apache-2.0

internal import AccessProtocol
internal import Protobuf
public import Timekeeping

/// The time in which a token counts, by the reader's clock.
public struct TokenPeriod: Equatable, Sendable {
    /// The first second; nil for none.
    public var from: CivilTime?
    /// The last minute, with its second 00; nil for none.
    public var to: CivilTime?

    /// The time from `from` through `to`.
    public init(from: CivilTime? = nil, to: CivilTime? = nil) { (self.from, self.to) = (from, to) }

    /// The time that a delimited token states; nil for a token without one, or octets that are no token.
    public init?(token: Span<UInt8>) {
        guard let message = try? SessionToken(decodingDelimited: token) else { return nil }
        switch message.payload {
        case .command(let command):
            let validity = TokenValidity(command)
            self.init(from: validity.start, to: validity.end)
        case .ossSo:
            guard let files = (try? StandardOfflineCredential(token: token)) ?? nil else { return nil }
            let end = files.data.validityEnd
            self.init(from: files.extensions?.startOfValidity, to: end.isUnset ? nil : end.civilTime)
        case .ossSid, nil: return nil
        }
    }

    /// The reason for which a reader refuses the token as not valid now, and the remedy, where the phone's local time
    /// is `now`; nil for an unknown time. `orRevoked` if the refusal has the same form for a revoked credential.
    func explanation(at now: CivilTime?, orRevoked: Bool) -> (what: String, remedy: String) {
        let clock = "check the reader's clock: readerlab phone time"
        if let to, let now, TokenPeriod.hasEnded(to, at: now) {
            return ("the token has ended, on \(LocalMinute.text(to))", "have another one issued, or \(clock)")
        }
        if let from, let now, now < from {
            return ("the token counts only from \(LocalMinute.text(from)) on", "wait until then, or \(clock)")
        }
        let period = [from.map { "from \(LocalMinute.text($0))" }, to.map { "to \(LocalMinute.text($0))" }]
            .compactMap(\.self).joined(separator: " ")
        let counts = period.isEmpty ? "" : ": the token counts \(period)"
        return (
            (orRevoked ? "the credential was revoked, or the reader's clock is wrong" : "the reader's clock is wrong")
                + counts,
            "have another one issued, or \(clock)"
        )
    }

    /// Second 00 of the last minute counts.
    private static func hasEnded(_ end: CivilTime, at now: CivilTime) -> Bool {
        var last = end
        last.second = 0
        return last < now
    }
}

extension OSSExtensionFile {
    /// The start of the validity; nil if there is none, or if it cannot be read.
    fileprivate var startOfValidity: CivilTime? {
        var octets: [UInt8] = []
        guard (try? append(to: &octets)) != nil,
            case .at(let start)? = try? OSSExtensionFile.startOfValidity(octets.span), !start.isUnset
        else { return nil }
        return start.civilTime
    }
}
