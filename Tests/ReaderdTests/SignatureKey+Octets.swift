// SPDX-License-Identifier: Apache-2.0

import Crypto

// A reader's signature keys are P-256 keys outside of a bench.
extension SignatureKey {
    /// The key's octets; none if it is not on P-256.
    func der() -> [UInt8] { (self as? P256PublicKey)?.der() ?? [] }

    /// The key as PEM; none if it is not on P-256.
    func pem() -> [UInt8] { (try? (self as? P256PublicKey)?.pem()) ?? [] }
}
