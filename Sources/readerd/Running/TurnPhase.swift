// SPDX-License-Identifier: Apache-2.0

/// The phases of a turn, in their order: after every input `ReaderProcess.flush` performs all of them.
enum TurnPhase: CaseIterable {
    /// The clock is read.
    case clock
    /// The effects of the input. The lock has priority: waking the disk's thread takes time.
    case effects
    /// Records go to the store; an opening whose record the store does not accept is decided.
    case records
    /// The answers of phones, whose sealing takes time as well.
    case answers
    /// The services follow the state (`ReaderService.settle`).
    case services
    /// Packets go to the controller.
    case packets
    /// The effects that no phone waits for: notices, and the start of the updater after its answer.
    case notices
    /// The services report the state (`ReaderService.report`).
    case reports
    /// The present state is compared with the reported faults.
    case faults
    /// The records of this turn's later phases go to the store, and the timer is set.
    case end

    /// All phases; made once, since a turn allocates nothing.
    static let order = allCases
}
