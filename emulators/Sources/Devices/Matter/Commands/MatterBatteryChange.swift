// SPDX-License-Identifier: Apache-2.0

public import MatterNode

/// A change of the battery of an emulated Matter device.
public enum MatterBatteryChange: Equatable, Sendable {
    /// The remaining charge in percent, at most 100; nil for unknown. Rank and replacement follow it.
    case charge(UInt8?)
    /// The battery is removed or inserted.
    case presence(Bool)
    /// The part in the node's power.
    case status(BatteryState.Status)
    /// The present fault; nil for none.
    case fault(BatteryState.Fault?)

    /// The charge in percent from which on action is needed soon, and now.
    static let warning: UInt8 = 15, critical: UInt8 = 5

    /// The words besides a number.
    static let words = MatterWordTable<MatterBatteryChange>(
        ("unknown", .charge(nil)), ("absent", .presence(false)), ("present", .presence(true)),
        ("active", .status(.active)), ("standby", .status(.standby)), ("unspecified", .status(.unspecified)),
        ("faulty", .fault(.unspecified)), ("hot", .fault(.overTemperature)), ("cold", .fault(.underTemperature)),
        ("sound", .fault(nil)))

    /// The change that a command's argument names; nil if it names none.
    init?(_ argument: String) {
        if let percent = UInt8(argument) {
            guard percent <= 100 else { return nil }
            self = .charge(percent)
        } else {
            guard let change = MatterBatteryChange.words[argument] else { return nil }
            self = change
        }
    }

    /// Changes a battery.
    public func apply(to battery: inout BatteryState) {
        switch self {
        case .charge(let percent):
            battery.percent = percent
            guard let percent else { break }
            battery.level =
                percent <= MatterBatteryChange.critical
                ? .critical : percent <= MatterBatteryChange.warning ? .warning : .ok
            battery.needsReplacement = battery.level != .ok
        case .presence(let isPresent):
            battery.isPresent = isPresent
            battery.status = isPresent ? .active : .unavailable
            battery.percent = isPresent ? battery.percent : nil
        case .status(let status): battery.status = status
        case .fault(let fault): battery.fault = fault
        }
    }
}
