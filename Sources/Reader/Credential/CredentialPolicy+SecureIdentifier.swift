// SPDX-License-Identifier: Apache-2.0

public import AccessProtocol
internal import Protobuf
internal import Timekeeping

/// The decision about an OSS Secure Identifier credential (access protocol, 6.3), which is the device's own: only
/// listed credentials that are not blacklisted open the door.
extension CredentialPolicy {
    /// Decides about a credential whose signature is valid.
    public func decide(
        _ files: OssSidMobile, clock: LocalClock, blacklist: Blacklist
    ) -> CredentialDecision {
        files.infoFile.withSpan { file in
            do throws(StatusCode) {
                let info = try OSSSecureIdentifierFile(decoding: file)
                return CredentialDecision(
                    .secureIdentifier, of: info.credentialID,
                    try decide(info, clock: clock, blacklist: blacklist))
            } catch {
                return CredentialDecision(.secureIdentifier, of: OSSInfoFile.claimedID(file), .failed(error))
            }
        }
    }

    private func decide(
        _ info: OSSSecureIdentifierFile, clock: LocalClock, blacklist: Blacklist
    ) throws(StatusCode) -> CredentialDecision.Outcome {
        // No rule gives a Secure Identifier the rights of an intervention medium: every type but the standard one is
        // refused.
        guard info.type == .standard else { throw .siteIDCredentialType }
        guard clock.time != nil else { return .denied(.clockUnset) }
        guard !blacklist.contains(info.credentialID, at: clock.earliest) else { return .denied(.blacklisted) }
        guard secureIdentifiers.contains(info.credentialID) else { return .denied(.notListed) }
        return .granted(.defaultTime)
    }
}
