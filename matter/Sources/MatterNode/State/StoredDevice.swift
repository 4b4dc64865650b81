// SPDX-License-Identifier: Apache-2.0

/// The part of a lock's state that survives a loss of power.
struct StoredLock: Equatable, Sendable {
    /// LockStateEnum; nil if it is unknown.
    var state: LockState?
    var operatingMode: LockMode
    var relockSeconds: UInt32
}

/// The part of a load's state that survives a loss of power.
struct StoredLoad: Equatable, Sendable {
    var isOn: Bool
    /// StartUpOnOff; nil for the previous state.
    var startUp: UInt8?
}
