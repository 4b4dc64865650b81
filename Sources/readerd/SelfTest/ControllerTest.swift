// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import Peripheral
import Reader
import System
import Timekeeping

/// The test of the configured controller: a trial with its transport.
struct ControllerTest {
    let name: TransportName
    let takesAdapter: Bool
    /// The maximum duration of the trial, including the opening of the transport.
    let timeout: Duration

    /// The pause before another attempt to open a busy adapter.
    private static let busyPause = Duration.milliseconds(200)

    /// Runs the trial to its verdict.
    func run(_ trial: inout ControllerTrial) {
        let end = MonotonicClock.now + timeout
        let transport: HCITransport
        do throws(TransportError) {
            transport = try open(until: end)
            defer { transport.close() }
            try carry(&trial, over: transport, until: end)
        } catch {
            trial.fail("\(error)")
        }
    }

    private func open(until end: Instant) throws(TransportError) -> HCITransport {
        while true {
            do throws(TransportError) {
                return try HCITransport.open(name, takeAdapter: takesAdapter)
            } catch {
                // Temporary: the kernel initialises an adapter that has just appeared.
                guard error.fault == .adapterIsBusy, MonotonicClock.now + ControllerTest.busyPause < end else {
                    throw error
                }
                poll(nil, 0, Int32(ControllerTest.busyPause.wholeMilliseconds))
            }
        }
    }

    private func carry(
        _ trial: inout ControllerTrial, over transport: HCITransport, until end: Instant
    ) throws(TransportError) {
        var isStarted = false
        var packet: [UInt8] = []
        while !trial.isDone {
            let now = MonotonicClock.now
            guard now < end else {
                return trial.fail("\(name): not finished within \(timeout.components.seconds) s")
            }
            if !isStarted, !transport.wantsWrite {
                isStarted = true
                trial.start(at: now)
            } else if let deadline = trial.nextDeadline, deadline <= now {
                trial.advance(to: now)
            }
            while trial.popPacket(into: &packet) { transport.enqueue(packet.span) }
            transport.flush()
            guard !trial.isDone else { break }
            let wake = min(trial.nextDeadline ?? end, transport.nextDeadline ?? end, end)
            try wait(transport, until: wake)
            try transport.readReady(at: MonotonicClock.now) { packet in trial.receive(packet, at: MonotonicClock.now) }
        }
    }

    /// Waits for the transport, at most until `deadline`, and writes queued data.
    private func wait(_ transport: HCITransport, until deadline: Instant) throws(TransportError) {
        var events = Int16(POLLIN)
        if transport.wantsWrite { events |= Int16(POLLOUT) }
        var watched = pollfd(fd: transport.descriptor, events: events, revents: 0)
        // Rounded up: a wait that ends slightly too early would cause a busy loop.
        let milliseconds = max(0, (deadline - MonotonicClock.now).wholeMilliseconds + 1)
        poll(&watched, 1, Int32(clamping: milliseconds))
        if transport.wantsWrite { try transport.writeReady() }
    }
}
