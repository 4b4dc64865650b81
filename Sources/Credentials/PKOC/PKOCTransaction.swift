// SPDX-License-Identifier: Apache-2.0

public import Crypto
import Octets

/// A transaction with a PKOC card over NFC, from the reader's side (PSIA PKOC NFC Card Specification 1.1).
///
/// The card signs the transaction's identifier, 16 random octets, with its key. The signature covers neither the
/// reader's identifier nor the version: the card does not know who asks, and a relay is not noticed.
public struct PKOCTransaction: CardTransaction {
    private enum State: Equatable {
        case new, selecting, authenticating, deciding, over
    }

    private var state = State.new
    private let transactionID: [UInt8]
    private let readerID: PKOCReaderID

    /// A transaction with a random identifier.
    public init(readerID: PKOCReaderID, random: inout some RandomSource) {
        transactionID = random.octets(PKOCMessage.transactionIDCount)
        self.readerID = readerID
    }

    /// Transmits SELECT.
    public mutating func start() -> CardStep {
        guard state == .new else { return end(.refused(.outOfOrder)) }
        state = .selecting
        return .transmit(PKOCMessage.select)
    }

    /// Handles the response to SELECT or AUTHENTICATE. After a valid signature the key is the evidence.
    public mutating func receive(_ response: Span<UInt8>) -> CardStep {
        do throws(CardRefusal) {
            guard state == .selecting || state == .authenticating else { throw .outOfOrder }
            guard response.count >= 2 else { throw .malformed }
            guard response.count <= PKOCMessage.responseLimit else { throw .tooLong }
            let data = response.extracting(droppingLast: 2)
            let status = UInt16(response[response.count - 2]) << 8 | UInt16(response[response.count - 1])
            switch (state, status) {
            case (.selecting, 0x9000):
                let version = try PKOCMessage.version(in: data)
                state = .authenticating
                return .transmit(
                    PKOCMessage.authenticate(
                        version: version, transactionID: transactionID, readerID: readerID.octets))
            // File or application not found, instruction or class not supported (ISO/IEC 7816-4, table 6).
            case (.selecting, 0x6A82), (.selecting, 0x6D00), (.selecting, 0x6E00): return end(.absent)
            case (.authenticating, 0x9000):
                let key = try verifiedKey(in: data)
                state = .deciding
                return .decide(CardEvidence(kind: .pkoc, identity: key))
            // Conditions of use not satisfied: the version is not supported.
            case (.authenticating, 0x6985): throw .version
            default: throw .statusWord
            }
        } catch {
            return end(.refused(error))
        }
    }

    /// The key, whose signature over the transaction's identifier is valid.
    private func verifiedKey(in data: Span<UInt8>) throws(CardRefusal) -> [UInt8] {
        let (place, signature) = try PKOCMessage.proof(in: data)
        let key: P256PublicKey
        do throws(CryptoError) { key = try P256PublicKey(point: data.extracting(place)) } catch { throw .key }
        guard key.isValid(rawSignature: data.extracting(signature), for: transactionID.span) else { throw .proof }
        return place.map { data[$0] }
    }

    /// Ends the transaction; a card of PKOC receives no decision.
    public mutating func conclude(_ decision: CardDecision) -> CardStep {
        state == .deciding ? end(.concluded) : end(.refused(.outOfOrder))
    }

    /// Ends the transaction. It has no secrets.
    public mutating func wipe() { state = .over }

    private mutating func end(_ outcome: CardOutcome) -> CardStep {
        state = .over
        return .end(outcome)
    }
}
