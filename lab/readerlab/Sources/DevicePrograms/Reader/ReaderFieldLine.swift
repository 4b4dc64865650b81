// SPDX-License-Identifier: Apache-2.0

import Commands
import Console
import ContactlessAir
import Emulation
import HostLoop
import ReaderEmulation
import System
import Timekeeping

/// The line between an emulated reader and the chip of its field, in one process.
///
/// The field and the reader act in turns: each handles the other's outputs after its turn, so that neither is called
/// while it acts.
final class ReaderFieldLine {
    /// An event of the field, or octets of its chip.
    private enum Input {
        case event(FieldEvent)
        case chip([UInt8])
    }

    private let loop: HostLoop<EmulatedReader>
    private let server: FieldServer
    private var inputs: [Input] = []
    private lazy var timer = loop.reactor.timer { [weak self] in self?.exchange() }

    /// Opens the field of this plan.
    init(_ plan: FieldPlan, _ loop: HostLoop<EmulatedReader>) throws(CommandError) {
        self.loop = loop
        // The server calls while it settles.
        var receive: (Input) -> Void = { _ in }
        server = try FieldServer(plan, on: loop.reactor) { receive(.event($1)) }
        receive = { [weak self] in self?.queue($0) }
        server.attached = { receive(.chip($0)) }
        try server.open()
    }

    /// Closes the socket.
    func close() {
        timer.cancel()
        server.close()
    }

    /// Executes a typed command about cards.
    func execute(_ order: FieldOrder) throws(CommandFault) -> [String] { try server.execute(order).lines }

    /// The reader has handled an input, and may have octets for the chip.
    func settled(_ reader: EmulatedReader) { if reader.hasChipOctets { timer.set(loop.reactor.now) } }

    private func queue(_ input: Input) {
        inputs.append(input)
        timer.set(loop.reactor.now)
    }

    private func exchange() {
        let present = inputs
        inputs.removeAll()
        var octets: [UInt8] = []
        loop.act { reader, now in
            for input in present {
                switch input {
                case .chip(let octets): reader.receive(chip: octets.span, at: now)
                case .event(let event):
                    if event.isReportedHere { reader.observe(event.name, event.sentence, at: now) }
                }
            }
            octets = reader.takeChipOctets()
        }
        if !octets.isEmpty { server.receive(octets) }
    }
}

extension FieldEvent {
    /// True for an event that the reader does not report itself.
    fileprivate var isReportedHere: Bool {
        switch self {
        case .joined, .gone, .near, .away, .violation: true
        case .open, .activated, .released, .exchange, .silence, .pollingFrame: false
        }
    }
}
