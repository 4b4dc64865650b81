// SPDX-License-Identifier: Apache-2.0

import MatterInteraction
import MatterTLV
import Timekeeping

/// Door Lock (Matter Application Clusters 5.2): operations over Matter, attributes and settings. Only a lock with
/// Aliro or PINs has users and credentials; schedules are not supported.
extension NodeModel {
    private static let latchFeature: UInt32 = 0x1000
    private static let doorFeature: UInt32 = 0x20

    static func doorLockDeclaration(_ traits: LockTraits) -> ClusterDeclaration {
        var attributes = [AttributeDeclaration(0), AttributeDeclaration(1), AttributeDeclaration(2)]
        var commands = [CommandDeclaration(0, isTimed: true), CommandDeclaration(1, isTimed: true)]
        var events = [EventDeclaration(0, priority: .critical)]
        if !traits.asksProgram { commands.append(CommandDeclaration(3, isTimed: true)) }
        if traits.hasDoorContact {
            attributes.append(AttributeDeclaration(3))
            events.append(EventDeclaration(1, priority: .critical))
        }
        if traits.hasUsers {
            attributes += userAttributes(traits)
            commands += userCommands
        }
        if traits.hasAliro { commands += aliroCommands }
        if traits.hasLatch { commands.append(CommandDeclaration(0x27, isTimed: true)) }
        attributes += [
            traits.asksProgram ? AttributeDeclaration(0x23) : AttributeDeclaration(0x23, writePrivilege: .manage),
            AttributeDeclaration(0x25, writePrivilege: .manage),
            AttributeDeclaration(0x26, isFixed: true),
        ]
        if traits.hasPINs { attributes += pinRuleAttributes }
        if traits.hasAliro { attributes += aliroAttributes }
        events += [EventDeclaration(2, priority: .critical), EventDeclaration(3, priority: .critical)]
        if traits.hasUsers { events.append(EventDeclaration(4, priority: .info)) }
        return ClusterDeclaration(
            .doorLock, revision: 7,
            features: (traits.hasLatch ? latchFeature : 0) | (traits.hasDoorContact ? doorFeature : 0)
                | (traits.hasUsers ? userFeature : 0) | (traits.hasPINs ? pinFeatures : 0)
                | (traits.hasAliro ? aliroFeature : 0),
            attributes: attributes, commands: commands, events: events)
    }

    func readDoorLock(_ attribute: AttributeID, _ writer: inout TLVWriter, _ tag: TLVTag) -> Bool {
        switch attribute {
        case 0: writer.nullable(lock.state?.rawValue, as: tag)
        case 1: writer.unsigned(lock.traits.lockType, as: tag)
        case 2: writer.bool(lock.isActuatorEnabled, as: tag)
        case 3: writer.nullable(lock.door?.rawValue, as: tag)
        case 0x23: writer.unsigned(lock.relockSeconds, as: tag)
        case 0x25: writer.unsigned(lock.operatingMode.rawValue, as: tag)
        // A cleared bit is a supported mode: Normal and NoRemoteLockUnlock.
        case 0x26: writer.unsigned(UInt16(0xFFF6), as: tag)
        default: return readUsers(attribute, &writer, tag) || readPINs(attribute, &writer, tag)
        }
        return true
    }

    mutating func writeDoorLock(
        _ attribute: AttributeID, _ operation: WriteOperation, at now: Instant
    ) throws(StatusInformation) {
        switch attribute {
        case 0x23:
            lock.relockSeconds = try operation.value { element throws(TLVError) in try element.unsigned() }
        case 0x25:
            let mode: UInt8 = try operation.value { element throws(TLVError) in try element.unsigned() }
            guard let mode = LockMode(rawValue: mode) else { throw StatusInformation(.constraintError) }
            lock.operatingMode = mode
        default: try writePINs(attribute, operation)
        }
        state.lock = lock.stored
        changed(.device, .doorLock, attribute)
    }

    mutating func invokeDoorLock(_ command: CommandID, _ call: Invocation) throws(StatusInformation) -> CommandOutcome {
        switch command {
        case 0: return try operate(.lock, call, relock: nil)
        case 1: return try operate(.unlock, call, relock: lock.relockSeconds)
        case 3: return try operate(.unlock, call, relock: UInt32(call.fields.unsigned(0, UInt16.self)), pin: 1)
        case 0x27: return try operate(.unbolt, call, relock: lock.relockSeconds)
        default: return try invokeUsers(command, call)
        }
    }

    /// Performs an operation over Matter, unless the lock's state forbids it, or it lacks a PIN.
    ///
    /// - Parameter field: the number of the field PINCode.
    private mutating func operate(
        _ action: LockAction, _ call: Invocation, relock seconds: UInt32?, pin field: UInt8 = 0
    ) throws(StatusInformation) -> CommandOutcome {
        var author = LockAuthor(source: .remote, fabric: call.accessor.fabric, node: call.accessor.node)
        if let error = lock.obstacle(to: action) {
            refuseLock(action, author, error: error, at: call.now)
            throw StatusInformation(lock.operatingMode == .normal ? .failure : .invalidInState)
        }
        if lock.traits.hasPINs { author.credential = try authorize(action, author, call, field: field) }
        if lock.traits.asksProgram { return try order(action, author, call) }
        move(action, author, relock: seconds, isMoved: false, at: call.now)
        return .done
    }
}
