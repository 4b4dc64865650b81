// SPDX-License-Identifier: Apache-2.0

public import Crypto
import Timekeeping

/// The documents that an issuer signs for one phone: an access document, and a revocation document for a fault.
public struct AliroIssue: Sendable {
    private static let hour: Int64 = 3600, day: Int64 = 86_400

    let issuer: P256PrivateKey
    /// Seconds since 1970-01-01 UTC.
    let now: Int64
    /// The access document.
    public var access: AliroDocumentMaker
    /// The revocation document; nil for none.
    var revocation: AliroDocumentMaker?

    /// Documents for the credential with this point: signed an hour ago, valid since then and for a year, with a rule
    /// that permits to unlock.
    ///
    /// - Parameters:
    ///   - element: the identifier of the element that the reader requests.
    ///   - now: seconds since 1970-01-01 UTC.
    public init(
        by issuer: P256PrivateKey, to point: [UInt8], element: String, iteration: Int? = nil, at now: Int64
    ) throws(CryptoError) {
        (self.issuer, self.now) = (issuer, now)
        access = try AliroDocumentMaker(issuer, for: point)
        (access.element, access.iteration) = (element, iteration)
        access.value = AliroIssue.element([AliroIssue.rule()])
        set(signed: -AliroIssue.hour, from: -AliroIssue.hour, until: 365 * AliroIssue.day)
    }

    /// Unlock, and unlock for a moment, on the schedules of the masks.
    static func rule(_ actions: Int = 2 | 8, allow: Int? = nil, deny: Int? = nil) -> EncodedItem {
        let masks = [(1, allow), (2, deny)].compactMap { key, mask in
            mask.map { (EncodedItem.integer(key), EncodedItem.integer($0)) }
        }
        return .map([(0, .integer(actions))] + masks)
    }

    /// An access data element.
    static func element(
        version: Int = 1, _ rules: [EncodedItem], _ others: [(EncodedItem, EncodedItem)] = []
    ) -> EncodedItem {
        .map([(0, .integer(version)), (2, .array(rules))] + others)
    }

    /// Sets the times of the access document, in seconds from now.
    mutating func set(signed: Int64, from: Int64, until: Int64) {
        (access.signed, access.validFrom, access.validUntil) = (text(signed), text(from), text(until))
    }

    /// A schedule of UTC that starts so many seconds from now, and is daily with occurrences of a day.
    func schedule(from: Int64, pattern: Int = 1) -> EncodedItem {
        let start = EncodedItem.integer(Int(now + from))
        let recurrence = EncodedItem.array([.integer(Int(AliroIssue.day)), 0, .integer(pattern), 1, 0])
        return EncodedItem.map([(0, start), (2, recurrence), (3, 1)])
    }

    /// The access document is by another key, for which `authority` signs a certificate; times in seconds from now.
    mutating func certify(
        by authority: P256PrivateKey? = nil, from: Int64 = -2 * 86_400, until: Int64 = 365 * 86_400
    ) throws(CryptoError) {
        (access.issuer, access.keyIdentifier) = (try P256PrivateKey.generate(), nil)
        access.certificate = try AliroDocumentMaker.certificate(
            of: access.issuer, by: authority ?? issuer, from: utc(from), until: utc(until))
    }

    /// Adds a revocation document whose element has this version, and no entry.
    mutating func revoke(version: Int) throws(CryptoError) {
        var maker = try AliroDocumentMaker(issuer, for: nil)
        (maker.type, maker.element, maker.signed) = ("aliro-r", access.element, access.signed)
        (maker.validFrom, maker.validUntil) = (access.validFrom, access.validUntil)
        maker.value = .map([(0, .integer(version)), (1, 1), (2, .array([]))])
        revocation = maker
    }

    /// `2026-12-31T23:59:59Z`, so many seconds from now.
    private func text(_ seconds: Int64) -> String {
        let time = CivilTime(epochSeconds: now + seconds)
        return "\(LocalMinute.text(time)):\(time.second < 10 ? "0" : "")\(time.second)Z"
    }

    /// UTCTime: `261231235959Z` (RFC 5280, 4.1.2.5.1).
    private func utc(_ seconds: Int64) -> String { text(seconds).dropFirst(2).filter { $0.isNumber } + "Z" }
}

extension AliroPhone {
    /// The phone carries documents of the issuer, with the phone's fault if only an issuer can make it.
    ///
    /// - Throws: a failure of a signature.
    public mutating func carry(_ issue: AliroIssue) throws {
        var issue = issue
        if case .issued(let change)? = fault?.change {
            try change(&issue)
            isIssued = true
        }
        for (maker, tag) in [(issue.access, 0x91), (issue.revocation, 0x92)] as [(AliroDocumentMaker?, UInt8)] {
            guard let maker else { continue }
            documents[maker.type] = try maker.document
            signatureTimes[tag] = Array(maker.signed.utf8)
        }
    }
}
