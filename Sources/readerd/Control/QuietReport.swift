// SPDX-License-Identifier: Apache-2.0

import Reader

/// The answer to an updater that asks before a restart: whether it would be noticed now.
extension ReaderProcess {
    /// The reasons against a restart now, in their order; empty for none.
    var disturbances: [Disturbance] {
        var found = device.disturbances
        for service in services { if let disturbance = service.disturbance { found.insert(disturbance) } }
        if device.reader.ledger.pending > 0 { found.insert(.events) }
        return Disturbance.allCases.filter(found.contains)
    }
}
