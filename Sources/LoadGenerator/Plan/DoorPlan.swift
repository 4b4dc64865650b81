/// What a run of the generator does to a door: phones that open it, one after the other.
public struct DoorPlan: Equatable, Sendable {
    /// The most openings of each kind: their times are kept.
    public static let maximumOpenings = 1_000_000

    /// How a phone asks to be let in.
    public enum Opening: String, CaseIterable, Sendable {
        /// A command token, `tokn`.
        case command
        /// An OSS Standard Offline credential for door 1 of site 1.
        case credential
    }

    /// Phones, 1 to 64, each on a link of its own; they open in turn.
    public var phones = 1
    /// Openings of each kind.
    public var openings = 1000
    /// Exchanges that open nothing, after which allocations are told.
    public var exchanges = 1000
    /// The seed of addresses.
    public var seed: UInt64 = 1

    /// The defaults.
    public init() {}

    /// How many parts of a run are told apart, so that what happens once is known as such.
    static let parts = 10

    /// Whether the number, from 0, is the last one of a tenth of `count`.
    static func endsPart(_ number: Int, of count: Int) -> Bool {
        (number + 1).isMultiple(of: max(count / DoorPlan.parts, 1))
    }

    /// Throws the first value that is out of range.
    public func validate() throws(LoadPlanFault) {
        func check(_ name: String, _ value: Int, _ range: ClosedRange<Int>) throws(LoadPlanFault) {
            guard range.contains(value) else { throw .outOfRange(name, value, range) }
        }
        try check("phones", phones, 1...LoadPlan.maximumPhones)
        try check("openings", openings, 1...DoorPlan.maximumOpenings)
        try check("exchanges", exchanges, 1...DoorPlan.maximumOpenings)
    }
}
