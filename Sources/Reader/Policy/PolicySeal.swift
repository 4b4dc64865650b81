// SPDX-License-Identifier: Apache-2.0

public import Crypto
import Octets

/// A policy as stored: its octets, followed by a tag of the device's key.
public struct SealedPolicy: Equatable, Sendable {
    /// The document.
    public let document: PolicyDocument
    /// The tag that covers the document.
    public let tag: ChainValue

    /// Seals a document.
    public init(_ document: PolicyDocument, key: AuditKey) throws(CryptoError) {
        self.document = document
        tag = try key.tag(.policy, document.octets.span)
    }

    /// Decodes a policy from all of `octets`; nil if they are damaged, or not written by this device.
    public init?(_ octets: [UInt8], key: AuditKey) {
        guard octets.count > ChainValue.count, let tag = ChainValue(Array(octets.suffix(ChainValue.count))) else {
            return nil
        }
        let covered = octets.span.extracting(..<(octets.count - ChainValue.count))
        // Octets that this device did not write are not decoded.
        guard let own = try? key.tag(.policy, covered), constantTimeEqual(own.octets.span, tag.octets.span),
            let document = try? PolicyDocument(decoding: covered)
        else { return nil }
        (self.document, self.tag) = (document, tag)
    }

    /// The stored octets.
    public var octets: [UInt8] { document.octets + tag.octets }

    /// The maximum length in octets.
    public static let octetLimit = PolicyDocument.octetLimit + ChainValue.count
}

/// The witness of a policy: the generation kept last, with its document's tag. It is in a separate file, so that an
/// older copy of the policy is detected.
public struct PolicyCount: Equatable, Sendable {
    /// `rdpcount`
    private static let signature: [UInt8] = [0x72, 0x64, 0x70, 0x63, 0x6F, 0x75, 0x6E, 0x74]
    /// The length of the stored octets.
    public static let octetCount = signature.count + 8 + 2 * ChainValue.count

    /// The generation.
    public let generation: UInt64
    /// The tag of the document.
    public let document: ChainValue

    /// Creates the witness of this policy.
    public init(_ policy: SealedPolicy) {
        (generation, document) = (policy.document.generation, policy.tag)
    }

    /// Decodes the witness; nil if the octets are damaged, or not written by this device.
    public init?(_ octets: [UInt8], key: AuditKey) {
        guard octets.count == PolicyCount.octetCount, octets.starts(with: PolicyCount.signature),
            let document = ChainValue(Array(octets[16..<48])), let tag = ChainValue(Array(octets[48...])),
            let own = try? key.tag(.policyCount, octets.span.extracting(..<48)),
            constantTimeEqual(own.octets.span, tag.octets.span)
        else { return nil }
        generation = (0..<8).reduce(0) { $0 | UInt64(octets[8 + $1]) << (8 * UInt64($1)) }
        self.document = document
    }

    /// Returns the stored octets.
    public func octets(key: AuditKey) throws(CryptoError) -> [UInt8] {
        var octets = PolicyCount.signature
        octets.append(littleEndian: generation)
        octets += document.octets
        return octets + (try key.tag(.policyCount, octets.span)).octets
    }

    /// True if this is the witness of the policy.
    public func witnesses(_ policy: SealedPolicy) -> Bool {
        generation == policy.document.generation && document == policy.tag
    }
}
