// SPDX-License-Identifier: Apache-2.0

import AirRig
import HostLoop
import Peripheral
import Phone
import Testing
import Timekeeping
import VirtualRadio

/// Values that a `DeviceProgram` sends: their length, and the behaviour when a link has no room (Core 5.4, Vol 3,
/// Part F, 3.4.7).
@Suite struct ProgramSendingTests {
    struct State {
        var outcomes: [SendOutcome] = []
        var deliveries: [Delivery] = []
        var told: [String] = []
        var beats: [Instant] = []
    }

    /// A device that notifies when it is written to. The first octet of the written value is the number of values, the
    /// second their length. Each value begins with its number.
    private func source(_ sending: SendingPolicy) -> DeviceDefinition<State> {
        var device = DeviceDefinition<State>(name: "source")
        device.addService(BluetoothUUID(0xAA00))
        let values = device.addCharacteristic(BluetoothUUID(0xAA01), .notify, sending: sending)
        let control = device.addCharacteristic(BluetoothUUID(0xAA02), .write)
        device.onWrite(control) { state, context, write in
            for number in 0..<write.value[0] {
                let value = [number] + [UInt8](repeating: 0, count: Int(write.value[1]) - 1)
                state.outcomes.append(context.notify(values, value, to: write.link))
            }
            return .accept
        }
        device.onDrained { state, _, _ in state.told.append("drained") }
        return device
    }

    /// Values at 18, configuration at 19, control at 21; subscribed.
    private func rig(_ sending: SendingPolicy) throws -> (ProgramRig<State>, RecordingPhone) {
        var settings = ProgramSettings()
        settings.host.notificationQueueOctets = 1024
        let rig = try ProgramRig(State(), [source(sending)], profile: .minimal, settings: settings)
        let phone = try rig.connected()
        #expect(try rig.send([0x12, 19, 0, 1, 0], phone) == [[0x13]])
        return (rig, phone)
    }

    /// The numbers of the values that came.
    private func numbers(_ pdus: [[UInt8]]) -> [UInt8] { pdus.filter { $0[0] == 0x1B }.map { $0[3] } }

    @Test func aValueLongerThanTheLinkTakesIsAnOutcome() throws {
        let (rig, phone) = try rig(.latest)
        try rig.send([0x12, 21, 0, 1, 20], phone)
        try rig.send([0x12, 21, 0, 1, 21], phone)
        #expect(try rig.send([0x02, 100, 0], phone) == [[0x03, 0x05, 0x02]])
        try rig.send([0x12, 21, 0, 1, 97], phone)
        try rig.send([0x12, 21, 0, 1, 98], phone)
        #expect(rig.device.state.outcomes == [.sent, .tooLong(limit: 20), .sent, .tooLong(limit: 97)])
    }

    @Test func onlyWhoHasSubscribedGetsAnything() throws {
        let rig = try ProgramRig(State(), [source(.latest)])
        let phone = try rig.connected()
        #expect(try rig.send([0x12, 21, 0, 1, 5], phone) == [[0x13]])
        #expect(rig.device.state.outcomes == [.notSubscribed])
    }

    /// The newest value comes last, and all values sent before it come in order.
    @Test func theLatestWaits() throws {
        let (rig, phone) = try rig(.latest)
        let came = numbers(try rig.send([0x12, 21, 0, 200, 20], phone, wait: .seconds(10)))
        let outcomes = rig.device.state.outcomes
        let sent = outcomes.count { $0 == .sent }
        #expect(sent > 10 && sent < 199)
        #expect(outcomes[sent] == .waiting)
        #expect(outcomes[(sent + 1)...].allSatisfy { $0 == .replaced })
        #expect(came == Array(0..<UInt8(sent)) + [199])
        #expect(rig.device.state.told == ["drained"])
        #expect(rig.controller.violations == [])
    }

    @Test func aQueueLosesNothingAndSaysWhenItIsFull() throws {
        let (rig, phone) = try rig(.queue(5))
        let came = numbers(try rig.send([0x12, 21, 0, 200, 20], phone, wait: .seconds(10)))
        let outcomes = rig.device.state.outcomes
        let sent = outcomes.count { $0 == .sent }
        #expect(outcomes[sent..<(sent + 5)].allSatisfy { $0 == .waiting })
        #expect(outcomes[(sent + 5)...].allSatisfy { $0 == .full })
        #expect(came == Array(0..<UInt8(sent + 5)))
        #expect(rig.device.state.told == ["drained"])
    }

    @Test func nothingWaitsWhereNothingIsToWait() throws {
        let (rig, phone) = try rig(.immediate)
        let came = numbers(try rig.send([0x12, 21, 0, 200, 20], phone, wait: .seconds(10)))
        let sent = rig.device.state.outcomes.count { $0 == .sent }
        #expect(rig.device.state.outcomes[sent...].allSatisfy { $0 == .full })
        #expect(came == Array(0..<UInt8(sent)))
        #expect(rig.device.state.told == [])
    }

    /// Values that wait for a link are discarded with it.
    @Test func aDeadLinksValuesReachNobody() throws {
        let (rig, phone) = try rig(.queue(100))
        try rig.send([0x12, 21, 0, 200, 20], phone, wait: .milliseconds(60))
        #expect(rig.device.state.outcomes.contains(.waiting))
        let link = try #require(phone.link)
        phone.central.disconnect(link, at: rig.air.now)
        rig.run(.seconds(3))
        let next = try rig.connected()
        #expect(try rig.send([0x12, 19, 0, 1, 0], next, wait: .seconds(5)) == [[0x13]])
        #expect(rig.device.state.told == [])
    }

    /// A client that unsubscribes does not receive the values that wait.
    @Test func unsubscribingDropsWhatWaits() throws {
        let (rig, phone) = try rig(.queue(100))
        try rig.send([0x12, 21, 0, 200, 20], phone, wait: .milliseconds(60))
        let came = numbers(try rig.send([0x12, 19, 0, 0, 0], phone, wait: .seconds(10)))
        let sent = rig.device.state.outcomes.count { $0 == .sent }
        #expect(came.count < sent)
        #expect(rig.device.state.told == ["drained"])
    }

    @Test func allSubscribersAreCounted() throws {
        var device = DeviceDefinition<State>(name: "source")
        device.addService(BluetoothUUID(0xAA00))
        let values = device.addCharacteristic(BluetoothUUID(0xAA01), [.notify, .indicate])
        device.every(.seconds(1), whileSubscribed: values) { state, context in
            state.deliveries.append(context.notify(values, [UInt8](repeating: 1, count: 21)))
            state.deliveries.append(context.indicate(values, [2]))
        }
        let rig = try ProgramRig(State(), [device])
        let phones = [try rig.connected(), try rig.connected(), try rig.connected()]
        try rig.send([0x02, 100, 0], phones[0])
        for phone in phones[0...1] { try rig.send([0x12, 19, 0, 1, 0], phone) }
        try rig.send([0x12, 19, 0, 2, 0], phones[2])
        for phone in phones { phone.received.removeAll() }
        rig.run(.milliseconds(1000))
        let (notified, indicated) = (rig.device.state.deliveries[0], rig.device.state.deliveries[1])
        #expect(notified.sent == 1 && notified.tooLong == 1 && notified.waiting == 0)
        #expect(indicated.sent == 1)
        #expect(phones.map(\.pdus.count) == [1, 0, 1])
        #expect(phones[2].pdus == [[0x1D, 18, 0, 2]])
    }

    /// Timer ticks follow the clock, however late the shell is; missed ones are skipped.
    @Test func aRhythmKeepsItsTime() throws {
        var device = DeviceDefinition<State>(name: "beat")
        device.every(.milliseconds(100)) { state, context in state.beats.append(context.now) }
        var program = try DeviceProgram(State(), devices: [device], keys: ProgramRig<State>.keys())
        let start = Instant(nanoseconds: 1_000_000_000)
        program.start(at: start)
        for milliseconds in [99, 100, 130, 200, 450, 460, 550] {
            program.advance(to: start + .milliseconds(milliseconds))
        }
        let beats = program.state.beats.map { ($0 - start).wholeMilliseconds }
        #expect(beats == [100, 200, 450, 550])
        let next = program.nextDeadline
        #expect(try #require(next) <= start + .milliseconds(650))
    }
}
