// SPDX-License-Identifier: Apache-2.0

import JSON
import Octets

/// A JSON object whose last member, `signature`, signs the octets before it.
enum SignedObject {
    /// The maximum length of a signature in octets: DER of ECDSA on P-256 (SEC 1, C.8).
    static let signatureCount = 72
    private static let signatureName = ",\"signature\":\""

    /// The message of a body, which is an object without its closing brace, and its signature.
    static func text(_ body: String, signature: [UInt8]) -> String {
        body + signatureName + Hexadecimal.text(signature) + "\"}"
    }

    /// The signature of a received message with these members, and the exact octets before it.
    static func split(
        _ octets: [UInt8], _ members: JSONMembers
    ) throws(JSONPlaceFault) -> (body: ArraySlice<UInt8>, signature: [UInt8]) {
        let signature = try members.required("signature").octets(maximum: signatureCount)
        let end = signatureName.utf8.count + 2 * signature.count + 2
        guard octets.count > end,
            octets.suffix(end).elementsEqual("\(signatureName)\(Hexadecimal.text(signature))\"}".utf8)
        else { throw members.place.fault("the signature is not its last member") }
        return (octets.dropLast(end), signature)
    }
}
