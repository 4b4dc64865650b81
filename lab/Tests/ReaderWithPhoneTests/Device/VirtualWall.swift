// SPDX-License-Identifier: Apache-2.0

import Reader
import Timekeeping

/// A wall clock on virtual time.
struct VirtualWall {
    /// The time that it shows at the origin; nil while it is not set.
    var epochAtOrigin: Int64?

    func moment(_ now: Instant) -> Moment {
        Moment(instant: now, epochSeconds: epochAtOrigin.map { $0 + VirtualWall.seconds(now) })
    }

    mutating func set(_ epochSeconds: Int64, at now: Instant) {
        epochAtOrigin = epochSeconds - VirtualWall.seconds(now)
    }

    private static func seconds(_ now: Instant) -> Int64 { (now - .origin).wholeNanoseconds / 1_000_000_000 }
}

extension VirtualWall {
    /// A wall clock that shows `epochSeconds` at `now`.
    init(_ epochSeconds: Int64?, at now: Instant) {
        self.init(epochAtOrigin: nil)
        if let epochSeconds { set(epochSeconds, at: now) }
    }
}
