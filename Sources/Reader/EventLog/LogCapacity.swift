/// How many records a log keeps, and what happens when there are more.
public struct LogCapacity: Equatable, Sendable {
    /// What happens when the log is full.
    public enum WhenFull: Equatable, Sendable {
        /// The oldest go.
        case overwrite
        /// Grants are refused until somebody clears the log.
        case refuse
    }

    /// What becomes of one more record.
    public enum Admission: Equatable, Sendable {
        /// It is written.
        case write
        /// It is written, and this many of the oldest go.
        case writeDropping(Int)
        /// There is no room for it.
        case refuse
    }

    /// How many records are kept at least, once there were as many. What proves nothing is not among them, until there
    /// are as many of that.
    public var records: Int
    /// What happens then.
    public var whenFull: WhenFull

    /// Room in a full log for what must be recorded all the same, such as its being full.
    public static let reserve = 64

    /// A log of this size; 1 at least.
    public init(records: Int, whenFull: WhenFull) {
        self.records = max(records, 1)
        self.whenFull = whenFull
    }

    /// How many records go at once: each time costs the checkpoint a write.
    var block: Int { max(records / 32, 1) }

    /// How many of `count` records take room, if `ofStrangers` of them prove nothing. Those have as much room of their
    /// own: the chain has no gaps, so they go with what is around them, and until then nothing else goes for them.
    public func taken(_ count: Int, ofStrangers: Int) -> Int { count - min(ofStrangers, records) }

    /// Whether a log with `live` records, those that were not cleared, takes no further grants; `ofStrangers` of them
    /// prove nothing.
    public func isFull(live: Int, ofStrangers: Int = 0) -> Bool {
        whenFull == .refuse && taken(live, ofStrangers: ofStrangers) >= records
    }

    /// What becomes of a record of this kind in a log of `count` records, of which `live` were not cleared; of both so
    /// many prove nothing.
    public func admission(
        of kind: AuditKind, count: Int, live: Int, ofStrangers: Int = 0, liveOfStrangers: Int = 0
    ) -> Admission {
        let taken = taken(count, ofStrangers: ofStrangers)
        switch whenFull {
        case .overwrite: return taken >= records + block ? .writeDropping(taken - records) : .write
        case .refuse:
            if kind != .logCleared, isFull(live: live, ofStrangers: liveOfStrangers) {
                let live = self.taken(live, ofStrangers: liveOfStrangers)
                guard kind.usesReserve, live < records + LogCapacity.reserve else { return .refuse }
            }
            // What was cleared may go once its room is needed.
            let surplus = min(count - live, taken - records)
            return surplus >= block ? .writeDropping(surplus) : .write
        }
    }
}
