// SPDX-License-Identifier: Apache-2.0

import Configuration
import Reader
import Timekeeping

/// The facts about a reader that its start has found.
struct ReaderSetup {
    /// The settings in force.
    var settings = ReaderSettings()
    var addresses = AddressBook()
    /// The reader's identifier, true for the published demo identity, and the controller's name.
    var deviceID = ""
    var isDemo = false
    var controller = ""
    /// The keys of the identity.
    var keys: [KeyHistory.Key] = []
    /// The damage of the identity, in one line; nil for none.
    var identityFault: String?
    /// The release of this program.
    var firmware = FirmwareRelease.own
    /// The time for loading the stored contents; a longer one is a fault.
    var restorationWait = Duration.seconds(3)
}

/// The stages of a running reader.
struct ReaderStage {
    let startedAt: Instant
    /// True if the contents of an earlier run are known, or known to be lost.
    var isRestored = false
    /// True once requests are served, with these contents or without.
    var isServing = false
    var isEnding = false
    /// The stored marks of the clock; nil for none.
    var keptMarks: ClockMarks?
}

/// The states of the controller, the disk and the lines as they were last reported.
struct ReportedStates {
    /// True if the failure of the controller is on record.
    var controllerHasFailed = false
    /// True if the present controller can advertise all modes.
    var servesAllModes = false
    /// The last reported value of `RecordLedger.fault`.
    var diskFault: DiskFault?
    /// The last shown value of `FaultRegistry.changes`.
    var faultChanges = 0
    /// Outputs whose last setting failed.
    var failingOutputs: Set<DoorOutput> = []
}
