// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import Timekeeping

@testable import Peripheral

@Suite struct BringUpTests {
    @Test func extendedControllerTranscript() throws {
        let rig = try Rig(.extended, sets: [Sample.set(1), Sample.set(2, Sample.beacon)]).started()
        #expect(
            rig.takeCommands() == [
                "030c00", "021000", "011000", "032000",
                "010c08" + "9080000200800020",
                "012008" + "550a020000000000",
                "022000", "091000", "3b2000",
                "052006" + "0144332211c0",
                "362019" + "01" + "1300" + "a00000" + "a00000" + "07" + "01" + "00" + "000000000000" + "00" + "7f"
                    + "01" + "00" + "01" + "00" + "00",
                "352007" + "01" + "0144332211c0",
                "372023" + "01" + "03" + "01" + "1f" + "0303bafc0dff5e0c0000000000000000000009097761307931597753020ab3",
                "382023" + "01" + "03" + "01" + "1f" + "14ff5e0c000501003412c3b2a1650000000000000009097761307931597753",
                "362019" + "02" + "1300" + "a00000" + "a00000" + "07" + "01" + "00" + "000000000000" + "00" + "7f"
                    + "01" + "00" + "01" + "00" + "00",
                "352007" + "02" + "0244332211c0",
                "372023" + "02" + "03" + "01" + "1f" + "0303bafc1aff4c0002153abe6601d90d497588b78e3fe83a687a77613079b3",
                "382023" + "02" + "03" + "01" + "1f" + "14ff5e0c000501003412c3b2a1650000000000000009097761307931597753",
                "39200a" + "01" + "02" + "01000000" + "02000000",
            ])
        #expect(
            rig.events == [
                .ready(
                    ControllerDescription(
                        hciVersion: 0x0D, manufacturer: 0x0059, extendedAdvertising: true, advertisingSets: 4,
                        readsRSSI: true, aclDataLength: 251, aclPackets: 8))
            ])
        #expect(rig.host.nextDeadline == nil)
    }

    @Test func legacyControllerTranscript() throws {
        let rig = try Rig(.legacy, sets: [Sample.set(1)]).started()
        #expect(
            rig.takeCommands() == [
                "030c00", "021000", "011000", "032000", "010c089080000200800020", "012008550a020000000000", "022000",
                "091000",
                "052006" + "0144332211c0",
                "06200f" + "a000" + "a000" + "00" + "01" + "00" + "000000000000" + "07" + "00",
                "082020" + "1f" + "0303bafc0dff5e0c0000000000000000000009097761307931597753020ab3",
                "092020" + "1f" + "14ff5e0c000501003412c3b2a1650000000000000009097761307931597753",
                "0a2001" + "01",
            ])
        guard case .ready(let description) = rig.events.first else {
            Issue.record("not ready: \(rig.events)")
            return
        }
        #expect(!description.extendedAdvertising && description.advertisingSets == 1)
    }

    @Test func suggestedDataLengthOnlyIfListed() throws {
        var controller = ScriptedController.legacy
        controller.supported[34] = 0x01
        let rig = try Rig(controller).started()
        #expect(rig.takeCommands().last == "242004" + "fb00" + "4808")
    }

    /// Core 5.4, Vol 4, Part E, 7.8.2: zeros mean that the buffers are shared.
    @Test(arguments: [[0, 0, 0], [0xFB, 0, 0], [0, 0, 8]] as [[UInt8]])
    func sharedBuffersAreAskedFor(leBuffers: [UInt8]) throws {
        var controller = ScriptedController.legacy
        controller.leBuffers = leBuffers
        let rig = try Rig(controller).started()
        #expect(rig.takeOpcodes().suffix(2) == [0x1005, 0x1009])
        guard case .ready(let description) = rig.events.first else {
            Issue.record("not ready: \(rig.events)")
            return
        }
        #expect(description.aclDataLength == 310 && description.aclPackets == 10)
    }

    /// A controller without LE Read Buffer Size [v1] receives the listed command, then the mandatory one.
    @Test func buffersToldInAnotherWay() throws {
        for hasV2 in [true, false] {
            var controller = ScriptedController.legacy
            if hasV2 { controller.supported[41] = 0x20 }
            controller.refused = [0x2002: 0x01]
            let rig = try Rig(controller).started()
            let opcodes: [UInt16] = hasV2 ? [0x2002, 0x2060, 0x1009] : [0x2002, 0x1005, 0x1009]
            #expect(Array(rig.takeOpcodes().suffix(3)) == opcodes)
            let buffers: [Int] = hasV2 ? [27, 3] : [310, 10]
            #expect(rig.aclBuffers == buffers)
        }
        // [v2] is no better: the last way.
        for answer in [[0x01], [0, 0xFB, 0, 8], [0, 0, 0, 0, 0, 0, 0]] as [[UInt8]] {
            var controller = ScriptedController.legacy
            controller.supported[41] = 0x20
            controller.leBuffers = [0, 0, 0]
            controller.answers = [0x2060: [answer]]
            let rig = try Rig(controller).started()
            #expect(rig.takeOpcodes().suffix(4) == [0x2002, 0x2060, 0x1005, 0x1009])
            #expect(rig.aclBuffers == [310, 10])
        }
    }

    @Test func absurdBuffersAreUnsuitable() throws {
        for answers in [
            [0x2002: [[0, 26, 0, 8]]], [0x2002: [[0, 0, 0, 0]], 0x1005: [[0, 0, 0, 0, 0, 0, 0, 0]]],
            [0x2002: [[0, 0, 0, 0]], 0x1005: [[0, 26, 0, 0, 1, 0, 0, 0]]],
            [0x2002: [[0, 0, 0, 0]], 0x1005: [[0, 27, 0, 0, 0, 0, 0, 0]]],
        ] as [[UInt16: [[UInt8]]]] {
            var controller = ScriptedController.legacy
            controller.answers = answers
            let rig = try Rig(controller).started()
            guard case .controllerFailed(.unsuitable) = rig.events.first else {
                Issue.record("accepted: \(answers) \(rig.events)")
                continue
            }
            // The next attempt gets sizes that will do.
            guard case .ready = rig.events.last else {
                Issue.record("not started again: \(rig.events)")
                continue
            }
        }
    }

    /// A controller with only the required commands works; each refusal is one octet.
    @Test func optionalCommandsMayBeRefused() throws {
        var controller = ScriptedController.legacy
        controller.refused = [0x1002: 1, 0x1001: 1, 0x2003: 1, 0x1009: 1]
        let rig = try Rig(controller, sets: [Sample.set(1)]).started()
        #expect(rig.takeOpcodes().last == 0x200A)
        #expect(
            rig.events == [
                .ready(
                    ControllerDescription(
                        hciVersion: 0, manufacturer: 0, extendedAdvertising: false, advertisingSets: 1,
                        readsRSSI: false, aclDataLength: 251, aclPackets: 8))
            ])
    }

    @Test func optionalCommandsMayStayUnanswered() throws {
        var controller = ScriptedController.extended
        controller.silent = [0x1001, 0x203B]
        let rig = try Rig(controller, sets: [Sample.set(1), Sample.set(2)]).started()
        #expect(rig.takeOpcodes() == [0x0C03, 0x1002, 0x1001])
        // Given up sooner than others, but the next command waits for its credit.
        #expect(rig.host.nextDeadline == Instant.origin + .milliseconds(500))
        rig.run(to: 1999)
        #expect(rig.takeOpcodes() == [])
        rig.run(to: 3999)
        #expect(rig.takeOpcodes().last == 0x203B)
        rig.run(to: 4000)
        // The number of sets is not known: one is certain, and both sets share it in turn.
        #expect(rig.takeCommands().last == "392006" + "0101" + "01000000")
        rig.run(to: 4100)
        #expect(rig.takeCommands().last == "392006" + "0101" + "02000000")
        #expect(rig.host.unservedAdvertisingSets == [])
    }

    @Test(arguments: [0x0C03, 0x0C01, 0x2001, 0x2002] as [UInt16])
    func necessaryCommandsAreTriedAgainWithPauses(opcode: UInt16) throws {
        var controller = ScriptedController.legacy
        controller.refused = [opcode: 0x03]
        let rig = try Rig(controller).started()
        let fault = HostEvent.controllerFailed(.commandRefused(opcode: opcode, .hardwareFailure))
        // The first attempt again at once, then after 250, 500, 1000 ms.
        #expect(rig.takeEvents() == [fault, fault])
        #expect(rig.host.nextDeadline == Instant.origin + .milliseconds(250))
        rig.run(to: 249)
        #expect(rig.takeEvents() == [])
        rig.run(to: 250)
        #expect(rig.takeEvents() == [fault])
        rig.run(to: 750)
        #expect(rig.takeEvents() == [fault])
        rig.run(to: 60_000)
        // 1, 2, 4, 8, 8 … s.
        #expect(rig.takeEvents().count == 9)
        rig.controller.refused = [:]
        rig.run(to: 70_000)
        guard case .ready = rig.events.last else {
            Issue.record("not started at last: \(rig.events)")
            return
        }
    }

    @Test func necessaryCommandWithoutAnswer() throws {
        var controller = ScriptedController.legacy
        controller.silent = [0x0C01]
        let rig = try Rig(controller).started()
        rig.run(to: 2000)
        #expect(rig.takeEvents() == [.controllerFailed(.commandTimeout(opcode: 0x0C01))])
        #expect(rig.takeOpcodes().filter { $0 == 0x0C03 }.count == 2)
    }

    /// A success without return parameters is a refusal.
    @Test func shortSuccessIsARefusal() throws {
        var controller = ScriptedController.legacy
        controller.answers = [0x2002: [[0]], 0x1009: [[0, 1, 2]], 0x1001: [[]]]
        let rig = try Rig(controller).started()
        #expect(rig.events.first == .controllerFailed(.commandRefused(opcode: 0x2002, .unspecifiedError)))
        guard case .ready = rig.events.last else {
            Issue.record("not started again")
            return
        }
    }

    /// Octets that a later version appends to return parameters are ignored.
    @Test func longerReturnParameters() throws {
        var controller = ScriptedController.legacy
        controller.answers = [0x2002: [[0, 0xFB, 0, 8, 0x20, 0, 4]]]
        let rig = try Rig(controller).started()
        guard case .ready(let description) = rig.events.first else {
            Issue.record("not ready")
            return
        }
        #expect(description.aclPackets == 8)
    }

    /// Core 5.4, Vol 4, Part E, 4.4: one command at a time, and none while the controller permits 0.
    @Test func commandCreditsAreRespected() throws {
        let rig = try Rig(.legacy)
        rig.isAnswering = false
        rig.start()
        #expect(rig.takeOpcodes() == [0x0C03])
        rig.send([0x04, 0x0E, 0x04, 0x00, 0x03, 0x0C, 0x00])
        #expect(rig.takeOpcodes() == [])
        // Answers for commands that were not sent, or long ago, change nothing.
        rig.send([0x04, 0x0E, 0x04, 0x00, 0x03, 0x0C, 0x00])
        rig.send([0x04, 0x0E, 0x04, 0x00, 0x02, 0x20, 0x00])
        rig.run(to: 1900)
        #expect(rig.takeOpcodes() == [])
        rig.send([0x04, 0x0E, 0x03, 0x01, 0x00, 0x00])
        #expect(rig.takeOpcodes() == [0x1002])
        // More credits are not a reason to send two.
        rig.send([0x04, 0x0E, 0x03, 0x05, 0x00, 0x00])
        #expect(rig.takeOpcodes() == [])
    }

    /// A controller that permits 0 commands without a further event delays the host for one command time-out at most.
    @Test func creditsThatNeverComeBack() throws {
        let rig = try Rig(.legacy)
        rig.isAnswering = false
        rig.start()
        rig.send([0x04, 0x0E, 0x04, 0x00, 0x03, 0x0C, 0x00])
        rig.isAnswering = true
        _ = rig.takeOpcodes()
        rig.run(to: 2000)
        #expect(rig.takeOpcodes().first == 0x1002)
        guard case .ready = rig.events.last else {
            Issue.record("not started: \(rig.events)")
            return
        }
    }

    @Test func duplicateAndUnaskedAnswersWhileRunning() throws {
        let rig = try Rig(.extended, sets: [Sample.set(1)]).started()
        _ = (rig.takeOpcodes(), rig.takeEvents())
        rig.send([0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00])
        rig.send([0x04, 0x0E, 0x04, 0x01, 0x39, 0x20, 0x0C])
        rig.send([0x04, 0x0F, 0x04, 0x0C, 0x01, 0x06, 0x04])
        rig.send([0x04, 0x0E, 0x07, 0x01, 0x05, 0x14, 0x00, 0x40, 0x00, 0xC4])
        #expect(rig.takeOpcodes() == [] && rig.takeEvents() == [])
    }

    @Test func hardwareError() throws {
        let rig = try Rig(.extended, sets: [Sample.set(1)]).started()
        rig.join()
        let links = rig.takeEvents().compactMap { if case .connected(let link, _) = $0 { link } else { nil } }
        _ = rig.takeOpcodes()
        rig.send([0x04, 0x10, 0x01, 0x42])
        let events = rig.takeEvents()
        #expect(
            events.prefix(2) == [
                .disconnected(links[0], reason: .hardwareFailure), .controllerFailed(.hardwareError(code: 0x42)),
            ])
        guard case .ready = events.last else {
            Issue.record("not started again: \(events)")
            return
        }
        let opcodes = rig.takeOpcodes()
        #expect(opcodes.first == 0x0C03 && opcodes.last == 0x2039)
    }

    @Test func transportLostAndBack() throws {
        let rig = try Rig(.extended, sets: [Sample.set(1)]).started()
        rig.join()
        _ = rig.takeEvents()
        rig.act { $0.transportLost(at: $1) }
        #expect(rig.takeEvents().last == .controllerFailed(.transportLost))
        #expect(rig.host.nextDeadline == nil)
        _ = rig.takeOpcodes()
        rig.run(to: 60_000)
        rig.send([0x04, 0x10, 0x01, 0x42])
        #expect(rig.takeOpcodes() == [] && rig.takeEvents() == [])
        rig.start()
        #expect(rig.takeOpcodes().last == 0x2039)
    }
}
