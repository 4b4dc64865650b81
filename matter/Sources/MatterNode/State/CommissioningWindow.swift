// SPDX-License-Identifier: Apache-2.0

import MatterInteraction
import MatterTLV
import Timekeeping

/// An open commissioning window.
struct CommissioningWindow: Sendable {
    let kind: WindowKind
    /// The code to accept.
    let label: MatterConfiguration.Label
    /// The end; nil if the window stays open.
    let deadline: Instant?
    /// The instance of `_matterc._udp`, different for each window.
    let instance: [UInt8]
    /// The fabric that opened it; nil for the device itself, and after the removal of the fabric.
    var opener: FabricIndex?
    /// The vendor of the administrator that opened it.
    let openerVendor: VendorID?
    /// The number of failures of PASE.
    var failures = 0
}

/// A window that waits for the program's decision.
struct PendingWindow: Sendable {
    let request: WindowRequest
    /// The code to accept.
    let label: MatterConfiguration.Label
    let ticket: CommandTicket
    /// The time at which it is refused if the program has not answered.
    let due: Instant
}
