// SPDX-License-Identifier: Apache-2.0

/// The battery that powers a node, as Power Source reports it (Matter Core 11.7).
public struct BatteryState: Equatable, Sendable {
    /// The role of the battery in powering the node (PowerSourceStatusEnum).
    public enum Status: UInt8, Equatable, Sendable, CaseIterable {
        /// Unknown.
        case unspecified = 0
        /// It powers the node.
        case active
        /// It can power the node, but another source does.
        case standby
        /// It cannot power the node.
        case unavailable
    }

    /// The coarse charge level (BatChargeLevelEnum).
    public enum Level: UInt8, Equatable, Sendable, CaseIterable {
        /// No action is needed.
        case ok = 0
        /// Action will be needed soon.
        case warning
        /// Action is needed now.
        case critical
    }

    /// A fault of a battery (BatFaultEnum).
    public enum Fault: UInt8, Equatable, Sendable, CaseIterable {
        /// Unknown.
        case unspecified = 0
        /// Too hot.
        case overTemperature
        /// Too cold.
        case underTemperature
    }

    /// The status.
    public var status = Status.active
    /// The remaining charge in percent, at most 100; nil if it is unknown.
    public var percent: UInt8? = 100
    /// The charge level.
    public var level = Level.ok
    /// True if the battery needs to be replaced.
    public var needsReplacement = false
    /// True if the battery is installed.
    public var isPresent = true
    /// The present fault.
    public var fault: Fault?

    /// A new battery.
    public init() {}
}
