// SPDX-License-Identifier: Apache-2.0

import Logging
import Octets
import Reader
import System
import Timekeeping

/// The oldest firmware that may serve with this state: the newest that has. Kept in the policy, and so authenticated
/// and counted against older copies.
///
/// An update is checked against it before its installation (`readerd check-update`), and each start checks itself: an
/// older system in the other slot has holes that the newer one has closed.
enum FirmwareFloor {
    /// The setting that keeps it.
    static let setting = "firmware-floor"
    /// The time from the start to the record: after it an update is confirmed or has been rolled back.
    static let delay = Duration.seconds(3600)

    /// True if `release` is older than the stored floor, or the floor cannot be read: a later version may write another
    /// form.
    static func excludes(_ release: FirmwareRelease?, stored: [UInt8]?) -> Bool {
        guard let stored else { return false }
        guard let release, let floor = FirmwareRelease(String(decoding: stored, as: UTF8.self)) else { return true }
        return release < floor
    }

    /// True if `release` becomes the floor.
    static func isRaised(by release: FirmwareRelease?, stored: [UInt8]?) -> Bool {
        guard let release, !excludes(release, stored: stored) else { return false }
        return stored != Array(release.description.utf8)
    }
}
