// SPDX-License-Identifier: Apache-2.0

import Crypto
import TestSupport
import Testing
import Timekeeping

@testable import Credentials

/// A transaction that uses all of `LinkTransaction`, and reports in its messages what it has observed.
private struct ObservingTransaction: LinkTransaction {
    private var now: Instant?
    private var isUnlocked: Bool?
    let deadline: Instant? = .origin + .seconds(3)
    let evidence: CardEvidence? = CardEvidence(kind: .pkoc, identity: [4])
    private var effects = [AliroEffect.persistentKey(SecretOctets([]), of: [4], revocationSeen: nil)]

    mutating func observe(_ now: Instant) { self.now = now }
    mutating func observe(isUnlocked: Bool?) { self.isUnlocked = isUnlocked }
    mutating func start() -> LinkStep { .send([now == deadline ? 1 : 0, isUnlocked == true ? 1 : 0]) }
    mutating func receive(_ message: Span<UInt8>) -> LinkStep { .wait }
    mutating func conclude(_ decision: CardDecision) -> LinkStep { .wait }
    mutating func expire() -> LinkStep { .end(.refused(.silent), last: [9]) }
    mutating func takeEffects() -> [AliroEffect] {
        defer { effects = [] }
        return effects
    }
    mutating func wipe() {}
}

/// The fragments of PKOC over Bluetooth LE, octet for octet, with the messages of the vectors.
@Suite struct PKOCFragmentsTests {
    private static func vector(_ name: String) -> [UInt8] { (try? VectorFile("pkoc"))?.octets("ble/\(name)") ?? [] }

    private static func key(_ name: String) throws -> P256PrivateKey {
        try P256PrivateKey(scalar: vector("keys/\(name)").span)
    }

    private static func greeted() throws -> PKOCFragmentedTransaction {
        let reader = try #require(
            PKOCReaderID([UInt8](repeating: 0x11, count: 16) + [UInt8](repeating: 0x22, count: 16)))
        var transaction = PKOCFragmentedTransaction(
            PKOCLinkTransaction(reader: reader, site: try key("site"), ephemeral: try key("reader-ephemeral")))
        #expect(transaction.start() == .send([0x02] + vector("reader-hello")))
        return transaction
    }

    /// A message in parts of so many octets.
    private static func parts(_ message: [UInt8], _ count: Int) -> [[UInt8]] {
        stride(from: 0, to: message.count, by: count).map { start in
            let end = min(start + count, message.count)
            return [end == message.count ? 0x02 : start == 0 ? 0x00 : 0x01] + message[start..<end]
        }
    }

    /// Passes the parts: the steps.
    private static func receive(_ transaction: inout PKOCFragmentedTransaction, _ parts: [[UInt8]]) -> [LinkStep] {
        parts.map { transaction.receive($0.span) }
    }

    @Test(arguments: [1, 19, 78, 145, 1000]) func bothFlows(_ count: Int) throws {
        let evidence = LinkStep.decide(
            CardEvidence(kind: .pkoc, identity: [UInt8](try Self.key("credential").publicPoint.octets)))
        var transaction = try Self.greeted()
        var steps = Self.receive(&transaction, Self.parts(Self.vector("normal/device-answer"), count))
        #expect(steps.dropLast().allSatisfy { $0 == .wait } && steps.last == evidence)
        #expect(transaction.conclude(.opened) == .end(.concluded, last: [0x02] + Self.vector("response-granted")))
        transaction = try Self.greeted()
        steps = Self.receive(&transaction, Self.parts(Self.vector("ecdhe/device-identifier"), count))
        guard case .send(let signature) = steps.last else { throw CardRefusal.outOfOrder }
        #expect(signature.count == 67 && signature.starts(with: octets("020340")))
        steps = Self.receive(&transaction, Self.parts(Self.vector("ecdhe/device-credential"), count))
        #expect(steps.dropLast().allSatisfy { $0 == .wait } && steps.last == evidence)
    }

    @Test(
        "Parts that are empty, out of order, of no kind, or without an octet before them",
        arguments: [
            ["00"], ["02"], [""], ["0101"], ["0301"], ["ff01"], ["0001", "0001"], ["0001", "01"], ["0001", "02"],
            ["0001", "0101", "0001"], ["0001", "0301"],
        ])
    func wrongParts(_ parts: [String]) throws {
        var transaction = try Self.greeted()
        let steps = Self.receive(&transaction, parts.map { octets($0) })
        #expect(steps.dropLast().allSatisfy { $0 == .wait })
        #expect(steps.last == .end(.refused(.malformed), last: octets("02040105")))
        let over = Self.receive(&transaction, [[0x02] + Self.vector("normal/device-answer")])
        #expect(over == [.end(.refused(.outOfOrder), last: octets("02040105"))])
    }

    /// An app that knows no fragments.
    @Test func wholeMessageIsRefused() throws {
        var transaction = try Self.greeted()
        let steps = Self.receive(&transaction, [Self.vector("normal/device-answer")])
        #expect(steps == [.end(.refused(.malformed), last: octets("02040105"))])
    }

    @Test func partsWithoutAnEndAreTooLong() throws {
        var transaction = try Self.greeted()
        let message = [UInt8](repeating: 0, count: PKOCLinkMessage.maximumCount + 2)
        let steps = Self.receive(&transaction, Self.parts(message, 1))
        let refused = LinkStep.end(.refused(.tooLong), last: octets("02040105"))
        #expect(steps[PKOCLinkMessage.maximumCount] == refused)
        #expect(steps.prefix(PKOCLinkMessage.maximumCount).allSatisfy { $0 == .wait })
    }

    @Test func timeAndDoorAreForwarded() {
        var transaction = PKOCFragmentedTransaction(ObservingTransaction())
        transaction.observe(.origin + .seconds(3), isUnlocked: true)
        #expect(transaction.start() == .send([0x02, 1, 1]))
        #expect(transaction.deadline == .origin + .seconds(3))
        #expect(transaction.evidence == CardEvidence(kind: .pkoc, identity: [4]))
        let effects = [transaction.takeEffects().count, transaction.takeEffects().count]
        #expect(effects == [1, 0])
        #expect(transaction.expire() == .end(.refused(.silent), last: [0x02, 9]))
    }

    @Test func wipedTransactionIsOver() throws {
        var transaction = try Self.greeted()
        _ = Self.receive(&transaction, [[0x00, 0x01]])
        transaction.wipe()
        #expect(transaction.start() == .end(.refused(.outOfOrder), last: octets("02040105")))
    }
}
