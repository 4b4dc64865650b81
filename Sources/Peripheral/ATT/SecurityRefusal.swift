// SPDX-License-Identifier: Apache-2.0

extension LinkSecurityLevel {
    /// Nil if the least of the three requirements that are set is met; otherwise the code of Core 5.4, Vol 3, Part C,
    /// 10.3.1: without a key the client shall pair, with one encrypt, with a short one pair for a longer one. `never`
    /// if no requirement is set: then the attribute is not accessible.
    func refusal(
        encrypted: Bool, authenticated: Bool, secureConnections: Bool, minimumKeySize: Int, never: ATTErrorCode
    ) -> ATTErrorCode? {
        guard encrypted || authenticated || secureConnections else { return never }
        guard isEncrypted else { return isBonded ? .insufficientEncryption : .insufficientAuthentication }
        if !encrypted, !isAuthenticated { return .insufficientAuthentication }
        if encrypted || authenticated {
            return keySize >= minimumKeySize ? nil : .insufficientEncryptionKeySize
        }
        guard isSecureConnections else { return .insufficientAuthentication }
        return keySize >= LinkSecurityLevel.maximumKeySize ? nil : .insufficientEncryptionKeySize
    }
}
