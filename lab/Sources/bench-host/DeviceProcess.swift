// SPDX-License-Identifier: Apache-2.0

import Peripheral
import System
import Timekeeping

/// Runs the device on a transport and a reactor until the transport is closed.
final class DeviceProcess {
    private let reactor: Reactor
    private let transport: HCITransport
    private var device: BenchDevice
    private var watch: Watch?
    private lazy var timer = reactor.timer { [unowned self] in
        device.host.advance(to: reactor.now)
        settle()
    }
    private var packet: [UInt8] = []
    private var isStarted = false

    init(_ reactor: Reactor, transport: HCITransport, device: consuming BenchDevice) {
        self.reactor = reactor
        self.transport = transport
        self.device = device
    }

    /// Runs until the generator has closed the connection.
    func run() throws(SystemError) {
        watch = try reactor.watch(transport.descriptor, interest) { [unowned self] _ in ready() }
        if !transport.wantsWrite { start() }
        try reactor.run()
    }

    private var interest: Interest { transport.wantsWrite ? [.readable, .writable] : .readable }

    private func start() {
        isStarted = true
        device.host.start(at: reactor.now)
        settle()
    }

    private func ready() {
        do {
            if transport.wantsWrite { try transport.writeReady() }
            if !isStarted, !transport.wantsWrite { start() }
            let now = reactor.now
            try transport.readReady(at: now) { packet in device.host.receive(packet, at: now) }
            settle()
        } catch {
            reactor.stop()
        }
    }

    private func settle() {
        let now = reactor.now
        device.settle(at: now)
        while device.host.outbound.popFirst(into: &packet) { transport.enqueue(packet.span) }
        transport.flush()
        do {
            try watch?.modify(interest)
        } catch {
            reactor.stop()
        }
        setTimer()
    }

    private func setTimer() {
        timer.set(device.host.nextDeadline)
    }
}
