// SPDX-License-Identifier: Apache-2.0

import Configuration
import Reader
import Timekeeping

/// The parts that the board lacks, for its light and its name (`--tell-missing`).
final class ReaderMissing: ReaderService {
    unowned let process: ReaderProcess
    /// The parts shown as missing.
    private(set) var shown: MissingParts = []

    init(_ process: ReaderProcess) { self.process = process }

    /// Shows the parts if they have changed.
    func settle() {
        guard !process.stage.isEnding else { return }
        let missing = missingParts
        guard missing != shown else { return }
        shown = missing
        let moment = moment
        process.device.lacks(missing, at: moment)
        process.performEffects(at: moment)
    }

    private var missingParts: MissingParts {
        var missing: MissingParts = []
        // A bench that permits the published keys lacks no others.
        if process.setup.isDemo, !settings.allowsDemoIdentity { missing.insert(.identity) }
        if settings.gpio.lines[.lock] == nil, settings.panelDecides == nil { missing.insert(.lock) }
        if FaultCode.withoutController.contains(where: process.faults.has) { missing.insert(.controller) }
        for service in process.services where service !== self { missing.formUnion(service.missing) }
        return missing
    }
}
