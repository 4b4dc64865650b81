// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Credentials
import Octets
import Reader

extension AuditEvent {
    /// The reason of a refusal or a failure, for people; nil for an event without one.
    var reason: String? {
        switch kind {
        case .denied where info >= EventAccessInfo.denied.rawValue: detailReason ?? decisionReason
        case .denied, .withdrawn: detailReason ?? (info == 0 ? nil : statusReason)
        case .command: info == 0 ? nil : statusReason
        case .unlisted: "\(CredentialDecision.Denial.notListed.rawValue), \(detail.printable)"
        default: nil
        }
    }

    /// The reason that the detail names.
    private var detailReason: String? {
        if let verdict = DoorVerdict(rawValue: detail) { return CredentialDecision.Denial(verdict)?.rawValue }
        if let denial = CredentialDecision.Denial(rawValue: detail) { return denial.rawValue }
        if let refusal = CardRefusal(rawValue: detail) { return refusal.rawValue }
        return kind == .withdrawn && !detail.isEmpty ? detail.printable : nil
    }

    private var decisionReason: String? {
        switch EventAccessInfo(rawValue: info) {
        case .denied: "denied"
        case .deniedBlacklisted: CredentialDecision.Denial.blacklisted.rawValue
        case .deniedValidity: CredentialDecision.Denial.validity.rawValue
        case .deniedSchedule: CredentialDecision.Denial.schedule.rawValue
        default: nil
        }
    }

    private var statusReason: String? { Int16(exactly: info).flatMap { StatusCode(rawValue: $0).meaning } }
}
