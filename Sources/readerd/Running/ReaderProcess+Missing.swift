// SPDX-License-Identifier: Apache-2.0

import Reader
import Timekeeping
import WiFiStation
import NordicProvisioning

/// The parts that the board lacks, for its light and its name (`--tell-missing`).
extension ReaderProcess {
    /// Tells it if it has changed.
    func tellMissing(at moment: Moment) {
        guard let shown = operation.missing, !isEnding else { return }
        let missing = missingParts
        guard missing != shown else { return }
        operation.missing = missing
        device.lacks(missing, at: moment)
        performEffects(at: moment)
    }

    private var missingParts: MissingParts {
        var missing: MissingParts = []
        // A bench that permits the published keys lacks no others.
        if operation.isDemo, !operation.settings.allowsDemoIdentity { missing.insert(.identity) }
        if operation.settings.gpio.lines[.lock] == nil, operation.settings.panelDecides == nil { missing.insert(.lock) }
        if FaultCode.withoutController.contains(where: faults.has) { missing.insert(.controller) }
        if let gateway = operation.provisioning?.companion.gateway {
            let status = try? gateway.station.status()
            if status?.state != .connected { missing.insert(.network) }
        }
        return missing
    }
}
