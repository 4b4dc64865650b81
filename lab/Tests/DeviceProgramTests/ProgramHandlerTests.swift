// SPDX-License-Identifier: Apache-2.0

import AirRig
import HostLoop
import Peripheral
import Testing
import Timekeeping
import VirtualRadio

/// Handlers of a `DeviceProgram`: reads and writes of a client (Core 5.4, Vol 3, Part F, 3.4.4 and 3.4.5).
@Suite struct ProgramHandlerTests {
    struct State {
        var reads = 0
        var written: [[UInt8]] = []
        var reading: ReadRequest?
        var writing: WriteRequest?
        var outcomes: [AnswerOutcome] = []
        var told: [String] = []
    }

    private let uuid = BluetoothUUID(0xAA01)

    private func device(
        _ properties: CharacteristicProperties, value: [UInt8] = [], maximumCount: Int = 512,
        _ more: (inout DeviceDefinition<State>, CharacteristicID) -> Void
    ) -> DeviceDefinition<State> {
        var device = DeviceDefinition<State>(name: "test")
        device.addService(BluetoothUUID(0xAA00))
        let characteristic = device.addCharacteristic(uuid, properties, value: value, maximumCount: maximumCount)
        more(&device, characteristic)
        return device
    }

    @Test func aValueIsMadeForEachRead() throws {
        let device = device(.read) { device, value in
            device.onRead(value) { state, _, _ in
                state.reads += 1
                return .value([UInt8(state.reads)])
            }
        }
        let rig = try ProgramRig(State(), [device])
        let phone = try rig.connected()
        #expect(try rig.send([0x0A, 18, 0], phone) == [[0x0B, 1]])
        #expect(try rig.send([0x0A, 18, 0], phone) == [[0x0B, 2]])
        #expect(rig.controller.violations == [])
    }

    @Test func aReadIsRefusedOrTooLong() throws {
        let device = device(.read) { device, value in
            device.onRead(value) { state, _, _ in
                state.reads += 1
                return state.reads == 1
                    ? .refuse(ATTErrorCode(rawValue: 0x85)) : .value([UInt8](repeating: 0, count: 513))
            }
        }
        let rig = try ProgramRig(State(), [device])
        let phone = try rig.connected()
        #expect(try rig.send([0x0A, 18, 0], phone) == [[0x01, 0x0A, 18, 0, 0x85]])
        #expect(try rig.send([0x0A, 18, 0], phone) == [[0x01, 0x0A, 18, 0, 0x0E]])
    }

    @Test func answersMayComeLater() throws {
        let device = device([.read, .write]) { device, value in
            device.onRead(value) { state, _, request in
                state.reading = request
                return .later
            }
            device.onWrite(value) { state, _, request in
                state.writing = request
                return .later
            }
            device.every(.seconds(1)) { state, context in
                if let request = state.reading { state.outcomes.append(context.answer(request, [9])) }
                if let request = state.writing { state.outcomes.append(context.accept(request)) }
                (state.reading, state.writing) = (nil, nil)
            }
        }
        let rig = try ProgramRig(State(), [device])
        let phone = try rig.connected()
        #expect(try rig.send([0x0A, 18, 0], phone, wait: .milliseconds(1100)) == [[0x0B, 9]])
        #expect(try rig.send([0x12, 18, 0, 5], phone, wait: .milliseconds(1100)) == [[0x13]])
        #expect(rig.device.state.outcomes == [.taken, .taken])
    }

    /// The deferred response belongs to a link that has ended; the next client, in the same slot, sends a request too
    /// and does not receive it.
    @Test func anAnswerToADeadLinkReachesNobody() throws {
        let device = device(.read) { device, value in
            device.onRead(value) { state, _, request in
                if state.reading == nil { state.reading = request }
                return .later
            }
            device.every(.seconds(5)) { state, context in
                if let request = state.reading { state.outcomes.append(context.answer(request, [9])) }
            }
        }
        let rig = try ProgramRig(State(), [device])
        let first = try rig.connected()
        #expect(try rig.send([0x0A, 18, 0], first) == [])
        try rig.disconnect(first)
        let next = try rig.connected()
        #expect(try rig.send([0x0A, 18, 0], next, wait: .seconds(5)) == [])
        #expect(rig.device.state.outcomes == [.gone])
    }

    @Test func whatIsAcceptedIsRead() throws {
        let device = device([.read, .write], value: [1, 2], maximumCount: 3) { device, value in
            device.onWrite(value) { state, _, write in
                state.written.append(write.value)
                return write.value == [0xFF] ? .refuse(.valueNotAllowed) : .accept
            }
        }
        let rig = try ProgramRig(State(), [device])
        let phone = try rig.connected()
        #expect(try rig.send([0x0A, 18, 0], phone) == [[0x0B, 1, 2]])
        #expect(try rig.send([0x12, 18, 0, 7, 8, 9], phone) == [[0x13]])
        #expect(try rig.send([0x12, 18, 0, 0xFF], phone) == [[0x01, 0x12, 18, 0, 0x13]])
        // Invalid Attribute Value Length: the handler is not called.
        #expect(try rig.send([0x12, 18, 0, 1, 2, 3, 4], phone) == [[0x01, 0x12, 18, 0, 0x0D]])
        #expect(try rig.send([0x0A, 18, 0], phone) == [[0x0B, 7, 8, 9]])
        #expect(rig.device.state.written == [[7, 8, 9], [0xFF]])
    }

    /// A command has no response: a refused one is dropped (Part F, 3.4.5.3).
    @Test func commandsAreTakenOrDropped() throws {
        let device = device([.read, .writeWithoutResponse], value: [0]) { device, value in
            device.onWrite(value) { state, _, write in
                state.told.append("\(write.value) \(write.wantsAnswer)")
                return write.value == [2] ? .refuse(.valueNotAllowed) : .accept
            }
        }
        let rig = try ProgramRig(State(), [device])
        let phone = try rig.connected()
        #expect(try rig.send([0x52, 18, 0, 1], phone) == [])
        #expect(try rig.send([0x52, 18, 0, 2], phone) == [])
        #expect(rig.device.state.told == ["[1] false", "[2] false"])
        #expect(try rig.send([0x0A, 18, 0], phone) == [[0x0B, 1]])
    }

    /// A client may await an indication and the response at once, and receives them in the handler's order.
    @Test func anIndicationGoesBeforeTheWriteResponse() throws {
        let device = device([.write, .indicate]) { device, value in
            device.onWrite(value) { state, context, write in
                context.indicate(value, [0xAB] + write.value, to: write.link)
                return .accept
            }
            device.onConfirm(value) { state, _, _ in state.told.append("confirmed") }
            device.onSubscribe(value) { state, _, _, configuration in state.told.append("\(configuration.rawValue)") }
        }
        let rig = try ProgramRig(State(), [device])
        let phone = try rig.connected()
        #expect(try rig.send([0x12, 19, 0, 2, 0], phone) == [[0x13]])
        #expect(try rig.send([0x12, 18, 0, 7], phone) == [[0x1D, 18, 0, 0xAB, 7], [0x13]])
        // The second one waits for the confirmation of the first.
        #expect(try rig.send([0x12, 18, 0, 8], phone) == [[0x13]])
        #expect(try rig.send([0x1E], phone) == [[0x1D, 18, 0, 0xAB, 8]])
        #expect(try rig.send([0x1E], phone) == [])
        #expect(rig.device.state.told == ["2", "confirmed", "confirmed"])
    }

    @Test func linksAreTold() throws {
        let device = device(.read, value: [5]) { device, value in
            device.onConnect { state, context, link in state.told.append("up \(context.links == [link])") }
            device.onDisconnect { state, context, link in
                state.told.append("down \(context.links.isEmpty) \(context.description(of: link) == nil)")
            }
        }
        let rig = try ProgramRig(State(), [device])
        let phone = try rig.connected()
        try rig.disconnect(phone)
        #expect(rig.device.state.told == ["up true", "down true true"])
    }

    /// A stored value that the device changes.
    @Test func valuesAreSet() throws {
        let device = device(.read, value: [5], maximumCount: 2) { device, value in
            device.onConnect { state, context, _ in
                do throws(AttributeValueError) {
                    try context.setValue(value, [6, 7])
                    try context.setValue(value, [1, 2, 3])
                } catch {
                    state.told.append("\(error)")
                }
            }
        }
        let rig = try ProgramRig(State(), [device])
        let phone = try rig.connected()
        #expect(try rig.send([0x0A, 18, 0], phone) == [[0x0B, 6, 7]])
        #expect(rig.device.state.told == ["tooLong(maximum: 2)"])
    }

    /// Insufficient Authentication for a link that is not encrypted (Vol 3, Part C, 10.3.1), and the refusal of a
    /// pairing without Secure Connections (Part H, 3.5.5: Authentication Requirements), as reported to the handler.
    @Test func securityIsDemandedAndPairingIsTold() throws {
        var device = DeviceDefinition<State>(name: "test")
        device.pairing = SecurityPolicy()
        device.addService(BluetoothUUID(0xAA00))
        device.addCharacteristic(uuid, .read, security: .encrypted, value: [1])
        device.onPairing { state, _, _, notice in state.told.append("\(notice)") }
        let rig = try ProgramRig(State(), [device])
        let phone = try rig.connected()
        #expect(try rig.send([0x0A, 18, 0], phone) == [[0x01, 0x0A, 18, 0, 0x05]])
        // Pairing Request: no input or output, no OOB, bonding, key size 16, no keys.
        let request: [UInt8] = [0x02, 0x40, 0x20, 11, 0, 7, 0, 0x06, 0, 0x01, 0x03, 0x00, 0x01, 16, 0, 0]
        rig.device.receive(request.span, at: rig.air.now)
        #expect(
            rig.device.state.told == [
                "failed(Peripheral.PairingFailure.refused(Peripheral.PairingFailureReason(rawValue: 3)))"
            ])
    }
}
