public import AccessProtocol
internal import Protobuf

/// Which of the reader's events a phone takes along with the result of its credential (access protocol, 9): what it
/// asks for, which nobody signs.
public enum CarriedEvents {
    /// How many a result holds at most.
    public static let limit = OssAccessEventsResult.eventsLimit

    /// The newest of `events` that the phone wants and understands, in their order; none unless it asks for some.
    ///
    /// Of `supportedEventIds`, octet n − 1 is not zero if the event with the number n is understood; without it, all
    /// are. Events that are not the standard's (1 to 12) are never handed out so.
    public static func choose(from events: [Event], for files: OssSoMobile) -> [Event] {
        let count = min(Int(clamping: files.requestedEventCount ?? 0), limit)
        guard count > 0 else { return [] }
        let wanted = events.filter { event in
            guard 1...12 ~= event.eventId.rawValue else { return false }
            return files.supportedEventIds.map { $0.octets[Int(event.eventId.rawValue) - 1] != 0 } ?? true
        }
        return Array(wanted.suffix(count))
    }
}
