// SPDX-License-Identifier: Apache-2.0

public import AccessProtocol
import Protobuf
import Timekeeping

extension AuditRecord {
    /// The record as an event for phones (access protocol, 8.1 and 8.3).
    ///
    /// Every record has one, since a phone continues at the last number received. A kind that the published table lacks
    /// is a system event with information 1000 plus the kind's number: our own profile.
    public var phoneEvent: Event {
        let (id, info) = phoneMeaning
        let time = event.time.local ?? CivilTime(year: 0, month: 0, day: 0)
        let credential = event.credential.isEmpty ? nil : try? BoundedBytes<10>(ascii: event.credential)
        let command = event.command.isEmpty ? nil : try? BoundedBytes<8>(ascii: event.command)
        return Event(
            sequenceId: UInt32(truncatingIfNeeded: sequence), eventTime: LocalTimestamp(time), eventId: id,
            eventInfo: info, credentialId: credential.map { CredentialId(id: $0) }, command: command)
    }

    /// The first information value for kinds that the published table lacks.
    static let ownInformation: Int32 = 1000

    private var phoneMeaning: (EventId, Int32) {
        switch event.kind {
        // Event 14 is a command of a terminal; its information is the resulting status code.
        case .granted, .handedOn: event.command.isEmpty ? (.accessGranted, event.info) : (.terminalCommand, 0)
        case .command: (.terminalCommand, event.info)
        case .denied, .unproven, .unlisted:
            if !event.command.isEmpty {
                (.terminalCommand, event.info)
            } else if event.info >= EventAccessInfo.denied.rawValue {
                (.accessDenied, event.info)
            } else {
                (.terminalOss, event.info)
            }
        case .start: (.system, 1)
        case .configurationChanged: (.system, 2)
        case .lineFailed: (.failedToUnlock, 0)
        case .tamper: (.tampering, 0)
        case .blacklistFull: (.blacklistFull, 0)
        case .credentialBlacklisted: (.blacklistedCredential, 0)
        case .diskFailed: (.internalError, event.info)
        default: (.system, AuditRecord.ownInformation + Int32(event.kind.rawValue))
        }
    }
}
