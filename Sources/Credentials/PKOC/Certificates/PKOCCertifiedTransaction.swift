// SPDX-License-Identifier: Apache-2.0

public import Crypto
public import Timekeeping

/// A transaction with a PKOC card over NFC that has to show the certificate of a trusted issuer (PKOC NFC 2.0.1), from
/// the reader's side.
///
/// The commands are one implementation's and not checked against PSIA's text. A card without them is refused: with
/// version 1.1 it would prove its key, and nothing about its issuer.
public struct PKOCCertifiedTransaction: CardTransaction {
    private enum State { case new, selecting, versions, certificate, authenticating, deciding, over }

    /// 2.0
    private static let version: [UInt8] = [0x02, 0x00]
    private static let challengeCount = 32
    /// Data or file not found, wrong parameters, instruction or class not supported (ISO/IEC 7816-4, tables 5 and 6).
    private static let absentWords: Set<UInt16> = [0x6A82, 0x6A86, 0x6A88, 0x6D00, 0x6E00]

    private let issuers: [PKOCIssuer]
    private let moment: Moment
    private let challenge: [UInt8]
    private var state = State.new
    private var exchange = AliroExchange()
    private var key: P256PublicKey?

    /// A transaction with a random challenge.
    public init(issuers: [PKOCIssuer], at moment: Moment, random: inout some RandomSource) {
        (self.issuers, self.moment) = (issuers, moment)
        challenge = random.octets(Self.challengeCount)
    }

    /// Transmits SELECT.
    public mutating func start() -> CardStep {
        guard case .new = state else { return end(.refused(.outOfOrder)) }
        return transmit(PKOCMessage.select, .selecting)
    }

    /// Handles the response to the last command. After certificate and signature the key is the evidence.
    public mutating func receive(_ response: Span<UInt8>) -> CardStep {
        switch state {
        case .new, .deciding, .over: return end(.refused(.outOfOrder))
        default: break
        }
        switch exchange.receive(response) {
        // The known implementation asks for all that remains.
        case .transmit: return .transmit([0x00, 0xC0, 0x00, 0x00, 0x00])
        case .complete:
            guard exchange.response.count <= PKOCCertificate.maximumCount else { return end(.refused(.tooLong)) }
            do throws(CardRefusal) { return try complete(exchange.response) } catch { return end(.refused(error)) }
        case .failed(let word): return end(Self.failure(state, word))
        case .tooLong: return end(.refused(.tooLong))
        case .malformed: return end(.refused(.malformed))
        }
    }

    private mutating func complete(_ data: [UInt8]) throws(CardRefusal) -> CardStep {
        switch state {
        case .selecting: return transmit([0x00, 0xCA, 0x7F, 0x63, 0x00], .versions)
        case .versions:
            guard try Self.versions(data).contains(Self.version) else { throw .version }
            return transmit([0x00, 0xCA, 0x7F, 0x21, 0x00], .certificate)
        case .certificate:
            let certificate = try PKOCCertificate(data)
            try certificate.verify(issuers, at: moment)
            do throws(CryptoError) { key = try P256PublicKey(point: certificate.point.span) } catch { throw .key }
            let command: [UInt8] = [0x00, 0x88, 0x00, 0x00, UInt8(Self.challengeCount)]
            return transmit(command + challenge + [0x00], .authenticating)
        case .authenticating:
            let span = data.span
            let signature = try AliroTLV.content(of: 0x9E, in: span, 0..<data.count)
            guard let key, signature.count == PKOCMessage.signatureCount,
                key.isValid(rawSignature: span.extracting(signature), for: challenge.span)
            else { throw .proof }
            state = .deciding
            return .decide(CardEvidence(kind: .pkoc, identity: [UInt8](inline: key.point.octets)))
        case .new, .deciding, .over: throw .outOfOrder
        }
    }

    /// The versions in the data information (7F63).
    private static func versions(_ data: [UInt8]) throws(CardRefusal) -> [[UInt8]] {
        let span = data.span
        let content = try AliroTLV.content(of: 0x7F63, in: span, 0..<data.count)
        let list = try AliroTLV.fields([.init(0x5C, 2...16)], of: span, in: content)[0x5C]?.value ?? 0..<0
        guard list.count.isMultiple(of: 2) else { throw .malformed }
        return stride(from: list.lowerBound, to: list.upperBound, by: 2).map { Array(data[$0..<$0 + 2]) }
    }

    /// The end at a status word that is no success.
    private static func failure(_ state: State, _ word: UInt16) -> CardOutcome {
        guard absentWords.contains(word) else { return .refused(.statusWord) }
        return switch state {
        case .selecting: word == 0x6A82 || word == 0x6D00 || word == 0x6E00 ? .absent : .refused(.statusWord)
        // A card of version 1.
        case .versions: .refused(.version)
        case .certificate: .refused(.document)
        default: .refused(.statusWord)
        }
    }

    /// Ends the transaction; a card of PKOC receives no decision.
    public mutating func conclude(_ decision: CardDecision) -> CardStep {
        if case .deciding = state { end(.concluded) } else { end(.refused(.outOfOrder)) }
    }

    /// Ends the transaction. It has no secrets.
    public mutating func wipe() { state = .over }

    private mutating func transmit(_ command: [UInt8], _ next: State) -> CardStep {
        state = next
        return .transmit(exchange.begin(whole: command))
    }

    private mutating func end(_ outcome: CardOutcome) -> CardStep {
        state = .over
        return .end(outcome)
    }
}
