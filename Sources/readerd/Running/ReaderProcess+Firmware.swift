// SPDX-License-Identifier: Apache-2.0

import Logging
import Octets
import Reader
import System
import Timekeeping

/// The comparison of this firmware with the oldest that may serve.
extension ReaderProcess {
    /// Compares this firmware with the floor of the state. Returns false if it is older: people are refused then.
    func admitsFirmware(_ stored: [UInt8]?) -> Bool {
        let own = setup.firmware
        guard !FirmwareFloor.excludes(own, stored: stored) else {
            let floor = stored.map { String(decoding: $0, as: UTF8.self).printable } ?? ""
            faults.raise(
                .firmwareOld, of: FaultCode.withoutPolicy,
                "phones open nothing: this firmware is \(own.map { "\($0)" } ?? "unknown"), and \(floor) has served here "
                    + "before; install that or a newer one",
                at: moment)
            record(
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
        log.notice("firmware \(release) is now the oldest that may serve")
        audit.keep(FirmwareFloor.setting, Array(release.description.utf8))
    }
}
