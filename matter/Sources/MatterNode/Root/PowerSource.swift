// SPDX-License-Identifier: Apache-2.0

import MatterInteraction
import MatterTLV
import Timekeeping

/// Power Source (Matter Core 11.7) of a battery that the user replaces, on the root endpoint: it powers the whole node.
extension NodeModel {
    private static let batteryFeatures: UInt32 = 0x0A

    static let powerSourceDeclaration = ClusterDeclaration(
        .powerSource, revision: 3, features: batteryFeatures,
        attributes: [
            AttributeDeclaration(0), AttributeDeclaration(1), AttributeDeclaration(2, isFixed: true),
            AttributeDeclaration(0x0C), AttributeDeclaration(0x0E), AttributeDeclaration(0x0F),
            AttributeDeclaration(0x10, isFixed: true), AttributeDeclaration(0x11),
            AttributeDeclaration(0x12, isList: true), AttributeDeclaration(0x13, isFixed: true),
            AttributeDeclaration(0x19, isFixed: true), AttributeDeclaration(0x1F, isList: true),
        ],
        events: [EventDeclaration(1, priority: .info)])

    func readPowerSource(_ attribute: AttributeID, _ writer: inout TLVWriter, _ tag: TLVTag) -> Bool {
        let state = battery.state
        switch attribute {
        case 0: writer.unsigned(state.status.rawValue, as: tag)
        case 1: writer.unsigned(UInt8(0), as: tag)
        case 2: writer.text("Primary battery", as: tag)
        // In half percents.
        case 0x0C: writer.nullable(state.percent.map { min($0, 100) * 2 }, as: tag)
        case 0x0E: writer.unsigned(state.level.rawValue, as: tag)
        case 0x0F: writer.bool(state.needsReplacement, as: tag)
        // Replaceable by the user.
        case 0x10: writer.unsigned(UInt8(2), as: tag)
        case 0x11: writer.bool(state.isPresent, as: tag)
        case 0x12: NodeModel.write(state.fault, as: tag, &writer)
        case 0x13: writer.text("AA, alkaline", as: tag)
        case 0x19: writer.unsigned(UInt8(4), as: tag)
        // The empty list stands for the whole node.
        case 0x1F: writer.array(as: tag) { _ in }
        default: return false
        }
        return true
    }

    private static func write(_ fault: BatteryState.Fault?, as tag: TLVTag, _ writer: inout TLVWriter) {
        writer.array(as: tag) { list in
            if let fault { list.unsigned(fault.rawValue, as: .anonymous) }
        }
    }

    mutating func set(_ state: BatteryState, at now: Instant) {
        guard configuration.hasBattery else { return }
        let former = battery.state
        battery.state = state
        if state.status != former.status { changed(.root, .powerSource, 0) }
        if state.level != former.level { changed(.root, .powerSource, 0x0E) }
        if state.needsReplacement != former.needsReplacement { changed(.root, .powerSource, 0x0F) }
        if state.isPresent != former.isPresent { changed(.root, .powerSource, 0x11) }
        if state.fault != former.fault {
            changed(.root, .powerSource, 0x12)
            record(.root, .powerSource, 1, at: now) { event in
                NodeModel.write(state.fault, as: 0, &event)
                NodeModel.write(former.fault, as: 1, &event)
            }
        }
        guard state.percent != former.percent else { return }
        battery.hasPercentChange = true
        // Changes from and to an unknown charge are reported at once.
        if state.percent == nil || former.percent == nil { battery.percentFrom = now }
        advanceBattery(to: now)
    }

    /// Reports a due change of the remaining charge.
    mutating func advanceBattery(to now: Instant) {
        guard battery.hasPercentChange, battery.percentFrom ?? now <= now else { return }
        battery.hasPercentChange = false
        battery.percentFrom = now + BatteryModel.percentTime
        changed(.root, .powerSource, 0x0C)
    }
}
