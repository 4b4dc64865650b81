// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
package import Commands
import Console
import Crypto
import Glibc
package import Reader

/// The identity of an emulated reader: the published one, or an identity in a state directory of `readerd`.
package enum ReaderIdentityFiles {
    /// The maximum length of a file in octets; a P-256 key in PEM has about 250.
    private static let maximumCount = 4096

    /// Loads the identity in the directory at `state`; nil selects the published one.
    package static func load(_ state: String?) throws(CommandError) -> ReaderIdentity {
        guard let state else {
            do throws(StatusCode) { return try .demo() } catch {
                throw .failed("the demo identity cannot be used: status \(error.explained)")
            }
        }
        // `readerd provision` creates the link. An identity that was installed by hand is in the directory itself.
        let directory = access("\(state)/identity", F_OK) == 0 ? "\(state)/identity" : state
        let id = try octets("\(directory)/device-id")
        let terminal = try octets("\(directory)/terminal-key.pem")
        let signature = try octets("\(directory)/signature-key.pem")
        let text = String(decoding: id.last == 0x0A ? id.dropLast() : id[...], as: UTF8.self)
        do {
            let terminalKey = try P256PrivateKey(pem: terminal.span)
            let signatureKey = try P256PublicKey(pem: signature.span)
            return try ReaderIdentity(deviceID: text, terminalKey: terminalKey, signatureKey: signatureKey)
        } catch {
            throw .misuse(
                "\(directory): a key is not on P-256 in PEM, or device-id is not 8 ASCII characters: \(error)")
        }
    }

    private static func octets(_ path: String) throws(CommandError) -> [UInt8] {
        let octets = try InputFile.octets(path, maximum: maximumCount, "the state directory of readerd provision")
        guard octets.count <= maximumCount else {
            throw .misuse("\(path): has more than \(maximumCount) octets")
        }
        return octets
    }
}
