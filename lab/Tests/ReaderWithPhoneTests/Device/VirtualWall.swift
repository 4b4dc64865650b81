// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
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

extension AccessTable {
    /// The table of a reader with the demo identity.
    static func demo(_ configuration: AccessConfiguration) throws -> AccessTable {
        try AccessTable(
            deviceName: ReaderIdentity.demo().deviceID, modes: configuration.modes.map(\.mode),
            identifiers: configuration.identifiers,
            record: ManufacturerRecord(isFactory: true, applicationVersion: 1, localMidnight: 0))
    }
}
