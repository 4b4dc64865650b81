// SPDX-License-Identifier: Apache-2.0

import AirRig
import TestSupport
import HostLoop
import Peripheral
import Phone
import Testing
import Timekeeping
import VirtualRadio

/// Events that do not come from a client: the state's deadlines, and input from outside the program.
@Suite struct ProgramTimeTests {
    struct Log {
        var due: Instant?
        var times: [Int64] = []
        var reasons: [HCIStatus?] = []
    }

    private static func device(_ name: String) -> DeviceDefinition<Log> {
        var device = DeviceDefinition<Log>(name: name)
        device.addService(BluetoothUUID(0xAA00))
        device.addCharacteristic(BluetoothUUID(0xAA01), .read, value: [1])
        device.onConnect { log, context, _ in log.reasons.append(context.disconnectReason) }
        device.onDisconnect { log, context, _ in log.reasons.append(context.disconnectReason) }
        return device
    }

    @Test func theStatesDeadlineIsMet() throws {
        var settings = ProgramSettings()
        settings.host.verificationPeriod = nil
        let rig = try ProgramRig(Log(), [Self.device("one")], settings: settings)
        let start = rig.air.now
        rig.device.onDeadline({ $0.due }) { log, context in
            log.times.append((context.now - start).wholeMilliseconds)
            log.due = log.times.count < 3 ? context.now + .milliseconds(70) : nil
        }
        rig.device.act(at: start) { log, _ in log.due = start + .milliseconds(30) }
        rig.run(.seconds(1))
        #expect(rig.device.state.times == [30, 100, 170])
        #expect(rig.device.nextDeadline == nil)
    }

    @Test func whyALinkHasEndedIsKnownToItsHandlerAlone() throws {
        let rig = try ProgramRig(Log(), [Self.device("one")])
        try rig.disconnect(try rig.connected())
        _ = try rig.connected()
        rig.device.act(at: rig.air.now) { _, context in
            for link in context.links { context.disconnect(link) }
        }
        rig.run(.milliseconds(200))
        #expect(rig.device.state.reasons == [nil, .remoteUserTerminated, nil, .localHostTerminated])
    }

    @Test func oneDeviceIsTakenOffTheAirAndComesBack() throws {
        let rig = try ProgramRig(Log(), [Self.device("one"), Self.device("two")])
        func found() throws -> Set<BluetoothAddress> { Set(try rig.listening().found.map(\.address)) }
        let (one, two) = (rig.keys.address(ofDevice: 0), rig.keys.address(ofDevice: 1))
        #expect(try found() == [one, two])
        rig.device.act(at: rig.air.now) { _, context in
            let number = context.withDevice(1) { context in
                context.setAdvertised(false)
                return context.device
            }
            #expect(number == 1 && context.device == 0)
            #expect(context.withDevice(2) { _ in true } == nil)
        }
        rig.run(.milliseconds(50))
        #expect(try found() == [one])
        rig.device.act(at: rig.air.now) { _, context in
            context.setAdvertised(false)
            _ = context.withDevice(1) { $0.setAdvertised(true) }
        }
        rig.run(.milliseconds(50))
        #expect(try found() == [two])
        rig.device.act(at: rig.air.now) { _, context in _ = context.withDevice(1) { $0.setAdvertised(false) } }
        rig.run(.milliseconds(50))
        #expect(try found() == [])
        #expect(rig.controller.violations == [])
    }
}
