// SPDX-License-Identifier: Apache-2.0

/// The content octets of the object identifiers in certificates, requests and declarations.
enum ObjectIdentifier {
    /// ecdsa-with-SHA256 (RFC 5758, 3.2).
    static let ecdsaWithSHA256: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02]
    /// id-at (X.520): followed by the number of an attribute.
    static let attribute: [UInt8] = [0x55, 0x04]
    /// domainComponent (RFC 4519, 2.4).
    static let domainComponent: [UInt8] = [0x09, 0x92, 0x26, 0x89, 0x93, 0xF2, 0x2C, 0x64, 0x01, 0x19]
    /// 1.3.6.1.4.1.37244, the arc of Matter.
    static let matter: [UInt8] = [0x2B, 0x06, 0x01, 0x04, 0x01, 0x82, 0xA2, 0x7C]
    /// id-ce (RFC 5280, 4.2): followed by the number of an extension.
    static let `extension`: [UInt8] = [0x55, 0x1D]
    /// id-kp (RFC 5280, 4.2.1.12): followed by the number of a purpose.
    static let keyPurpose: [UInt8] = [0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03]
    /// id-at-organizationName.
    static let organization: [UInt8] = attribute + [0x0A]
    /// extensionRequest (RFC 2985, 5.4.2).
    static let extensionRequest: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x09, 0x0E]
}
