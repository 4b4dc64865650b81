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

    /// True if `release` is to be stored as the floor.
    static func isRaised(by release: FirmwareRelease?, stored: [UInt8]?) -> Bool {
        guard let release, !excludes(release, stored: stored) else { return false }
        return stored != Array(release.description.utf8)
    }
}

extension ReaderProcess {
    /// Compares this firmware with the floor of the state. Returns false if it is older: people are refused then.
    func admitsFirmware(_ stored: [UInt8]?) -> Bool {
        let own = operation.firmware
        guard !FirmwareFloor.excludes(own, stored: stored) else {
            let floor = stored.map { String(decoding: $0, as: UTF8.self).printable } ?? ""
            faults.raise(
                .firmwareOld, of: FaultCode.withoutPolicy,
                "phones open nothing: this firmware is \(own.map { "\($0)" } ?? "unknown"), and \(floor) has served here "
                    + "before; install that or a newer one",
                at: moment)
            audit.record(
                AuditEvent(
                    .policyRefused, at: auditTime, info: 3,
                    detail: "firmware \(own.map { "\($0)" } ?? "unknown"), floor \(floor)"))
            return false
        }
        guard FirmwareFloor.isRaised(by: own, stored: stored), let own else { return true }
        reactor.schedule(at: reactor.now + FirmwareFloor.delay) { [weak self] in
            self?.keepFirmwareFloor(own)
            self?.flush()
        }
        return true
    }

    /// Stores the release as the floor.
    func keepFirmwareFloor(_ release: FirmwareRelease) {
        log.notice("firmware \(release) is the oldest that may serve from now on")
        audit.keep(FirmwareFloor.setting, Array(release.description.utf8))
    }
}
