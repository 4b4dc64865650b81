public import Timekeeping

/// Remembers who was let through a moment ago, so that one request that arrives twice is carried out once.
///
/// A phone that got no answer asks again, and one that is held to the reader may ask over both of its radios. Within
/// the re-arm time the same credential, asking for the same, gets the answer that it got and moves nothing.
///
/// `Request` names who asks and for what.
public struct ReArm<Request: Equatable & Sendable>: Equatable, Sendable {
    /// How many are remembered: more than can come in the re-arm time.
    public static var capacity: Int { 64 }

    private struct Entry: Equatable, Sendable {
        var request: Request
        var until: Instant
    }

    /// How long a request counts as the same; zero remembers nothing.
    public var time: Duration
    private var entries: [Entry] = []

    /// Remembers requests for `time`.
    public init(time: Duration) {
        self.time = time
    }

    /// Notes `request`; false if it is the same as one within the re-arm time, which then
    /// does not start again: holding a phone to the reader must not keep it shut out.
    public mutating func admit(_ request: Request, at now: Instant) -> Bool {
        entries.removeAll { $0.until <= now }
        guard time > .zero else { return true }
        guard !entries.contains(where: { $0.request == request }) else { return false }
        if entries.count >= ReArm.capacity { entries.removeFirst() }
        entries.append(Entry(request: request, until: now + time))
        return true
    }

    /// Whether `request` would count as the same as an earlier one.
    func remembers(_ request: Request, at now: Instant) -> Bool {
        entries.contains { $0.request == request && now < $0.until }
    }

    /// Forgets `request`: it came to nothing, and may be tried again at once.
    public mutating func withdraw(_ request: Request) {
        entries.removeAll { $0.request == request }
    }
}
