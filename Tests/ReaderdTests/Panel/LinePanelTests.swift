// SPDX-License-Identifier: Apache-2.0

import Configuration
import Glibc
import Reader
import System
import TestSupport
import Testing
import Timekeeping

@testable import readerd

/// The smallest panel: a line of text for each card, and `open` or `shut` for an answer. An example of a service
/// (docs/develop/architecture.md, "A panel protocol, or another service").
private final class LinePanel: CardPanel {
    let mode = ReaderSettings.PanelMode.panel
    let decisions = ReaderSettings.PanelCards.Decisions.all
    let isSilent = false
    let descriptor: CInt
    private var received: [UInt8] = []

    init(_ descriptor: CInt) { self.descriptor = descriptor }

    /// Sends a line; false if the panel does not take it.
    func send(_ line: String) -> Bool {
        let octets = Array("\(line)\n".utf8)
        return write(descriptor, octets, octets.count) == octets.count
    }

    func present(_ credential: ShownCredential, since: Instant) -> Bool { send("card \(credential.id)") }

    /// The received lines; a rest without its end waits.
    func takeLines() -> [String] {
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = read(descriptor, &buffer, buffer.count)
        if count > 0 { received += buffer.prefix(count) }
        guard let end = received.lastIndex(of: 0x0A) else { return [] }
        defer { received.removeFirst(end + 1) }
        return received[..<end].split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
    }
}

/// This panel among the reader's services.
private final class ReaderLinePanel: CardPanelService {
    unowned let process: ReaderProcess
    let panel: LinePanel
    private var watch: Watch?
    private var isUnlocked: Bool?

    init(_ process: ReaderProcess, _ panel: LinePanel) { (self.process, self.panel) = (process, panel) }

    func start() throws(SystemError) {
        process.device.reader.grantRoute = .panel
        watch = try reactor.watch(panel.descriptor, .readable) { [weak self] _ in self?.receive() }
    }

    private func receive() {
        for line in panel.takeLines() {
            guard let order: DoorOrder = line == "open" ? .panelOn : line == "shut" ? .panelOff : nil else { continue }
            if case .refused(let refusal) = process.device.reader.execute(order, at: moment) {
                _ = panel.send("refused \(refusal.rawValue)")
            }
        }
        flush()
    }

    func perform(_ effect: ReaderEffect) {
        if case .handOn(let credential, let since) = effect { handOn(credential, since: since) }
    }

    /// Reports the state of the lock if it has changed.
    func settle() {
        let isUnlocked = process.device.reader.doorStatus.isUnlocked
        guard isUnlocked != self.isUnlocked else { return }
        self.isUnlocked = isUnlocked
        _ = panel.send(isUnlocked ? "unlocked" : "locked")
    }

    func close() {
        watch?.cancel()
        _ = panel.send("gone")
    }
}

/// The panel's end, on the test's thread.
private final class PanelEnd: @unchecked Sendable {
    let line: LinePanel
    private var lines: [String] = []

    init(_ descriptor: CInt) { line = LinePanel(descriptor) }

    /// Reads lines up to this one.
    func wait(for wanted: String) {
        while true {
            if let index = lines.firstIndex(of: wanted) { return lines.removeSubrange(...index) }
            lines += line.takeLines()
        }
    }
}

@Suite struct LinePanelTests {
    @Test func itIsToldACardAndOpensTheDoor() throws {
        var pair: [CInt] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
        let (ours, theirs) = (pair[0], pair[1])
        defer { close(theirs) }
        let rig = try ProcessRig()
        rig.process.add(ReaderLinePanel(rig.process, LinePanel(ours)))
        let end = PanelEnd(theirs)
        try rig.run { _, rig in
            end.wait(for: "locked")
            rig.onLoop {
                rig.process.service(ReaderLinePanel.self)?.perform(
                    .handOn(ShownCredential("CRED000001"), since: rig.process.moment.instant))
            }
            end.wait(for: "card CRED000001")
            _ = end.line.send("open")
            end.wait(for: "unlocked")
            rig.onLoop { #expect(rig.process.lines.record.level(of: .lock) == true) }
            _ = end.line.send("shut")
            end.wait(for: "locked")
            rig.onLoop { _ = rig.process.execute(.lockdownOn, for: DoorOperator(.control, "uid 0", .control(1))) }
            _ = end.line.send("open")
            end.wait(for: "refused lockdown")
            rig.onLoop { #expect(rig.process.lines.record.level(of: .lock) == false) }
        }
        close(ours)
    }
}
