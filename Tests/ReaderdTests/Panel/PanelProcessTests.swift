// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import JSON
import OSDP
import Reader
import System
import TestSupport
import Testing
import Timekeeping

@testable import readerd

/// A whole reader on a panel's line, which is a pseudo-terminal.
@Suite struct PanelProcessTests {
    /// The panel's end of a line, in clear.
    private final class Line {
        private let terminal: PseudoTerminal
        private var sequence: UInt8 = 0

        init() throws { terminal = try PseudoTerminal() }

        var path: String { terminal.path }

        /// The reply to a command.
        func send(_ command: OSDPCommand) throws -> OSDPReply {
            let frame = OSDPFrame(
                address: 0, isReply: false, sequence: sequence, check: .crc, code: command.code.rawValue,
                data: command.data)
            sequence = sequence % 3 + 1
            let octets = frame.octets
            try #require(write(terminal.descriptor, octets, octets.count) == octets.count)
            var (answer, repetitions) = ([UInt8](), 0)
            while true {
                var poll = pollfd(fd: terminal.descriptor, events: Int16(POLLIN), revents: 0)
                // A device that waits for its processor does not answer late: the panel repeats the command.
                guard Glibc.poll(&poll, 1, 1000) == 1 else {
                    repetitions += 1
                    try #require(repetitions < 20, "no reply to \(command)")
                    try #require(write(terminal.descriptor, octets, octets.count) == octets.count)
                    continue
                }
                var octets = [UInt8](repeating: 0, count: 256)
                let count = read(terminal.descriptor, &octets, octets.count)
                try #require(count > 0)
                answer += octets.prefix(count)
                let content = Array(answer.dropFirst())
                guard let reply = try? OSDPFrame(content.span) else { continue }
                return try OSDPReply(code: reply.code, reply.data.span)
            }
        }
    }

    private func inputs(_ states: [Bool]) -> OSDPReply { .inputStatus(states.map { OSDPInputState(isActive: $0) }) }

    private func rig(_ line: Line, _ more: String = "") throws -> ProcessRig {
        try ProcessRig(configuration: "[osdp]\nline = \"\(line.path)\"\n\(more)")
    }

    private func status(_ path: String) throws -> JSONNode? {
        try JSONParser.parse(Array((BlockingClient(path).ask(#"{"get":"status"}"#) ?? "").utf8))["osdp"]
    }

    @Test func withoutALineThereIsNothing() throws {
        let rig = try ProcessRig()
        try rig.serve { client, _ in
            #expect(client.ask(#"{"osdp-install":300}"#)?.contains(#""refused":"no-panel""#) == true)
            #expect(client.ask(#"{"get":"status"}"#)?.contains("osdp") == false)
        }
    }

    @Test func theStatesOfTheDoorAreInputsAndTheLockIsAnOutput() throws {
        let line = try Line()
        let rig = try rig(line, "allow-clear = true\n")
        nonisolated(unsafe) let panel = line
        try rig.run { path, rig in
            // The line is open once the loop runs; what came before is flushed.
            rig.onLoop {}
            // No controller answers, and there is no NFC chip.
            #expect(try panel.send(.poll) == .readerStatus([1]))
            #expect(try panel.send(.poll) == .acknowledged)
            #expect(try panel.send(.inputStatus) == inputs([false, false, false, false]))
            for (input, states) in [
                (DoorInput.contact, [true, false, false, false]), (.exit, [true, true, false, true]),
                (.fire, [true, true, true, true]),
            ] {
                rig.onLoop {
                    let process = rig.process
                    for isActive in [false, true] {
                        process.receive(
                            [.level(isActive, since: process.reactor.now + .milliseconds(-100))], of: input)
                    }
                }
                // Once the level has lasted for the debounce time.
                var answer = try panel.send(.inputStatus)
                for _ in 0..<10_000 where answer != inputs(states) { answer = try panel.send(.inputStatus) }
                #expect(answer == inputs(states), "\(input)")
            }
            #expect(try panel.send(.outputStatus) == .outputStatus([true]))
            rig.onLoop {
                let process = rig.process
                for isActive in [false, true] {
                    process.receive([.level(isActive, since: process.reactor.now + .milliseconds(-100))], of: .tamper)
                }
            }
            let tampered = OSDPReply.localStatus(isTampered: true, hasPowerFailure: false)
            var local = try panel.send(.localStatus)
            for _ in 0..<10_000 where local != tampered { local = try panel.send(.localStatus) }
            #expect(local == tampered)
            #expect(try panel.send(.readerStatus) == .readerStatus([2]))
            let order = OSDPCommand.outputs([OSDPOutputOrder(output: 0, control: .off)])
            #expect(try panel.send(order) == .refused(.unable))
            let told = try status(path)
            #expect(told?["state"]?.text == "clear" && told?["line"]?.text == panel.path)
        }
    }

    /// Questions without a command of OSDP's own: version and identifier, faults, rest. Refused without a vendor code.
    @Test func questionsOfThePanel() throws {
        let line = try Line()
        let rig = try rig(line, "allow-clear = true\nvendor = \"0a0b0c\"\n")
        nonisolated(unsafe) let panel = line
        try rig.run { _, rig in
            rig.onLoop {}
            func ask(_ data: [UInt8]) throws -> OSDPReply {
                try panel.send(.manufacturer(OSDPManufacturerData(vendor: [0x0A, 0x0B, 0x0C], data: data)))
            }
            func told(_ question: PanelQuestion) throws -> [UInt8] {
                #expect(try ask([question.rawValue]) == .acknowledged)
                for _ in 0..<8 {
                    if case .manufacturer(let message) = try panel.send(.poll) { return message.data }
                }
                return []
            }
            #expect(try ask([0x04]) == .refused(.unknownCommand))
            let id = rig.process.setup.deviceID
            #expect(try told(.identity) == [1] + "\(FirmwareVersion.text) \(id)".utf8)
            #expect(try told(.faults) == [2, 0])
            rig.onLoop { rig.process.raise(.panelUnkept, "a fault") }
            let faults = try told(.faults)
            #expect(
                faults.prefix(2) == [2, 1] && String(decoding: faults.dropFirst(2), as: UTF8.self) == "panel-unkept")
            #expect(try told(.rest) == [3, 1])
            rig.onLoop { _ = rig.process.device.reader.execute(.panelOn, at: rig.process.moment) }
            #expect(try told(.rest) == [3, 0])
        }
    }

    @Test func nobodysVendorCodeHasNoQuestions() throws {
        let line = try Line()
        let rig = try rig(line, "allow-clear = true\n")
        nonisolated(unsafe) let panel = line
        try rig.run { _, rig in
            rig.onLoop {}
            let question = OSDPManufacturerData(vendor: [0, 0, 0], data: [PanelQuestion.identity.rawValue])
            let answers = [try panel.send(.manufacturer(question)), try panel.send(.keepActive(100))]
            #expect(answers == [.refused(.unknownCommand), .refused(.unknownCommand)])
        }
    }

    /// Whole codes, as many as fit, after the number of all.
    @Test func faultsThatDoNotFit() {
        let codes = FaultCode.allCases.map(\.rawValue)
        let state = PanelQuestion.State(version: "1", deviceID: "x", faults: codes, isAtRest: false)
        let answer = PanelQuestion.faults.answer(state)
        #expect(answer.count <= OSDPDevice.manufacturerLimit && answer[1] == UInt8(codes.count))
        let words = String(decoding: answer.dropFirst(2), as: UTF8.self).split(separator: " ").map(String.init)
        #expect(words == Array(codes.prefix(words.count)) && words.count > 1)
        #expect(PanelQuestion.rest.answer(state) == [3, 0])
    }

    /// Missing equipment is no capability, and orders for it are unknown commands.
    @Test func withoutLinesThereIsNoLightAndNoBuzzerAndNeverADisplay() throws {
        let line = try Line()
        let rig = try rig(line, "allow-clear = true\n")
        nonisolated(unsafe) let panel = line
        try rig.run { _, rig in
            rig.onLoop {}
            let functions = try functions(panel)
            #expect(functions.isDisjoint(with: [.lights, .buzzer, .text]))
            for order in [light, buzzer, text] {
                #expect(try panel.send(order) == .refused(.unknownCommand), "\(order)")
            }
        }
    }

    @Test func withLinesThePanelHasALightAndABuzzer() throws {
        let line = try Line()
        let rig = try rig(
            line, "allow-clear = true\n[gpio]\nled-granted = \"nowhere 1\"\nbuzzer = \"nowhere 2\"\n")
        nonisolated(unsafe) let panel = line
        try rig.run { _, rig in
            rig.onLoop {}
            let functions = try functions(panel)
            #expect(functions.isSuperset(of: [.lights, .buzzer]) && !functions.contains(.text))
            // A line that fails is a fault of the reader, not of the order.
            #expect(try panel.send(light) == .acknowledged)
            #expect(try panel.send(buzzer) == .acknowledged)
            #expect(try panel.send(text) == .refused(.unknownCommand))
        }
    }

    private let light = OSDPCommand.lights([
        OSDPLightOrder(setsPermanent: true, permanentBlinking: OSDPLightOrder.Blinking(onColor: .green))
    ])
    private let buzzer = OSDPCommand.buzzers([OSDPBuzzerOrder(tone: .usual, onTenths: 1, offTenths: 1, count: 1)])
    private let text = OSDPCommand.text(OSDPTextOrder(control: .permanent, text: Array("HELLO".utf8)))

    /// The functions that the device says it has.
    private func functions(_ line: Line) throws -> Set<OSDPCapability.Function> {
        guard case .capabilities(let list) = try line.send(.capabilities) else { return [] }
        return Set(list.compactMap { OSDPCapability.Function(rawValue: $0.function) })
    }

    @Test func theWindowIsOpenedAndClosedByAnOperatorAndOnRecord() throws {
        let line = try Line()
        let rig = try rig(line)
        try rig.serve { client, rig in
            #expect(client.ask(#"{"osdp-install":0}"#)?.contains(#""refused":"window-closed""#) == true)
            #expect(client.ask(#"{"osdp-install":120}"#) == #"{"ok":true}"#)
            let open = try status(rig.controlPath)
            #expect(open?["installing"]?.isTrue == true)
            #expect((1...119).contains(try #require(open?["remaining-s"]?.text.flatMap { Int($0) })))
            #expect(client.ask(#"{"osdp-install":0}"#) == #"{"ok":true}"#)
            let closed = try status(rig.controlPath)
            #expect(closed?["installing"]?.isTrue == false && closed?["remaining-s"] == nil)
        }
        #expect(rig.lines.all.contains("a panel may set a key for 120 s"))
        #expect(try rig.events().filter { $0.contains(#""command":"osdp""#) }.count == 2)
    }

    /// Without a key, and at the start only.
    @Test func theConfigurationOpensTheWindow() throws {
        let line = try Line()
        let rig = try rig(line, "install-s = 60\n")
        try rig.run { path, _ in
            let told = try status(path)
            #expect(told?["installing"]?.isTrue == true)
        }
    }

    @Test func aLineThatCannotBeOpenedIsAFault() throws {
        let rig = try ProcessRig(configuration: "[osdp]\nline = \"/nowhere/tty\"\n")
        try rig.serve { client, _ in
            let told = client.ask(#"{"get":"status"}"#) ?? ""
            #expect(told.contains(#""code":"panel-line""#) && told.contains(#""state":"lost""#))
        }
    }

    /// A damaged file does not end the reader. Without its key the device obeys no panel, in clear neither, and lets
    /// none set another by itself; without its line it has that of the configuration.
    @Test(arguments: ["osdp.key", "osdp.line"]) func aDamagedFileIsAFault(name: String) throws {
        for (damage, change) in StateFileDamage.all {
            let line = try Line()
            let trouble = ProcessRig.Trouble(prepare: { state in
                let contents = name == "osdp.key" ? "00112233445566778899aabbccddeefe\n" : "5 38400\n"
                try state.replace(name, with: Array(contents.utf8))
                try change(state.path, name)
            })
            let rig = try ProcessRig(
                configuration: "[osdp]\nline = \"\(line.path)\"\nallow-clear = true\ninstall-s = 600\n",
                trouble: trouble)
            nonisolated(unsafe) let panel = line
            try rig.serve { client, rig in
                let shown = try rig.wait(client, for: .panelUnkept)
                #expect(shown?.text.contains("/\(name): ") == true, "\(damage)")
                rig.exitFreesTheLock()
                let told = try status(rig.controlPath)
                #expect(told?["key"]?.isTrue == false)
                // The configured address is 0.
                let reply = try panel.send(.outputStatus)
                if name == "osdp.key" {
                    #expect(told?["installing"]?.isTrue == false, "\(damage)")
                    guard case .refused = reply else { throw Unexpected(reply: reply) }
                } else {
                    #expect(told?["installing"]?.isTrue == true && reply == .outputStatus([true]), "\(damage)")
                }
            }
        }
    }

    private struct Unexpected: Error {
        var reply: OSDPReply
    }

    @Test func theFilesAreOurs() {
        #expect(PanelFiles.names.allSatisfy(ResetCommand.isOurs))
    }
}
