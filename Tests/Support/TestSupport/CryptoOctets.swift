// SPDX-License-Identifier: Apache-2.0

public import Crypto

extension [UInt8] {
    /// A copy of an inline array's octets.
    public init<let count: Int>(_ octets: InlineArray<count, UInt8>) {
        self = octets.indices.map { octets[$0] }
    }
}

/// The published demo identity; it protects nothing.
public enum Demo {
    /// Octets of the identity.
    public static let terminalScalar = octets("a5ab6d14113047a7ad6c10e44de63c05b96b84b51fe314d6875c469eb9cd692b")
    /// Octets of the identity.
    public static let terminalPoint = octets(
        """
        043a668675c9292907c36318974dd9441c71f9e445e8741a3faf6bc58c9c6913be
        44140b60454f762fc2f1984198ec6e391b53368b9073ea1de720cfa1be2dd4f1
        """)
    /// Octets of the identity.
    public static let signatureScalar = octets("ef3655c94d801ef49256750e70e1510ecce8b46c545e551ddebbfc6f22a84950")
    /// Octets of the identity.
    public static let signaturePoint = octets(
        """
        045a0d6e6745ccd5c18cebd8aff6ea86d8c3af433fb7a2d25f213442d4cd9683b4
        e67d2ddc25eb53f912761e40e6c99983dd9090fef0b42599cd16ae392fcf9643
        """)
}

// A span cannot be an operand of an expectation; these overloads take the arrays that hold the octets.

extension P256PublicKey {
    /// `init(point:)` on an array.
    public convenience init(_ point: [UInt8]) throws {
        try self.init(point: point.span)
    }

    /// `init(pem:)` on a string.
    public convenience init(_ pem: String) throws {
        let octets = Array(pem.utf8)
        try self.init(pem: octets.span)
    }

    /// `isValid(signature:for:)` on arrays.
    public func accepts(_ signature: some Sequence<UInt8>, for message: [UInt8]) -> Bool {
        let signature = Array(signature)
        return isValid(signature: signature.span, for: message.span)
    }
}

extension P256PrivateKey {
    /// `init(scalar:)` on an array.
    public convenience init(_ scalar: [UInt8]) throws {
        try self.init(scalar: scalar.span)
    }

    /// `init(pem:)` on a string.
    public convenience init(_ pem: String) throws {
        let octets = Array(pem.utf8)
        try self.init(pem: octets.span)
    }

    /// `sharedSecret(with:)` on arrays.
    public func secret(with point: [UInt8]) throws -> [UInt8] {
        [UInt8](try sharedSecret(with: point.span))
    }
}
