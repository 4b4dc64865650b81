// SPDX-License-Identifier: Apache-2.0

import MatterTLV
import Timekeeping

/// A subscription and the changes that its next report will hold.
struct Subscription: Sendable {
    enum Phase: Equatable, Sendable {
        /// The first report is in progress.
        case priming
        /// Waiting for a change or the keep-alive.
        case idle
        /// A new exchange is requested.
        case opening
        /// A report is in progress.
        case reporting
    }

    let id: UInt32
    let accessor: Accessor
    let attributes: [AttributeSelector]
    let events: [EventSelector]
    let isFabricFiltered: Bool
    let minimumInterval: Duration
    /// Seconds.
    let maximumInterval: UInt16
    var phase = Phase.priming
    /// The time of the latest report.
    var lastReport: Instant
    /// The attributes that changed since then.
    var changed: Set<AttributePath> = []
    /// The number of the first event that is not reported.
    var nextEvent: UInt64 = 0
    /// True if an event of an urgent path waits.
    var hasUrgentEvent = false

    /// A subscription that is established by its first report.
    init(_ id: UInt32, _ request: SubscribeRequest, for accessor: Accessor, at now: Instant) {
        self.id = id
        self.accessor = accessor
        attributes = request.selection.attributes
        events = request.selection.events
        isFabricFiltered = request.selection.isFabricFiltered
        minimumInterval = .seconds(Int(request.minimumInterval))
        maximumInterval = max(request.maximumInterval, InteractionLimits.shortestMaximumInterval)
        lastReport = now
    }

    /// The time of the next report; nil while a report is in progress.
    ///
    /// A report with changes is due at the minimum interval, and any report at 0.8 of the maximum interval, so that one
    /// retransmission arrives within it.
    var deadline: Instant? {
        guard phase == .idle else { return nil }
        let hasNews = !changed.isEmpty || hasUrgentEvent
        let keepAlive = Duration.milliseconds(Int(maximumInterval) * 800)
        return lastReport + (hasNews ? minimumInterval : max(minimumInterval, keepAlive))
    }

    /// Records a change, if it concerns this subscription.
    mutating func markChanged(_ path: AttributePath) {
        guard attributes.contains(where: { $0.mayInclude(path) }) else { return }
        changed.insert(path)
    }

    /// Removes the changes, and returns a report of them.
    mutating func report(upTo nextEvent: UInt64, at now: Instant) -> ReportJob {
        let paths = changed.sorted()
        changed = []
        hasUrgentEvent = false
        phase = .reporting
        lastReport = now
        return ReportJob(
            .change(id), for: accessor, isFabricFiltered: isFabricFiltered,
            attributes: AttributeWalk(changed: paths, subscribed: attributes),
            events: EventWalk(events, from: self.nextEvent, to: nextEvent, isQuiet: true))
    }

    /// True if `other` is the same peer: the same node of the fabric, or the same commissioner.
    func belongs(to other: Accessor) -> Bool {
        guard accessor.fabric == other.fabric else { return false }
        guard let node = other.node else { return accessor.session == other.session }
        return accessor.node == node
    }
}
