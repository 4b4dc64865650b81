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
                broken.append("the lock was released at \(seconds) s without a grant or an order of its own")
            }
        }
        return broken
    }
}

extension SiteOrder {
    /// True for one that may release the lock.
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
