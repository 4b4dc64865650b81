// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Crypto
import TestSupport

@testable import Credentials
@testable import Reader

/// Revocations that come by neither the list nor a phone's command.
extension World {
    /// An operator's order about the credential of all badges and tokens that open, but of the documented phone.
    func order(isRevocation: Bool) throws {
        let credential = try OSSCredentialID("CRED000001") ?? { throw StatusCode.test }()
        let order = isRevocation ? RevocationOrder.revoke(credential, until: nil) : .unrevoke(credential)
        let outcome = reader.execute(order, ticket: .control(1), AuditEvent(.blacklistChanged, at: time), at: moment)
        guard outcome == .waits, isRevocation else { return }
        judge.isRevoked = true
        for case .store(let request) in reader.effects { if let id = request.id { judge.orders.insert(id) } }
    }

    /// Another phone has delivered a document of the issuer, which is verified.
    func issuerRevokes() throws {
        let issuer = try AliroBadge.issuer().publicKey.point.octets
        let documented = badges[Badge(kind: .aliro, nature: .documented)]?.evidence.identity ?? []
        let revocation = AliroRevocation(
            isReplacing: false, added: [[UInt8](inline: try SHA256.hash(documented.span))], removed: [])
        reader.apply([
            .issuer(
                AliroIssuerChange(
                    issuer: [UInt8](issuer), anchor: [UInt8](issuer), signed: Card.beginning, revocation: revocation))
        ])
        judge.isIssuerRevoked = true
    }

    /// The trusted points are set, as by a Matter administrator.
    func trustIssuer(_ isTrusted: Bool) throws {
        reader.endAliroTransactions()
        guard var door = reader.aliro else { return }
        _ = door.trust(isTrusted ? [AliroAnchor(try AliroBadge.issuer().publicKey)] : [], keeping: nil)
        (reader.aliro, aliro) = (door, door)
        judge.trust(isTrusted)
    }
}
