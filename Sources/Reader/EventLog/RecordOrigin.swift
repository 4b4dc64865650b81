// SPDX-License-Identifier: Apache-2.0

import AccessProtocol

/// The origin of a record: a party whose name it cannot choose itself, and the kind of its action.
///
/// A credential's identifier is signed by its issuer, a user is the kernel's word, a key is configured. The nodes of a
/// Matter fabric are named by its administrator, so a fabric is one party; its index is the word of the lock's process,
/// and a user may map others. So both channels have a budget as a whole as well.
enum RecordOrigin: Equatable, Sendable {
    /// Senders who prove nothing, or a key that anyone can make: they cannot be distinguished.
    case strangers
    /// A refused credential or operator, for one command and reason.
    case refusal(Party, AuditKind, command: String, info: Int32)
    /// A party's commands that change nothing.
    case questions(Party)
    /// A party's commands, and their consequences.
    case orders(Party)
    /// A party's openings.
    case openings(Party)
    /// An input line, schedule or panel at the door, by kind.
    case input(AuditKind)
    /// The reader itself, or the state of its Matter lock, by kind: no flood of orders hides a new administrator.
    case reader(AuditKind)
    /// All orders or openings of a channel.
    case allOrders(AuditChannel)
    case allOpenings(AuditChannel)

    /// A party that can be named.
    struct Party: Equatable, Sendable {
        /// The channel; `bluetooth` for all credentials.
        var channel: AuditChannel
        /// The credential, or the actor.
        var name: Substring

        init(_ event: AuditEvent) {
            if event.credential.isEmpty {
                (channel, name) = (event.channel, event.party)
            } else {
                (channel, name) = (.bluetooth, event.credential[...])
            }
        }
    }

    /// The origin of an event; nil for a record without a budget, which is bounded by others.
    init?(_ event: AuditEvent) {
        switch event.kind {
        // A record for each run of the reader.
        case .start, .stop, .logFull, .logLost, .policyBegun: return nil
        // A record for each opening, and counts.
        case .withdrawn, .eventsLost, .unprovenSuppressed, .denialsSuppressed, .recordsSuppressed: return nil
        case .unproven, .unlisted: self = .strangers
        case .denied, .credentialBlacklisted, .blacklistFull:
            self = .refusal(Party(event), event.kind, command: event.command, info: event.info)
        case .granted, .handedOn, .unlocked: self = .openings(Party(event))
        case .matterWindow, .matterWindowEnded, .matterFabricAdded, .matterFabricUpdated, .matterFabricRemoved:
            self = .reader(event.kind)
        default:
            if event.channel == .local {
                self = .input(event.kind)
            } else if event.credential.isEmpty, event.actor.isEmpty, event.channel == .reader {
                self = .reader(event.kind)
            } else {
                self = event.changesNothing ? .questions(Party(event)) : .orders(Party(event))
            }
        }
    }

    /// The budget of all parties of a channel that could have several names; nil for others.
    var whole: RecordOrigin? {
        switch self {
        case .orders(let party) where party.mayHaveManyNames: .allOrders(party.channel)
        case .refusal(let party, _, _, _) where party.mayHaveManyNames: .allOrders(party.channel)
        case .openings(let party) where party.mayHaveManyNames: .allOpenings(party.channel)
        default: nil
        }
    }

    /// True for all orders or openings of a channel.
    var isWhole: Bool {
        switch self {
        case .allOrders, .allOpenings: true
        default: false
        }
    }

    /// True for the refusal of a party.
    var isRefusal: Bool { if case .refusal = self { true } else { false } }

    /// True for equal origins, and for refusals of one party.
    func isAlike(_ other: RecordOrigin) -> Bool {
        if case .refusal(let party, _, _, _) = self, case .refusal(party, _, _, _) = other { return true }
        return self == other
    }
}

extension RecordOrigin.Party {
    fileprivate var mayHaveManyNames: Bool { channel == .matter || channel == .control }
}

extension AuditEvent {
    /// The actor without the node of a fabric.
    fileprivate var party: Substring {
        guard channel == .matter else { return actor[...] }
        // `fabric 1 node 00000000000000AA`
        var spaces = 0
        let end = actor.utf8.firstIndex { octet in
            if octet == 0x20 { spaces += 1 }
            return spaces == 2
        }
        return actor[..<(end ?? actor.endIndex)]
    }

    /// True for a phone's command that only asks.
    fileprivate var changesNothing: Bool {
        guard kind == .command, !credential.isEmpty else { return false }
        return switch CommandName(rawValue: command).equivalent {
        case .ping, .status, .eventQuery, .systemLogQuery, .getTime, .battery, .getConfiguration, .classicVersions,
            .maintenance:
            true
        default: false
        }
    }
}
