public import AccessProtocol
internal import Protobuf

/// Which of the reader's events a phone takes along with the result of its credential (access protocol, 9): what it
/// asks for, which nobody signs.
///
/// They are the reader's, on their way to the backend by whoever goes there, and not the credential's: so they name
/// everybody who came, under the numbers that `EV_QUERY` has for them. Who was refused is no messenger: what he can ask
/// for with a credential that has ended is not who else was here.
public enum CarriedEvents {
    /// Whose phone it is.
    public enum Bearer: Hashable, Sendable {
        /// Somebody who is let in.
        case admitted
        /// Somebody who is not, with this credential; nil for one without a name.
        case refused(OSSCredentialID?)

        /// Whether the event is for this phone.
        fileprivate func mayHave(_ event: Event) -> Bool {
            guard case .refused(let credential) = self else { return true }
            guard let credential, let named = event.credentialId else { return false }
            return named.id == credential.characters
        }
    }

    /// How many a result holds at most.
    public static let limit = OssAccessEventsResult.eventsLimit

    /// The newest of `events` that the phone wants and understands, in their order; none unless it asks for some.
    ///
    /// A bearer who is refused gets only those that name his credential.
    ///
    /// Of `supportedEventIds`, octet n − 1 is not zero if the event with the number n is understood; without it, all
    /// are. Events that are not the standard's (1 to 12) are never handed out so.
    public static func choose(
        from events: [Event], for files: OssSoMobile, to bearer: Bearer
    ) -> [Event] {
        let count = min(Int(clamping: files.requestedEventCount ?? 0), limit)
        guard count > 0 else { return [] }
        let wanted = events.filter { event in
            guard 1...12 ~= event.eventId.rawValue, bearer.mayHave(event) else { return false }
            return files.supportedEventIds.map { $0.octets[Int(event.eventId.rawValue) - 1] != 0 } ?? true
        }
        return Array(wanted.suffix(count))
    }
}
