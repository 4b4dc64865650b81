// SPDX-License-Identifier: Apache-2.0

import Configuration
import Peripheral
import Reader
import TestSupport
import Testing
import Timekeeping

@testable import readerd

@Suite struct ControllerTrialTests {
    private static let name = TransportName.unix(path: "c")

    private func trial(
        _ modes: [ReaderSettings.Mode] = [.onTouch, .access], gated: [ReaderSettings.Mode] = [],
        limited: [ReaderSettings.Mode] = [], interval: Duration = .milliseconds(100)
    ) throws -> ControllerTrial {
        let modes = modes.enumerated().map { number, mode in
            ControllerTrial.Mode(
                mode: mode,
                set: AdvertisingSet(
                    id: UInt8(number), address: .randomStatic(from: UInt64(number) + 0x1000),
                    data: [0x02, 0x01, 0x06], scanResponse: [], interval: interval))
        }
        return try ControllerTrial(ControllerTrialTests.name, modes: modes, gated: gated, limited: limited)
    }

    @Test func everyModeGoesOnTheAirAndOffAgain() throws {
        var controller = ScriptedController.trial()
        var trial = try trial()
        controller.run(&trial)
        #expect(
            trial.controllerOutcome
                == .ok(
                    "unix:c: 11:22:33:44:55:66, maker 0x000F, HCI version 13, extended advertising, 4 sets, reads RSSI")
        )
        #expect(
            trial.advertisingOutcome
                == .ok("on-touch C0:00:00:00:10:00, access C0:00:00:00:10:01: started and stopped"))
        #expect(controller.received.first == [0x01, 0x03, 0x0C, 0x00])
        // LE Set Extended Advertising Enable (Core 5.4, Vol 4, Part E, 7.8.56): on for both, and off at the end.
        let enables = controller.received.filter { $0[1] == 0x39 && $0[2] == 0x20 }
        #expect(enables.contains { $0[4] == 1 })
        #expect(controller.received.last?.prefix(5) == [0x01, 0x39, 0x20, 0x02, 0x00] || enables.last?[4] == 0)
        #expect(controller.received.last == enables.last)
    }

    @Test func oneAdvertiserTakesThemInTurn() throws {
        var controller = ScriptedController.trial(isExtended: false)
        var trial = try trial([.classic, .onTouch, .access])
        controller.run(&trial)
        #expect(!trial.controllerOutcome.hasFailed && trial.controllerOutcome.detail.contains("legacy advertising"))
        #expect(!trial.advertisingOutcome.hasFailed)
        // Each with its own address (LE Set Random Address), and LE Set Advertising Enable off at the end.
        #expect(Set(controller.received.filter { $0[1] == 0x05 && $0[2] == 0x20 }).count == 3)
        #expect(controller.received.last == [0x01, 0x0A, 0x20, 0x01, 0x00])
    }

    @Test func aLongIntervalIsNotWaitedFor() throws {
        var controller = ScriptedController.trial(isExtended: false)
        var trial = try trial([.classic, .onTouch, .access], interval: .milliseconds(10_240))
        controller.run(&trial, limit: .seconds(1))
        #expect(!trial.advertisingOutcome.hasFailed)
    }

    @Test func withoutModesOnlyTheControllerIsTried() throws {
        var controller = ScriptedController.trial()
        var trial = try trial([])
        controller.run(&trial)
        #expect(!trial.controllerOutcome.hasFailed)
        #expect(trial.advertisingOutcome == .notConfigured("advertising.modes is empty"))
        #expect(!controller.received.contains { $0[1] == 0x39 && $0[2] == 0x20 && $0[4] == 1 })
    }

    @Test func aControllerThatIgnoresAResetIsStartedAgainAndOneThatIgnoresAllFails() throws {
        var once = ScriptedController.trial { $0.ignored = [0x0C03: 1] }
        var trial = try trial()
        once.run(&trial)
        #expect(!trial.controllerOutcome.hasFailed && !trial.advertisingOutcome.hasFailed)
        var silent = ScriptedController.trial { $0.silent = [0x0C03] }
        var other = try self.trial()
        silent.run(&other)
        #expect(
            other.controllerOutcome
                == .failed(
                    "unix:c: no answer to command 0x0C03; check power, rate and flow control"))
        #expect(other.advertisingOutcome == .failed("not tested: see controller"))
        #expect(silent.received.count == 2)
    }

    @Test func aGatedModeNeedsRSSI() throws {
        var controller = ScriptedController.trial { $0.supported[15] = 0 }
        var gated = try trial(gated: [.access])
        controller.run(&gated)
        #expect(
            gated.controllerOutcome.hasFailed && gated.controllerOutcome.detail.contains("needed by the modes access"))
        #expect(!gated.advertisingOutcome.hasFailed)
        var open = try trial()
        controller.run(&open)
        #expect(!open.controllerOutcome.hasFailed)
    }

    @Test func aLimitOfThePathLossNeedsLEPowerControl() throws {
        for (features, isSound) in [(UInt8(0), false), (0x06, true)] {
            var controller = ScriptedController.trial {
                $0.supported[44] = 0x90
                $0.features[4] = features
            }
            var limited = try trial(gated: [.onTouch, .access], limited: [.access])
            controller.run(&limited)
            #expect(limited.controllerOutcome.hasFailed == !isSound)
            #expect(isSound || limited.controllerOutcome.detail.contains("needed by the modes access; replace"))
            #expect(!limited.advertisingOutcome.hasFailed)
        }
    }

    /// Invalid parameters (0x12) for what makes a set: the mode is named.
    @Test func aSetThatTheControllerRefusesIsNamed() throws {
        var controller = ScriptedController.trial { $0.refused = [0x2036: 0x12] }
        var trial = try trial()
        controller.run(&trial)
        #expect(!trial.controllerOutcome.hasFailed)
        #expect(trial.advertisingOutcome.hasFailed)
        #expect(trial.advertisingOutcome.detail.hasPrefix("on-touch, access not on the air: "))
    }

    @Test func aSetThatNoControllerCanTakeIsNamed() throws {
        var controller = ScriptedController.trial()
        var trial = try trial(interval: .milliseconds(1))
        controller.run(&trial)
        #expect(
            trial.advertisingOutcome
                == .failed(
                    "on-touch, access cannot be advertised as configured; check advertising.interval-ms and the "
                        + "identifiers"))
        #expect(!trial.controllerOutcome.hasFailed)
    }

    @Test func anEndOfAdvertisingThatFailsIsAFault() throws {
        var controller = ScriptedController.trial(isExtended: false)
        var trial = try trial([.access])
        var now = Instant.origin
        trial.start(at: now)
        var packet: [UInt8] = []
        while !trial.isDone {
            if trial.popPacket(into: &packet) {
                guard packet != [0x01, 0x0A, 0x20, 0x01, 0x00] else { continue }
                if let answer = controller.receive(packet) { trial.receive(answer.span, at: now) }
            } else if let deadline = trial.nextDeadline {
                now = max(now, deadline)
                trial.advance(to: now)
            } else {
                trial.fail("stuck")
            }
        }
        #expect(trial.advertisingOutcome.hasFailed)
        #expect(trial.advertisingOutcome.detail.contains("could not be stopped"))
    }

    @Test func whoConnectsMeanwhileIsDisconnected() throws {
        var controller = ScriptedController.trial(isExtended: false) { $0.silent = [0x0406] }
        var trial = try trial([.classic, .access])
        trial.start(at: .origin)
        var packet: [UInt8] = []
        var isConnected = false
        var disconnects: [[UInt8]] = []
        var now = Instant.origin
        while !trial.isDone {
            if trial.popPacket(into: &packet) {
                if packet.starts(with: [0x01, 0x06, 0x04]) {
                    disconnects.append(packet)
                    // Command Status, then Disconnection Complete.
                    trial.receive(([0x04, 0x0F, 0x04, 0x00, 0x01, 0x06, 0x04] as [UInt8]).span, at: now)
                    trial.receive(([0x04, 0x05, 0x04, 0x00, 0x40, 0x00, 0x16] as [UInt8]).span, at: now)
                    continue
                }
                if let answer = controller.receive(packet) { trial.receive(answer.span, at: now) }
                guard packet == [0x01, 0x0A, 0x20, 0x01, 0x01], !isConnected else { continue }
                isConnected = true
                let complete: [UInt8] = [
                    0x04, 0x3E, 0x13, 0x01, 0x00, 0x40, 0x00, 0x01, 0x01, 1, 2, 3, 4, 5, 0xC6, 0x18, 0x00, 0x00, 0x00,
                    0xF4, 0x01, 0x00,
                ]
                trial.receive(complete.span, at: now)
            } else if let deadline = trial.nextDeadline {
                now = max(now, deadline)
                trial.advance(to: now)
            } else {
                trial.fail("stuck")
            }
        }
        // Reason 0x15, remote device terminated due to power off (Core 5.4, Vol 1, Part F, 2.21).
        #expect(disconnects == [[0x01, 0x06, 0x04, 0x03, 0x40, 0x00, 0x15]])
        #expect(!trial.advertisingOutcome.hasFailed)
    }

    /// Read BD_ADDR (Core 5.4, Vol 4, Part E, 7.4.6), whole, cut at every length, and with an octet too many.
    @Test func thePublicAddress() {
        let answer: [UInt8] = [0x04, 0x0E, 0x0A, 0x01, 0x09, 0x10, 0x00, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11]
        let address = ControllerTrial.publicAddress(in: answer.span)
        #expect(address == BluetoothAddress(kind: .public, value: 0x1122_3344_5566))
        for count in answer.indices {
            let part = Array(answer[..<count])
            let cut = ControllerTrial.publicAddress(in: part.span)
            #expect(cut == nil)
        }
        let tooMany = answer + [0]
        let long = ControllerTrial.publicAddress(in: tooMany.span)
        #expect(long == nil)
        for index in [0, 1, 2, 4, 5, 6] {
            var other = answer
            other[index] ^= 0x80
            let found = ControllerTrial.publicAddress(in: other.span)
            #expect(found == nil)
        }
    }
}

extension ScriptedController {
    /// A controller on which a trial succeeds, unless `change` prevents it.
    fileprivate static func trial(
        isExtended: Bool = true, _ change: (inout ScriptedController) -> Void = { _ in }
    ) -> ScriptedController {
        var controller = isExtended ? extended : legacy
        controller.version = [0x0D, 0x00, 0x00, 0x0D, 0x0F, 0x00, 0x00, 0x00]
        controller.address = [0x66, 0x55, 0x44, 0x33, 0x22, 0x11]
        change(&controller)
        return controller
    }

    /// Every packet that it was sent.
    fileprivate var received: [[UInt8]] { commands.map { [0x01] + $0 } }

    /// Runs a trial against it, to its verdict or the time limit.
    fileprivate mutating func run(_ trial: inout ControllerTrial, limit: Duration = .seconds(30)) {
        var now = Instant.origin
        let end = now + limit
        trial.start(at: now)
        while !trial.isDone {
            var packet: [UInt8] = []
            if trial.popPacket(into: &packet) {
                if let answer = receive(packet) { trial.receive(answer.span, at: now) }
                continue
            }
            guard let deadline = trial.nextDeadline, deadline < end else { return trial.fail("time is up") }
            now = max(now, deadline)
            trial.advance(to: now)
        }
    }
}
