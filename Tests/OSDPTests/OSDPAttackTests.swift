// SPDX-License-Identifier: Apache-2.0

import CardFormats
import TestSupport
import Testing
import Timekeeping

@testable import OSDP

/// OSDP 2.2, annex D, and the published attacks on it: a device with a key, and one that gets its first.
struct OSDPAttackTests {
    private let on = OSDPCommand.outputs([OSDPOutputOrder(output: 0, control: .on)])

    @Test func aSecureSession() throws {
        var panel = TestPanel(key: TestPanel.key)
        #expect(try panel.secure(TestPanel.key))
        #expect(panel.device.isSecure)
        #expect(try panel.send(on) == .acknowledged)
        #expect(panel.device.outputStates == [true, false])
        let card = try CardFormat.bits26.card(facility: 1, number: 2)
        panel.perform { device, now, _, effects in #expect(device.present(card, at: now, effects: &effects)) }
        #expect(try panel.send(.poll) == .outputStatus([true, false]))
        #expect(try panel.send(.poll) == .card(card))
        // A repetition gets the same octets.
        let (first, second) = (panel.put(panel.sent), panel.put(panel.sent))
        #expect(first == second && !first.isEmpty)
        #expect(try panel.send(.poll) == .acknowledged)
        #expect(try panel.send(code: 0x6D, [1]) == .refused(.unknownCommand))
        panel.wait(.seconds(8))
        #expect(!panel.device.isSecure && panel.notices.contains(.unsecured(.silence)))
    }

    /// Once a key is set: no order and no report in clear, whatever the panel thinks that the device can.
    @Test func downgrade() throws {
        var panel = TestPanel(key: TestPanel.key)
        panel.perform { device, now, _, effects in
            #expect(device.press("1234", at: now, effects: &effects))
            device.setTampered(true)
        }
        for (command, _) in OSDPMessageTests.commands {
            let answer = try panel.send(command)
            switch command {
            case .poll: #expect(answer == .acknowledged)
            case .identify: #expect(answer == .identity(TestPanel.identity))
            case .capabilities:
                guard case .capabilities = answer else {
                    Issue.record("\(String(describing: answer))")
                    continue
                }
            default: #expect(answer == .refused(.securityRequired), "\(command)")
            }
        }
        #expect(panel.device.outputStates == [false, false])
        #expect(panel.device.line == OSDPLine(address: 5, speed: 9600))
        #expect(
            panel.effects.allSatisfy {
                guard case .notice = $0 else { return false }
                return true
            })
        // The events are still there for the one that knows the key.
        #expect(try panel.secure(TestPanel.key))
        #expect(try panel.send(.poll) == .localStatus(isTampered: true, hasPowerFailure: false))
        #expect(try panel.send(.poll) == .readerStatus([2]))
        #expect(try panel.send(.poll) == .keypad(reader: 0, [0x31, 0x32, 0x33, 0x34]))
    }

    /// From a session to clear: the session ends, and the order is not obeyed.
    @Test func clearInASession() throws {
        var panel = TestPanel(key: TestPanel.key)
        #expect(try panel.secure(TestPanel.key))
        #expect(try panel.send(on, inClear: true) == .refused(.securityRequired))
        #expect(!panel.device.isSecure && panel.notices.contains(.unsecured(.commandInClear)))
        #expect(panel.device.outputStates == [false, false])
    }

    /// Frames that a stranger can send to a device whose panel was cut off.
    enum Stranger: CaseIterable {
        case poll, wrongNumber, broadcast, begins, challenge, wrongCryptogram, lastFrame, session, wrongHeader, reply
        case installation
    }

    /// With a key the panel is there while its MACs are right: whoever speaks on a cut line keeps neither session nor
    /// output.
    @Test(arguments: Stranger.allCases) func aCutPanelIsSilentWhateverStrangersSend(_ stranger: Stranger) throws {
        var panel = TestPanel(key: TestPanel.key)
        if stranger == .installation {
            panel.perform { device, now, _, _ in device.openInstallation(until: now + .seconds(3600)) }
        }
        #expect(try panel.secure(TestPanel.key))
        var recorded: [[UInt8]] = []
        #expect(try panel.send(on) == .acknowledged)
        recorded.append(panel.sent)
        try panel.send(.poll)
        recorded.append(panel.sent)
        #expect(panel.device.isOnline && panel.device.isTrusted && panel.device.lastTrusted == panel.now)
        let (cut, sequence) = (panel.now, panel.sequence)
        panel.session = nil
        for turn in 0..<13 {
            panel.wait(.seconds(2))
            switch stranger {
            case .poll: try panel.send(.poll)
            case .wrongNumber:
                panel.sequence = sequence % 3 + 1
                #expect(try panel.send(.poll) == .refused(.sequence))
            case .broadcast:
                panel.address = OSDPFrame.broadcast
                try panel.send(.poll)
            case .begins:
                panel.sequence = 0
                try panel.send(.identify)
            case .challenge:
                try panel.send(.challenge(Array(0xB0...0xB7)), security: OSDPSecurityBlock(.challenge, [1]))
            case .wrongCryptogram: _ = try panel.secure(TestPanel.otherKey, spoils: true)
            case .lastFrame: panel.put(panel.sent)
            case .session: panel.put(recorded[turn % 2])
            case .wrongHeader:
                let content = octets("53 05 08 00 14 60")
                panel.put(content + OSDPCheck.crc.octets(after: content))
            case .reply:
                panel.put(OSDPFrame(address: 5, isReply: true, sequence: 1, check: .crc, code: 0x41, data: [0]).octets)
            case .installation:
                panel.sequence = 0
                #expect(try panel.secure(.wellKnown, isWellKnown: true))
                #expect(try panel.send(.poll) == .acknowledged)
            }
            let isSilent = panel.now - cut >= OSDPDevice.silence
            #expect(panel.device.isOnline == !isSilent, "turn \(turn)")
            #expect(!isSilent || !panel.device.isTrusted && panel.device.outputStates == [false, false])
            #expect(!isSilent || panel.device.isSecure == (stranger == .installation))
            #expect(panel.device.lastTrusted == cut)
        }
        #expect(panel.notices.contains(.offline))
        // It tells that somebody is there, not who.
        #expect(panel.device.isAddressed(at: panel.now) == ![.wrongHeader, .reply].contains(stranger))
        // The panel comes back.
        panel.address = 5
        panel.sequence = 0
        #expect(try panel.secure(TestPanel.key))
        #expect(panel.device.isOnline && panel.device.isTrusted)
    }

    /// A session under the well-known key ends with its own silence.
    @Test func aCutInstallationIsOverWhoeverPolls() throws {
        var panel = TestPanel { $0.requiresKey = true }
        panel.perform { device, now, _, _ in device.openInstallation(until: now + .seconds(3600)) }
        #expect(try panel.secure(.wellKnown, isWellKnown: true))
        panel.session = nil
        for _ in 0..<5 {
            panel.wait(.seconds(2))
            panel.sequence = 3
            #expect(try panel.send(.poll) == .refused(.sequence))
        }
        #expect(!panel.device.isSecure && panel.notices.contains(.unsecured(.silence)))
        #expect(panel.device.isOnline && !panel.device.isTrusted && panel.device.lastTrusted == nil)
    }

    /// The default key outside of the window: refused, with and without a key of its own.
    @Test func theWellKnownKey() throws {
        var panel = TestPanel(key: TestPanel.key)
        #expect(try !panel.secure(.wellKnown, isWellKnown: true))
        #expect(panel.notices.last == .refused(code: 0x76, .securityRequired))
        var new = TestPanel()
        #expect(try !new.secure(.wellKnown, isWellKnown: true))
        #expect(new.notices.last == .refused(code: 0x76, .securityUnsupported))
        #expect(try !new.secure(.wellKnown))
        // The well-known key under the name of the device's own.
        var named = TestPanel(key: TestPanel.key)
        #expect(try !named.secure(.wellKnown, spoils: true))
    }

    /// The window is for one key.
    @Test func installation() throws {
        var panel = TestPanel()
        panel.device.openInstallation(until: panel.now + .seconds(60))
        #expect(try panel.secure(.wellKnown, isWellKnown: true))
        #expect(try panel.send(.setKey(TestPanel.key)) == nil)
        #expect(panel.effects.last == .storeKey(TestPanel.key))
        // Until the key is kept the panel waits.
        panel.wait(.seconds(1))
        #expect(panel.put(panel.sent).isEmpty)
        let octets = panel.perform { device, now, _, effects in device.keyStored(true, at: now, effects: &effects) }
        #expect(try panel.reply(octets) == .acknowledged)
        #expect(panel.notices.suffix(3) == [.keyChanged, .unsecured(.installationEnded), .installationEnded])
        #expect(try !panel.secure(.wellKnown, isWellKnown: true))
        #expect(try panel.secure(TestPanel.key))
        #expect(panel.device.hasKey)
    }

    /// The window ends by itself, and the session with it.
    @Test func theEndOfTheWindow() throws {
        var panel = TestPanel()
        panel.device.openInstallation(until: panel.now + .seconds(5))
        #expect(try panel.secure(.wellKnown, isWellKnown: true))
        panel.wait(.seconds(5))
        #expect(!panel.device.isSecure)
        #expect(try !panel.secure(.wellKnown, isWellKnown: true))
    }

    /// An open window at a device with a key lets a key be set, and nothing be ordered or read.
    @Test func installationWithAKey() throws {
        var panel = TestPanel(key: TestPanel.key)
        panel.device.openInstallation(until: panel.now + .seconds(60))
        panel.perform { device, now, _, effects in #expect(device.press("1", at: now, effects: &effects)) }
        #expect(try panel.secure(.wellKnown, isWellKnown: true))
        #expect(try panel.send(on) == .refused(.securityRequired))
        #expect(try panel.send(.poll) == .acknowledged)
        #expect(panel.device.outputStates == [false, false])
        _ = try panel.send(.setKey(TestPanel.otherKey))
        panel.perform { device, now, _, effects in device.keyStored(true, at: now, effects: &effects) }
        #expect(try !panel.secure(TestPanel.key, spoils: true))
        #expect(try panel.secure(TestPanel.otherKey))
    }

    /// A key in clear: without a session, and in one with a MAC alone.
    @Test func keysInClear() throws {
        var panel = TestPanel()
        #expect(try panel.send(.setKey(TestPanel.key)) == .refused(.securityRequired))
        #expect(!panel.device.hasKey)
        panel.device.openInstallation(until: panel.now + .seconds(60))
        #expect(try panel.secure(.wellKnown, isWellKnown: true))
        var frame = OSDPFrame(
            address: 5, isReply: false, sequence: panel.sequence, check: .crc,
            security: OSDPSecurityBlock(.commandWithMAC), code: 0x75,
            data: OSDPCommand.setKey(TestPanel.key).data)
        let keys = try OSDPSessionKeys(.wellKnown, panelRandom: Array(0xB0...0xB7))
        // The first command of a session starts from the initial MAC.
        guard let initial = panel.lastInitialMAC(for: frame, keys) else { return }
        frame.mac = initial
        #expect(!panel.put(frame.octets).isEmpty)
        // The session goes on, and the reason is not that of a wrong MAC.
        #expect(panel.notices.last == .refused(code: 0x75, .securityRequired) && panel.device.isSecure)
        #expect(!panel.device.hasKey && !panel.effects.contains(.storeKey(TestPanel.key)))
    }

    @Test func weakKeys() throws {
        let zero = [UInt8](repeating: 0, count: 16)
        for octets in [zero, Array(0x30...0x3F), Array(1...16), Array((1...16).reversed())] {
            let weak = OSDPKey(taking: octets)
            var panel = TestPanel(key: TestPanel.key)
            #expect(try panel.secure(TestPanel.key))
            #expect(try panel.send(.setKey(weak)) == .refused(.unable))
            #expect(!panel.effects.contains(.storeKey(weak)))
        }
    }

    /// A key that could not be kept is not used.
    @Test func aKeyThatIsLost() throws {
        var panel = TestPanel(key: TestPanel.key)
        #expect(try panel.secure(TestPanel.key))
        _ = try panel.send(.setKey(TestPanel.otherKey))
        let octets = panel.perform { device, now, _, effects in device.keyStored(false, at: now, effects: &effects) }
        #expect(try panel.reply(octets) == .refused(.unable))
        #expect(try panel.secure(TestPanel.key))
    }

    @Test func wrongMACs() throws {
        for octet in 0..<4 {
            var panel = TestPanel(key: TestPanel.key)
            #expect(try panel.secure(TestPanel.key))
            var frame = try #require(
                try panel.session?.seal(
                    OSDPFrame(
                        address: 5, isReply: false, sequence: panel.sequence, check: .crc, code: on.code.rawValue,
                        data: on.data)))
            frame.mac[octet] ^= 1
            #expect(try panel.reply(panel.put(frame.octets)) == .refused(.securityRequired))
            #expect(!panel.device.isSecure && panel.device.outputStates == [false, false])
            #expect(panel.notices.contains(.unsecured(.wrongMAC)))
        }
    }

    /// A captured order, later in its session, after it, and in another one.
    @Test func replay() throws {
        var panel = TestPanel(key: TestPanel.key)
        #expect(try panel.secure(TestPanel.key))
        let sequence = panel.sequence
        #expect(try panel.send(on) == .acknowledged)
        let captured = panel.sent
        #expect(try panel.send(.outputs([OSDPOutputOrder(output: 0, control: .off)])) == .acknowledged)
        // Until the captured number is due.
        repeat { try panel.send(.poll) } while panel.sequence != sequence
        _ = panel.put(captured)
        #expect(panel.device.outputStates == [false, false])
        #expect(panel.notices.contains(.unsecured(.wrongMAC)))
        panel.sequence = 0
        #expect(try panel.secure(TestPanel.key))
        while panel.sequence != sequence { try panel.send(.poll) }
        _ = panel.put(captured)
        #expect(panel.device.outputStates == [false, false])
        #expect(panel.notices.count(where: { $0 == .unsecured(.wrongMAC) }) == 2)
    }

    /// A captured handshake: the device's random number is another one.
    @Test func replayOfAHandshake() throws {
        var panel = TestPanel(key: TestPanel.key)
        let random: [UInt8] = Array(0xB0...0xB7)
        var captured: [[UInt8]] = []
        panel.sequence = 0
        guard
            case .clientCryptogram(_, let deviceRandom, _) = try panel.send(
                .challenge(random), security: OSDPSecurityBlock(.challenge, [1]))
        else {
            Issue.record("no cryptogram")
            return
        }
        captured.append(panel.sent)
        let handshake = try OSDPHandshake(TestPanel.key, panelRandom: random, deviceRandom: deviceRandom)
        try panel.send(
            .serverCryptogram(handshake.serverCryptogram), security: OSDPSecurityBlock(.serverCryptogram, [1]))
        captured.append(panel.sent)
        #expect(panel.device.isSecure)
        for octets in captured { _ = panel.put(octets) }
        #expect(!panel.device.isSecure)
    }

    /// A cryptogram without a challenge, or of another key.
    @Test func wrongCryptograms() throws {
        var panel = TestPanel(key: TestPanel.key)
        #expect(
            try panel.send(
                .serverCryptogram([UInt8](repeating: 0, count: 16)), security: OSDPSecurityBlock(.serverCryptogram, [1])
            )
                == .refused(.securityRequired))
        #expect(try !panel.secure(TestPanel.otherKey, spoils: true))
        #expect(!panel.device.isSecure)
        #expect(try panel.secure(TestPanel.key))
    }

    /// COMSET in clear moves no device that has a key, except in the window.
    @Test func lineSettingsInClear() throws {
        var panel = TestPanel(key: TestPanel.key)
        let line = OSDPLine(address: 9, speed: 9600)
        #expect(try panel.send(.setLine(line)) == .refused(.securityRequired))
        panel.device.openInstallation(until: panel.now + .seconds(60))
        #expect(try panel.send(.setLine(line)) == .line(line))
        #expect(panel.device.line == line)
    }
}

extension TestPanel {
    /// The MAC of the first command of a session.
    func lastInitialMAC(for frame: OSDPFrame, _ keys: OSDPSessionKeys) -> [UInt8]? {
        guard let initial = initialMAC, let mac = try? OSDPCipher.mac(frame.authenticated, keys, vector: initial) else {
            Issue.record("no session")
            return nil
        }
        return Array(mac.prefix(4))
    }

    /// A device that needs a key, before it has one: nothing is obeyed and nothing told, also under SCBK-D.
    @Test func withoutAKeyYet() throws {
        var panel = TestPanel { $0.requiresKey = true }
        panel.perform { device, now, _, effects in
            #expect(device.press("1234", at: now, effects: &effects))
            device.setTampered(true)
        }
        for (command, _) in OSDPMessageTests.commands {
            let answer = try panel.send(command)
            switch command {
            case .poll: #expect(answer == .acknowledged)
            case .identify, .capabilities: break
            default: #expect(answer == .refused(.securityRequired), "\(command)")
            }
        }
        #expect(panel.device.isOnline && !panel.device.isTrusted)
        #expect(try !panel.secure(.wellKnown, isWellKnown: true))

        panel.perform { device, now, _, _ in device.openInstallation(until: now + .seconds(60)) }
        #expect(panel.device.isInstalling)
        #expect(try panel.secure(.wellKnown, isWellKnown: true))
        #expect(try panel.send(.poll) == .acknowledged)
        let order = OSDPCommand.outputs([OSDPOutputOrder(output: 0, control: .on)])
        #expect(try panel.send(order) == .refused(.securityRequired))
        #expect(!panel.device.isTrusted && panel.device.outputStates == [false, false])
        _ = try panel.send(.setKey(TestPanel.key))
        panel.perform { device, now, _, effects in device.keyStored(true, at: now, effects: &effects) }
        #expect(!panel.device.isInstalling)
        #expect(try panel.secure(TestPanel.key))
        #expect(panel.device.isTrusted)
        #expect(try panel.send(.poll) == .localStatus(isTampered: true, hasPowerFailure: false))
    }
}
