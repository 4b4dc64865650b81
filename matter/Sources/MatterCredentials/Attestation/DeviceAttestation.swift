// SPDX-License-Identifier: Apache-2.0

public import Crypto
import MatterTLV

/// The proof of a device's manufacture: certificates, declaration, and the private key of the device's certificate.
public struct DeviceAttestation: Sendable {
    /// The number of octets of a nonce in AttestationRequest and CSRRequest.
    public static let nonceCount = 32

    /// The device attestation certificate, X.509.
    public let dac: [UInt8]
    /// The certificate of its issuer, X.509.
    public let pai: [UInt8]
    /// The certification declaration, CMS.
    public let declaration: [UInt8]
    /// The private key of `dac`.
    public let key: any HeldPrivateKey

    /// The material of a device, unverified.
    public init(dac: [UInt8], pai: [UInt8], declaration: [UInt8], key: any HeldPrivateKey) {
        self.dac = dac
        self.pai = pai
        self.declaration = declaration
        self.key = key
    }

    /// The elements of the response to AttestationRequest.
    ///
    /// - Parameter time: nil for a device without a clock.
    public func elements(nonce: [UInt8], time: MatterTime?) -> [UInt8] {
        TLVWriter.structure(reserving: declaration.count + nonce.count + 16) { elements in
            elements.octets(declaration, as: 1)
            elements.octets(nonce, as: 2)
            elements.unsigned(time?.rawValue ?? 0, as: 3)
        }
    }

    /// The signature (r ‖ s) over elements of an attestation or of a signing request and the session's challenge.
    ///
    /// - Throws: `libraryFailure` if the key's holder does not respond.
    public func signature(over elements: [UInt8], challenge: [UInt8]) throws(CryptoError) -> [UInt8] {
        let message = elements + challenge
        return try key.rawSignature(message.span)
    }
}
