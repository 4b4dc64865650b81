// SPDX-License-Identifier: Apache-2.0

public import AccessProtocol
internal import Protobuf

/// The selection of the reader's events that a phone carries to the backend with the result of its credential (access
/// protocol, 9). The phone's request is not signed.
///
/// The events are the reader's, numbered as in `EV_QUERY`, and name other credentials too. A refused phone receives
/// only those that name its own credential: a credential that has ended must not reveal who else was here.
public enum CarriedEvents {
    /// The phone that would carry the events.
    public enum Bearer: Hashable, Sendable {
        /// A phone whose credential was granted.
        case admitted
        /// A phone whose credential was refused; nil for one without an identifier.
        case refused(OSSCredentialID?)

        /// True if the bearer may receive the event.
        fileprivate func mayHave(_ event: Event) -> Bool {
            guard case .refused(let credential) = self else { return true }
            guard let credential, let named = event.credentialId else { return false }
            return named.id == credential.characters
        }
    }

    /// The maximum number of events in a result.
    public static let limit = OssAccessEventsResult.eventsLimit

    /// Returns the newest of `events` that the phone requests and supports, in their order; none unless it requests
    /// some.
    ///
    /// A refused bearer receives only those that name its credential. Octet n − 1 of `supportedEventIds` is not zero if
    /// the phone supports the event with number n; without the field, all are supported. Only the standard's events (1
    /// to 12) are carried.
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
