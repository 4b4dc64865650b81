// SPDX-License-Identifier: Apache-2.0

import MatterInteraction
import Timekeeping

/// The writing of the state, and the replies that wait for it.
struct DocumentStorage: Sendable {
    /// The time after which a failed write is tried again.
    private static let retryTime: Duration = .seconds(1)
    /// The maximum number of waiting messages: each permitted transaction and each report can have one.
    private static let holdLimit = InteractionLimits.transactions + InteractionLimits.subscriptions

    /// The latest document.
    private(set) var latest: [UInt8]?
    /// The number of the latest document.
    private(set) var number: UInt64 = 0
    /// True until the latest document is stored.
    private(set) var isPending = false
    /// The time of the next attempt after a failure.
    private(set) var retryDue: Instant?
    private var held: [(document: UInt64, effect: InteractionEffect)] = []

    /// The number of waiting messages.
    var heldCount: Int { held.count }

    /// Sets the current document. Returns its number if it must be written.
    mutating func put(_ document: [UInt8]) -> UInt64? {
        guard document != latest else { return nil }
        latest = document
        number += 1
        isPending = true
        retryDue = nil
        return number
    }

    /// Holds a message until the latest document is stored. False if too many messages wait, because storage does not
    /// respond.
    mutating func hold(_ effect: InteractionEffect) -> Bool {
        guard held.count < DocumentStorage.holdLimit else { return false }
        held.append((number, effect))
        return true
    }

    /// Returns the messages that waited for `document` or an earlier one.
    mutating func stored(_ document: UInt64) -> [InteractionEffect] {
        guard document <= number else { return [] }
        if document == number { isPending = false }
        return release(upTo: document)
    }

    /// Returns the messages that waited for `document` or an earlier one, which must not be sent.
    mutating func failed(_ document: UInt64, at now: Instant) -> [InteractionEffect] {
        guard document <= number else { return [] }
        if document == number {
            isPending = false
            latest = nil
            retryDue = now + DocumentStorage.retryTime
        }
        return release(upTo: document)
    }

    /// Returns true once if a failed write has to be tried again now.
    mutating func takeRetry() -> Bool {
        defer { isRetryDue = false }
        return isRetryDue
    }

    /// Performs due actions.
    mutating func advance(to now: Instant) {
        guard let retryDue, retryDue <= now else { return }
        self.retryDue = nil
        isRetryDue = true
    }

    private var isRetryDue = false

    private mutating func release(upTo document: UInt64) -> [InteractionEffect] {
        let released = held.filter { $0.document <= document }.map(\.effect)
        held.removeAll { $0.document <= document }
        return released
    }
}
