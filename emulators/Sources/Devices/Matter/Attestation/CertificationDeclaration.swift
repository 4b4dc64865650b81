// SPDX-License-Identifier: Apache-2.0

import Crypto
import MatterTLV
import Octets

/// A certification declaration for tests: TLV in a CMS SignedData (RFC 5652) of one signer.
struct CertificationDeclaration {
    /// The declared origin of a device attestation certificate that another vendor issued.
    struct Origin {
        let vendor: UInt16
        let product: UInt16
    }

    /// The signer and its key.
    struct Signer {
        let keyIdentifier: [UInt8]
        let key: P256PrivateKey

        /// The signer of declarations for tests, whose private key is published: controllers know its public key.
        static func test() throws(CryptoError) -> Signer {
            let scalar: [UInt8] = [
                0xAE, 0xF3, 0x48, 0x41, 0x16, 0xE9, 0x48, 0x1E, 0xC5, 0x7B, 0xE0, 0x47, 0x2D, 0xF4, 0x1B, 0xF4,
                0x99, 0x06, 0x4E, 0x50, 0x24, 0xAD, 0x86, 0x9E, 0xCA, 0x5E, 0x88, 0x98, 0x02, 0xD4, 0x80, 0x75,
            ]
            let keyIdentifier: [UInt8] = [
                0x62, 0xFA, 0x82, 0x33, 0x59, 0xAC, 0xFA, 0xA9, 0x96, 0x3E, 0x1C, 0xFA, 0x14, 0x0A, 0xDD, 0xF5,
                0x04, 0xF3, 0x71, 0x60,
            ]
            return Signer(keyIdentifier: keyIdentifier, key: try P256PrivateKey(scalar: scalar.span))
        }
    }

    let vendor: UInt16
    let products: [UInt16]
    let deviceType: UInt32
    var origin: Origin?
    /// The key identifiers of the allowed PAAs; empty allows all.
    var authorities: [[UInt8]] = []
    var formatVersion: UInt8 = 1

    /// The TLV that is signed.
    var content: [UInt8] {
        TLVWriter.structure { content in
            content.unsigned(formatVersion, as: 0)
            content.unsigned(vendor, as: 1)
            content.array(as: 2) { list in
                for product in products { list.unsigned(product, as: .anonymous) }
            }
            content.unsigned(deviceType, as: 3)
            content.text("CSA00000SWC00000-00", as: 4)
            content.unsigned(0 as UInt8, as: 5)  // security level
            content.unsigned(0 as UInt16, as: 6)  // security information
            content.unsigned(1 as UInt16, as: 7)  // version
            content.unsigned(0 as UInt8, as: 8)  // for tests
            if let origin {
                content.unsigned(origin.vendor, as: 9)
                content.unsigned(origin.product, as: 10)
            }
            if !authorities.isEmpty {
                content.array(as: 11) { list in
                    for authority in authorities { list.octets(authority, as: .anonymous) }
                }
            }
        }
    }

    /// The SignedData, version 3, of a signer named by its key identifier.
    ///
    /// - Parameter isSpoiled: true for a signature over other octets.
    func signed(by signer: Signer, isSpoiled: Bool = false) throws(CryptoError) -> [UInt8] {
        let message = content + (isSpoiled ? [0] : [])
        var signature: [UInt8] = []
        try signer.key.sign(message.span, into: &signature)
        // id-sha256; id-data and id-signedData of PKCS#7.
        let digest = DER.element(.sequence, DER.identifier([0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01]))
        let data = DER.identifier([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01])
        let signedData = DER.identifier([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02])
        let signerInformation = DER.element(
            .sequence,
            DER.integer([3]), DER.element(.implicit0, signer.keyIdentifier), digest, X509.algorithm,
            DER.element(.octetString, signature))
        let body = DER.element(
            .sequence,
            DER.integer([3]), DER.element(.set, digest),
            DER.element(.sequence, data, DER.element(.explicit0, DER.element(.octetString, content))),
            DER.element(.set, signerInformation))
        return DER.element(.sequence, signedData, DER.element(.explicit0, body))
    }
}
