// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// A load that is on or off.
struct LoadModel: Sendable {
    var isOn: Bool
    var startUp: UInt8?
    var globalSceneControl = true
    /// The end of the on-time of OnWithTimedOff.
    var onEnd: Instant?
    /// The end of the time during which OnWithTimedOff is ignored.
    var waitEnd: Instant?
    /// OffWaitTime while the load is on, in tenths of a second. It runs from the end of the on-time.
    var waitTenths: UInt16 = 0

    /// The state after a start, according to StartUpOnOff.
    init(stored: StoredLoad?) {
        startUp = stored?.startUp
        let before = stored?.isOn ?? false
        isOn =
            switch startUp {
            case 0: false
            case 1: true
            case 2: !before
            default: before
            }
    }

    var stored: StoredLoad { StoredLoad(isOn: isOn, startUp: startUp) }
}
