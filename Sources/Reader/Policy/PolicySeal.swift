public import Crypto
import Octets

/// A policy as it is kept: its octets, and behind them the tag of the device's key.
public struct SealedPolicy: Equatable, Sendable {
    /// What it says.
    public let document: PolicyDocument
    /// The tag that covers all of it.
    public let tag: ChainValue

    /// Seals a document.
    public init(_ document: PolicyDocument, key: AuditKey) throws(CryptoError) {
        self.document = document
        tag = try key.tag(.policy, document.octets.span)
    }

    /// The policy that `octets` are, all of them; nil if they are damaged, or this device did not write them.
    public init?(_ octets: [UInt8], key: AuditKey) {
        guard octets.count > ChainValue.count, let tag = ChainValue(Array(octets.suffix(ChainValue.count))) else {
            return nil
        }
        let covered = octets.span.extracting(..<(octets.count - ChainValue.count))
        // Nothing is read of what this device did not write.
        guard let own = try? key.tag(.policy, covered), constantTimeEqual(own.octets.span, tag.octets.span),
            let document = try? PolicyDocument(decoding: covered)
        else { return nil }
        (self.document, self.tag) = (document, tag)
    }

    /// What is kept.
    public var octets: [UInt8] { document.octets + tag.octets }

    /// The most octets that it has.
    public static let octetLimit = PolicyDocument.octetLimit + ChainValue.count
}

/// The witness of a policy: which generation was kept last, and which document that was. In a file of its own, so that
/// an older copy of the policy is seen.
public struct PolicyCount: Equatable, Sendable {
    /// `rdpcount`
    private static let signature: [UInt8] = [0x72, 0x64, 0x70, 0x63, 0x6F, 0x75, 0x6E, 0x74]
    /// How many octets it has as it is kept.
    public static let octetCount = signature.count + 8 + 2 * ChainValue.count

    /// The generation.
    public let generation: UInt64
    /// The tag of the document.
    public let document: ChainValue

    /// The witness of this policy.
    public init(_ policy: SealedPolicy) {
        (generation, document) = (policy.document.generation, policy.tag)
    }

    /// The witness that `octets` are; nil if they are damaged, or this device did not write them.
    public init?(_ octets: [UInt8], key: AuditKey) {
        guard octets.count == PolicyCount.octetCount, octets.starts(with: PolicyCount.signature),
            let document = ChainValue(Array(octets[16..<48])), let tag = ChainValue(Array(octets[48...])),
            let own = try? key.tag(.policyCount, octets.span.extracting(..<48)),
            constantTimeEqual(own.octets.span, tag.octets.span)
        else { return nil }
        generation = (0..<8).reduce(0) { $0 | UInt64(octets[8 + $1]) << (8 * UInt64($1)) }
        self.document = document
    }

    /// What is kept.
    public func octets(key: AuditKey) throws(CryptoError) -> [UInt8] {
        var octets = PolicyCount.signature
        octets.append(littleEndian: generation)
        octets += document.octets
        return octets + (try key.tag(.policyCount, octets.span)).octets
    }

    /// Whether this is the policy that it witnesses.
    public func witnesses(_ policy: SealedPolicy) -> Bool {
        generation == policy.document.generation && document == policy.tag
    }
}
