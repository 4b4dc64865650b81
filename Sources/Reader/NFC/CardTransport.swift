// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// The card transport: APDUs of at most one phone, which is in the field, and its session.
struct CardTransport {
    var application = CardApplication(configuration: ContactlessConfiguration())
    /// The phone that has selected the access application.
    private(set) var link: AccessLink?
    private var taps: UInt32 = 0

    /// Begins the session of the next phone.
    mutating func begin(_ times: LinkTimes, at now: Instant) -> PhoneID {
        let link = AccessLink(id: nextTap(), times: times, at: now)
        self.link = link
        return link.id
    }

    /// The identifier of the next phone or card at the front end.
    mutating func nextTap() -> PhoneID {
        taps &+= 1
        return .tap(taps)
    }

    /// Ends the session, if there is one.
    mutating func end() -> PhoneID? {
        link?.end()
        defer { link = nil }
        return link?.id
    }

    /// Gives the whole answer to the application, from which the phone fetches it in parts; false if no answer is
    /// ready.
    mutating func send(_ link: AccessLink) -> Bool {
        guard link === self.link, !link.session.answer.isEmpty else { return false }
        application.answer(link.session.answer.span)
        link.session.answerTaken()
        return true
    }
}
