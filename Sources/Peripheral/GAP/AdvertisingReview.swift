// SPDX-License-Identifier: Apache-2.0

/// The verification that an enabled set is on the air: a command that configures it is sent again, unchanged. The
/// controller disallows that while the set is enabled (Core 5.4, Vol 4, Part E, 7.8.4, 7.8.5, 7.8.52), and accepts it,
/// without a consequence, if the set is off: after a restart, or after a connection that was not reported.
///
/// A controller that accepts the command for a set that is on, shows nothing by that. So an answer counts against the
/// host's picture only if the same command was disallowed before, since the controller's reset; until then the next
/// command is tried. The last one shows nothing, but restores the state.
struct AdvertisingReview {
    /// The conclusion from an answer.
    enum Finding: Equatable {
        /// The set is on the air.
        case confirmed
        /// The set is off the air, or the controller does not have it.
        case missing(UInt8)
        /// The controller does not know the set, which only a reset removes.
        case unknownSet(UInt8)
    }

    /// The number of commands, the restoring one included.
    let count: Int
    /// The index of the command in use.
    private(set) var index = 0
    /// True if the command was disallowed before.
    private(set) var isKnown = false

    /// A review with `count` commands; `restoresOnly` if the others are not to be believed.
    init(count: Int, restoresOnly: Bool) {
        self.count = count
        if restoresOnly { index = count - 1 }
    }

    /// True if the command in use restores the state.
    var restores: Bool { index == count - 1 }

    /// Handles the answer to a command other than the restoring one. Nil if it shows nothing; the next command is in
    /// use then.
    mutating func answered(_ status: HCIStatus, set: UInt8) -> Finding? {
        if status == .commandDisallowed {
            isKnown = true
            return .confirmed
        }
        if isKnown { return .missing(set) }
        index = min(index + 1, count - 1)
        return nil
    }
}
