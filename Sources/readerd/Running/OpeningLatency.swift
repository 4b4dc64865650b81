import Reader
import Timekeeping

/// Measures from the packet that completed a token to the lock's line. A value, fed by the process.
struct OpeningLatency {
    /// More grants than links may be waiting can't be; what is beyond that is not measured.
    private static let limit = 64

    private var lastPacket: Instant?
    private var waiting: [(grant: OpeningToken, since: Instant)] = []
    /// When the packet came whose grant was decided in this turn.
    private var decidedSince: Instant?

    init() { waiting.reserveCapacity(OpeningLatency.limit) }

    /// A packet of the controller came; what is requested from now on comes of it.
    mutating func packetCame(at now: Instant) { lastPacket = now }

    /// A grant waits for its record.
    mutating func requested(_ grant: OpeningToken) {
        guard let lastPacket, waiting.count < OpeningLatency.limit else { return }
        waiting.append((grant, lastPacket))
    }

    /// The grant was decided.
    mutating func decided(_ grant: OpeningToken, isGranted: Bool) {
        guard let index = waiting.firstIndex(where: { $0.grant == grant }) else { return }
        let since = waiting.remove(at: index).since
        if isGranted, decidedSince == nil { decidedSince = since }
    }

    /// The lock's line was moved; how long that took since the packet, if it was moved for a grant.
    mutating func lockMoved(at now: Instant) -> Duration? {
        defer { decidedSince = nil }
        return decidedSince.map { now - $0 }
    }

    /// The turn is over: a grant that moved no line, since the door was unlocked already, is not measured.
    mutating func settled() { decidedSince = nil }
}
