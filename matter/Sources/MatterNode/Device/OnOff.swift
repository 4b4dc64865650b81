// SPDX-License-Identifier: Apache-2.0

import MatterInteraction
import MatterTLV
import Timekeeping

/// On/Off with the feature Lighting (Matter Application Clusters 1.5). Scenes, provisional in release 1.4, are absent:
/// OnWithRecallGlobalScene switches on.
extension NodeModel {
    static let onOffDeclaration = ClusterDeclaration(
        .onOff, revision: 6, features: 1,
        attributes: [
            AttributeDeclaration(0), AttributeDeclaration(0x4000),
            AttributeDeclaration(0x4001, writePrivilege: .operate),
            AttributeDeclaration(0x4002, writePrivilege: .operate),
            AttributeDeclaration(0x4003, writePrivilege: .manage),
        ],
        commands: [
            CommandDeclaration(0), CommandDeclaration(1), CommandDeclaration(2), CommandDeclaration(0x40),
            CommandDeclaration(0x41), CommandDeclaration(0x42),
        ])

    func readOnOff(_ attribute: AttributeID, _ writer: inout TLVWriter, _ tag: TLVTag, at now: Instant) -> Bool {
        switch attribute {
        case 0: writer.bool(load.isOn, as: tag)
        case 0x4000: writer.bool(load.globalSceneControl, as: tag)
        case 0x4001: writer.unsigned(NodeModel.tenths(until: load.onEnd, at: now), as: tag)
        case 0x4002:
            writer.unsigned(load.isOn ? load.waitTenths : NodeModel.tenths(until: load.waitEnd, at: now), as: tag)
        case 0x4003: writer.nullable(load.startUp, as: tag)
        default: return false
        }
        return true
    }

    private static func tenths(until end: Instant?, at now: Instant) -> UInt16 {
        guard let end, end > now else { return 0 }
        return UInt16(clamping: ((end - now).wholeMilliseconds + 99) / 100)
    }

    mutating func writeOnOff(
        _ attribute: AttributeID, _ operation: WriteOperation, at now: Instant
    ) throws(StatusInformation) {
        switch attribute {
        case 0x4001:
            let tenths: UInt16 = try operation.value { element throws(TLVError) in try element.unsigned() }
            load.onEnd = tenths == 0 || tenths == 0xFFFF || !load.isOn ? nil : now + .milliseconds(100 * Int(tenths))
        case 0x4002:
            let tenths: UInt16 = try operation.value { element throws(TLVError) in try element.unsigned() }
            if load.isOn {
                load.waitTenths = tenths
            } else {
                load.waitEnd = tenths == 0 ? nil : now + .milliseconds(100 * Int(tenths))
            }
        case 0x4003:
            let value: UInt8? = try operation.value { element throws(TLVError) in
                element.isNull ? nil : try element.unsigned()
            }
            guard value ?? 0 <= 2 else { throw StatusInformation(.constraintError) }
            load.startUp = value
            state.load = load.stored
        default: throw StatusInformation(.unsupportedWrite)
        }
        changed(.device, .onOff, attribute)
    }

    mutating func invokeOnOff(_ command: CommandID, _ call: Invocation) throws(StatusInformation) -> CommandOutcome {
        switch command {
        case 0: switchOff(at: call.now)
        case 1: switchOn()
        case 2: if load.isOn { switchOff(at: call.now) } else { switchOn() }
        case 0x40:
            guard try call.fields.unsigned(0, UInt8.self) <= 1, try call.fields.unsigned(1, UInt8.self) <= 2 else {
                throw StatusInformation(.constraintError)
            }
            setGlobalSceneControl(false)
            switchOff(at: call.now)
        case 0x41: if !load.globalSceneControl { switchOn() }
        case 0x42: try switchOnForTime(call)
        default: throw StatusInformation(.unsupportedCommand)
        }
        return .done
    }

    private mutating func switchOnForTime(_ call: Invocation) throws(StatusInformation) {
        let control = try call.fields.unsigned(0, UInt8.self)
        let onTenths = try call.fields.unsigned(1, UInt16.self)
        let waitTenths = try call.fields.unsigned(2, UInt16.self)
        guard control <= 1, onTenths < 0xFFFF, waitTenths < 0xFFFF else { throw StatusInformation(.constraintError) }
        if control == 1, !load.isOn { return }
        let now = call.now
        if let waitEnd = load.waitEnd, waitEnd > now, !load.isOn {
            load.waitEnd = min(waitEnd, now + .milliseconds(100 * Int(waitTenths)))
            return changed(.device, .onOff, 0x4002)
        }
        let end = onTenths == 0 ? nil : now + .milliseconds(100 * Int(onTenths))
        let onEnd = [load.onEnd, end].compactMap(\.self).max()
        switchOn()
        load.onEnd = onEnd
        load.waitTenths = waitTenths
        changed(.device, .onOff, 0x4001)
    }

    mutating func switchOn() {
        load.waitEnd = nil
        setGlobalSceneControl(true)
        setLoad(true)
    }

    mutating func switchOff(at now: Instant) {
        load.onEnd = nil
        setLoad(false)
        load.waitEnd = load.waitTenths == 0 ? nil : now + .milliseconds(100 * Int(load.waitTenths))
        load.waitTenths = 0
    }

    private mutating func setGlobalSceneControl(_ value: Bool) {
        guard load.globalSceneControl != value else { return }
        load.globalSceneControl = value
        changed(.device, .onOff, 0x4000)
    }

    /// Switches the load, and reports it.
    mutating func setLoad(_ isOn: Bool, isMoved: Bool = false) {
        guard load.isOn != isOn else { return }
        load.isOn = isOn
        state.load = load.stored
        changed(.device, .onOff, 0)
        if !isMoved { requests.append(.actuate(.power(isOn))) }
    }

    /// Performs due actions.
    mutating func advanceLoad(to now: Instant) {
        if let end = load.onEnd, end <= now {
            load.waitTenths = 0
            switchOff(at: now)
        }
        if let end = load.waitEnd, end <= now { load.waitEnd = nil }
    }
}
