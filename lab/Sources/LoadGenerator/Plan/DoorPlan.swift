// SPDX-License-Identifier: Apache-2.0

/// The plan of a run against a door: phones that open it in turn.
public struct DoorPlan: Equatable, Sendable {
    /// The maximum number of openings of each kind: their times are stored.
    public static let maximumOpenings = 1_000_000

    /// The kind of a phone's request.
    public enum Opening: String, CaseIterable, Sendable {
        /// A command token, `tokn`.
        case command
        /// An OSS Standard Offline credential for door 1 of site 1.
        case credential
    }

    /// The number of phones, 1 to 64, each on its own link; they open in turn.
    public var phones = 1
    /// The number of openings of each kind.
    public var openings = 1000
    /// The number of exchanges without an opening, for the count of allocations.
    public var exchanges = 1000
    /// The seed of addresses.
    public var seed: UInt64 = 1

    /// The defaults.
    public init() {}

    /// The number of parts of a run that are counted separately, to identify one-off events.
    static let parts = 10

    /// True if the number, from 0, is the last of a tenth of `count`.
    static func endsPart(_ number: Int, of count: Int) -> Bool {
        (number + 1).isMultiple(of: max(count / DoorPlan.parts, 1))
    }

    /// Verifies the ranges of all values.
    ///
    /// - Throws: `LoadPlanFault` for the first value out of range.
    public func validate() throws(LoadPlanFault) {
        func check(_ name: String, _ value: Int, _ range: ClosedRange<Int>) throws(LoadPlanFault) {
            guard range.contains(value) else { throw .outOfRange(name, value, range) }
        }
        try check("phones", phones, 1...LoadPlan.maximumPhones)
        try check("openings", openings, 1...DoorPlan.maximumOpenings)
        try check("exchanges", exchanges, 1...DoorPlan.maximumOpenings)
    }
}
