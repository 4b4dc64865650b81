// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Reader
import Timekeeping

/// The rule of every door: no release of the lock without a cause, and none twice for one cause.
///
/// It knows the grants that were announced and the orders that were given, and nothing of the door's own reasons.
enum LockRule {
    /// The longest time from an input's line to the release: inputs are debounced.
    static let debounce = Duration.milliseconds(500)

    /// The releases that break it, one line each.
    static func broken(rises: [Instant], grants: [Instant], orders: [Instant]) -> [String] {
        var (grants, orders, broken) = (grants, orders, [String]())
        for rise in rises {
            if let index = grants.firstIndex(of: rise) {
                grants.remove(at: index)
            } else if let index = orders.firstIndex(where: { $0 <= rise && rise <= $0 + debounce }) {
                orders.remove(at: index)
            } else {
                let seconds = Double((rise - .origin).wholeMilliseconds) / 1000
                broken.append("the lock was released at \(seconds) s without its own grant or order")
            }
        }
        return broken
    }

    /// The times at which the lock is released after the last cause has ended, one line each.
    ///
    /// - Parameters:
    ///   - released: the spans in which the lock is released.
    ///   - causes: the spans that causes allow, each without the debounce.
    static func overstayed(released: [Range<Instant>], causes: [Range<Instant>]) -> [String] {
        let allowed = merged(causes.map { $0.lowerBound..<$0.upperBound + debounce })
        return released.compactMap { span in
            let end = allowed.first { $0.contains(span.lowerBound) }?.upperBound ?? span.lowerBound
            guard end < span.upperBound else { return nil }
            return
                "the lock was released until \(seconds(span.upperBound)) s, "
                + "and no cause lasted beyond \(seconds(end)) s"
        }
    }

    /// Spans in order, without overlaps.
    private static func merged(_ spans: [Range<Instant>]) -> [Range<Instant>] {
        var merged: [Range<Instant>] = []
        for span in spans.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = merged.last, span.lowerBound <= last.upperBound {
                merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, span.upperBound)
            } else {
                merged.append(span)
            }
        }
        return merged
    }

    private static func seconds(_ instant: Instant) -> Double { Double((instant - .origin).wholeMilliseconds) / 1000 }
}

extension SiteReader {
    /// The releases that have no cause among the grants and the orders to the door, one line each.
    var releasesWithoutCause: [String] {
        let grants = notices.compactMap { at, notice in notice.isGrant ? at : nil }
        let rises = lines.edges(of: .lock).filter(\.level).map(\.instant)
        return LockRule.broken(rises: rises, grants: grants, orders: causes)
    }

    /// The spans in which the lock is released.
    func released(until end: Instant) -> [Range<Instant>] {
        SiteReader.spans(lines.edges(of: .lock).map { ($0.instant, $0.level) }, until: end)
    }

    /// The spans that allow the lock to be released: a pulse from each grant and order, and inputs as long as they are
    /// active, the exit a pulse longer.
    func allowed(pulse: Duration, until end: Instant) -> [Range<Instant>] {
        let grants = notices.compactMap { at, notice in notice.isGrant ? at : nil }
        let orders = carriedOut.compactMap { at, order in order == .open ? at : nil }
        let exits = SiteReader.spans(changes(of: .exit), until: end).map { $0.lowerBound..<$0.upperBound + pulse }
        return (grants + orders).map { $0..<$0 + pulse } + exits + SiteReader.spans(changes(of: .fire), until: end)
    }

    private func changes(of input: DoorInput) -> [(at: Instant, isActive: Bool)] {
        carriedOut.compactMap { at, order in
            if case .line(input, let isActive) = order { (at, isActive) } else { nil }
        }
    }

    /// The spans between changes to active and back.
    private static func spans(_ changes: [(at: Instant, isActive: Bool)], until end: Instant) -> [Range<Instant>] {
        var spans: [Range<Instant>] = []
        var begin: Instant?
        for (at, isActive) in changes {
            if isActive {
                begin = begin ?? at
            } else if let start = begin {
                spans.append(start..<max(start, at))
                begin = nil
            }
        }
        return spans + (begin.map { [$0..<max($0, end)] } ?? [])
    }
}

extension SiteOrder {
    /// True for an order that may release the lock.
    var opens: Bool {
        switch self {
        case .open, .line(.exit, isActive: true), .line(.fire, isActive: true), .lockdown(false): true
        default: false
        }
    }
}

extension ReaderNotice {
    /// True for a grant.
    var isGrant: Bool {
        switch self {
        case .executed(_, _, let command, let status): status == .ok && CommandName(rawValue: command).opensDoor
        case .decided(_, let decision, let status):
            if case .granted = decision.outcome { status == .ok } else { false }
        default: false
        }
    }
}
