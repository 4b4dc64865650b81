// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import Timekeeping

@testable import OSDP

/// Files from the panel, osdp_FILETRANSFER (6.26).
struct OSDPFileTests {
    @Test func files() throws {
        var panel = TestPanel(key: TestPanel.key) { $0.fileLimit = 10 }
        #expect(try panel.secure(TestPanel.key))
        #expect(try panel.send(part(0, [1], total: 11)) == .fileStatus(OSDPFileStatus(.unable)))
        #expect(try panel.send(part(1, [1])) == .fileStatus(OSDPFileStatus(.unable)))
        #expect(try panel.send(part(0, [1, 2, 3])) == .fileStatus(OSDPFileStatus(.proceed)))
        // The same part under another sequence number: no second effect.
        #expect(try panel.send(part(0, [1, 2, 3])) == .fileStatus(OSDPFileStatus(.proceed)))
        #expect(try panel.send(part(3, [4, 5])) == .fileStatus(OSDPFileStatus(.working)))
        #expect(try panel.send(part(5, [])) == .fileStatus(OSDPFileStatus(.working)))
        panel.device.fileEnded(.processed)
        #expect(try panel.send(part(5, [])) == .fileStatus(OSDPFileStatus(.processed)))
        #expect(panel.effects.count(where: isFile) == 2)
        // A gap, then an abort.
        #expect(try panel.send(part(0, [1])) == .fileStatus(OSDPFileStatus(.proceed)))
        #expect(try panel.send(part(2, [1])) == .fileStatus(OSDPFileStatus(.malformed)))
        #expect(try panel.send(part(0, [1])) == .fileStatus(OSDPFileStatus(.proceed)))
        // An updater that has the file does not give it back.
        panel.device.holdsFile = true
        #expect(try panel.send(.abort) == .refused(.unable))
        #expect(try panel.send(part(2, [1])) == .fileStatus(OSDPFileStatus(.malformed)))
        #expect(panel.effects.count(where: { $0 == .fileAborted }) == 1)
        panel.device.holdsFile = false
        #expect(try panel.send(.abort) == .acknowledged)
        #expect(panel.effects.count(where: { $0 == .fileAborted }) == 2)
        panel.device.holdsFile = true
        #expect(try panel.send(part(0, [1])) == .fileStatus(OSDPFileStatus(.unable)))
        var other = TestPanel()
        #expect(try other.send(part(0, [1])) == .refused(.unknownCommand))
    }

    private func part(_ offset: UInt32, _ data: [UInt8], total: UInt32 = 5, type: UInt8 = 1) -> OSDPCommand {
        .file(OSDPFileFragment(type: type, total: total, offset: offset, data: data))
    }

    private func isFile(_ effect: OSDPEffect) -> Bool { if case .file = effect { true } else { false } }

    /// Not in clear, and not under the key that everybody knows.
    @Test func filesNeedASessionOfTheirKey() throws {
        var clear = TestPanel { $0.fileLimit = 10 }
        #expect(try clear.send(part(0, [1])) == .refused(.securityRequired))
        clear.perform { device, now, _, _ in device.openInstallation(until: now + .seconds(60)) }
        #expect(try clear.secure(.wellKnown, isWellKnown: true))
        #expect(try clear.send(part(0, [1])) == .refused(.securityRequired))
        #expect(!clear.effects.contains(where: isFile))
    }

    /// Limits, other kinds, a disk that fails, and a wish for a pause.
    @Test func filesThatAreNotTaken() throws {
        var panel = TestPanel(key: TestPanel.key) { $0.fileLimit = 5 }
        #expect(try panel.secure(TestPanel.key))
        #expect(try panel.send(part(0, [], total: 0)) == .fileStatus(OSDPFileStatus(.unable)))
        #expect(try panel.send(part(0, [1], total: 6)) == .fileStatus(OSDPFileStatus(.unable)))
        #expect(try panel.send(part(0, [1], type: 128)) == .fileStatus(OSDPFileStatus(.unknownContents)))
        #expect(try panel.send(part(0, [1, 2, 3, 4, 5, 6])) == .fileStatus(OSDPFileStatus(.malformed)))
        #expect(!panel.effects.contains(where: isFile))
        panel.device.fileDelay = 300
        #expect(try panel.send(part(0, [1])) == .fileStatus(OSDPFileStatus(delay: 300, .proceed)))
        panel.device.fileEnded(.unable)
        #expect(try panel.send(part(1, [2])) == .fileStatus(OSDPFileStatus(.unable)))
        #expect(panel.effects.count(where: isFile) == 1)
        // It begins again, and the panel is gone before its end.
        #expect(try panel.send(part(0, [1])) == .fileStatus(OSDPFileStatus(delay: 300, .proceed)))
        panel.wait(.seconds(8))
        #expect(panel.effects.contains(.fileAborted))
        panel.device.fileEnded(.processed)
        panel.sequence = 0
        #expect(try panel.secure(TestPanel.key))
        #expect(try panel.send(part(1, [2])) == .fileStatus(OSDPFileStatus(.unable)))
    }
}
