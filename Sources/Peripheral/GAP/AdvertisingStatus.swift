// SPDX-License-Identifier: Apache-2.0

/// The state of advertising as the controller's answers show it, not as the device requested it.
public struct AdvertisingStatus: Equatable, Sendable {
    /// The identifiers of the sets whose last enable the controller has confirmed. Sets that share an advertiser are on
    /// the air in turn. A set that stops because a central connects remains on the list while the host enables it
    /// again, unless the controller refuses.
    public var onAir: [UInt8]
    /// The sets that are off the air because the controller refused a command for them.
    public var refusals: [AdvertisingRefusal]

    /// A state; by default nothing is on the air, and nothing was refused.
    public init(onAir: [UInt8] = [], refusals: [AdvertisingRefusal] = []) {
        self.onAir = onAir
        self.refusals = refusals
    }
}

/// The refusal of a command that an advertising set needs. The host tries again, with increasing pauses.
public struct AdvertisingRefusal: Equatable, Sendable, CustomStringConvertible {
    /// The identifier of the set.
    public var set: UInt8
    /// The opcode of the refused command.
    public var opcode: UInt16
    /// The controller's status.
    public var status: HCIStatus
    /// True from the second refusal without a success in between.
    public var isRepeated: Bool

    /// A refusal.
    public init(set: UInt8, opcode: UInt16, status: HCIStatus, isRepeated: Bool) {
        (self.set, self.opcode, self.status, self.isRepeated) = (set, opcode, status, isRepeated)
    }

    /// `LE Set Advertising Parameters (0x2006) refused with 0x12, Invalid HCI Command Parameters`.
    public var description: String { "\(HCIOpcode.description(of: opcode)) refused with \(status)" }
}

/// The confirmation and the last refusal of each advertising set.
struct AdvertisingRecord {
    private struct Entry {
        var id: UInt8
        var isConfirmed = false
        var refusal: AdvertisingRefusal?
    }

    private var entries: [Entry] = []
    /// The set that the legacy advertiser is loaded with.
    private var legacySet: UInt8?

    /// The refusals of sets that are off the air.
    var refusals: [AdvertisingRefusal] { entries.compactMap(\.refusal) }

    /// True if the last enable of the set was accepted.
    func isConfirmed(_ id: UInt8) -> Bool { entries.first { $0.id == id }?.isConfirmed ?? false }

    /// Handles a loss of the controller or its reset: no set is on the air.
    mutating func stopped() {
        for index in entries.indices { entries[index].isConfirmed = false }
        legacySet = nil
    }

    /// Discards the refusals: another controller may accept the commands.
    mutating func forgetRefusals() {
        for index in entries.indices { entries[index].refusal = nil }
    }

    /// Removes the sets that are not among `sets`.
    mutating func keep(_ sets: [AdvertisingSet]) {
        entries.removeAll { entry in !sets.contains { $0.id == entry.id } }
    }

    /// Removes the confirmation of a set.
    mutating func withdraw(_ id: UInt8) { change(id) { $0.isConfirmed = false } }

    /// Handles the answer to a command. If links leave no room, the set does not count as refused.
    mutating func answered(_ command: AdvertisingCommand?, _ status: HCIStatus, hasLinks: Bool) {
        if case .legacyAddress(let set, _) = command { legacySet = set }
        guard let command, let sets = sets(of: command) else { return }
        if status == .success {
            guard command.isEnable else { return }
            for set in sets { change(set, isNew: true) { ($0.isConfirmed, $0.refusal) = (true, nil) } }
        } else if command.isEnable, sets.count > 1 {
            return  // each set is enabled alone next
        } else if command.isEnable, hasLinks, AdvertisingPause.isForWantOfRoom(status) {
            for set in sets { withdraw(set) }
        } else {
            for set in sets { refused(set, command.opcode.rawValue, status) }
        }
    }

    private mutating func refused(_ set: UInt8, _ opcode: UInt16, _ status: HCIStatus) {
        change(set, isNew: true) { entry in
            entry.isConfirmed = false
            entry.refusal = AdvertisingRefusal(
                set: set, opcode: opcode, status: status, isRepeated: entry.refusal != nil)
        }
    }

    private mutating func change(_ id: UInt8, isNew: Bool = false, _ body: (inout Entry) -> Void) {
        if let index = entries.firstIndex(where: { $0.id == id }) {
            body(&entries[index])
        } else if isNew {
            var entry = Entry(id: id)
            body(&entry)
            entries.append(entry)
        }
    }

    /// The sets that a command configures or enables; nil for any other command.
    private func sets(of command: AdvertisingCommand) -> [UInt8]? {
        switch command {
        case .legacyAddress, .legacyParameters, .legacyData, .legacyScanResponse, .legacyEnable(true):
            legacySet.map { [$0] }
        case .parameters(let set, _), .address(let set, _), .data(let set, _), .scanResponse(let set, _): [set]
        case .enable(let sets): sets
        case .randomAddress, .legacyPower, .legacyEnable(false), .disable, .remove, .review: nil
        }
    }
}

extension AdvertisingCommand {
    fileprivate var isEnable: Bool {
        switch self {
        case .enable, .legacyEnable(true): true
        default: false
        }
    }
}
