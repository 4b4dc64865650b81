// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// The packets of radio tests (Core 5.4, Vol 6, Part F).
extension Air {
    /// The time between two looks at a test: a real radio sends a packet each 625 µs or more.
    private static let testStep = Duration.milliseconds(10)

    /// Schedules the next packets of a controller's transmitter test.
    func scheduleTest(_ controller: VirtualController) {
        guard let test = controller.state.test else { return }
        schedule.add(.test(controller: controller.index, run: test.run), at: now + Air.testStep)
    }

    /// Sends the packets of all tests up to now.
    func transmitPendingTestPackets() {
        for controller in controllers { transmit(controller) }
    }

    /// Sends the packets of a controller's test up to now, and schedules the next ones.
    func transmitTestPackets(_ controller: VirtualController) {
        transmit(controller)
        scheduleTest(controller)
    }

    private func transmit(_ sender: VirtualController) {
        guard var test = sender.state.test, case .transmitter(let interval) = test.side else { return }
        let due = Int((now - test.begins).wholeNanoseconds / interval.wholeNanoseconds)
        while test.sent < due {
            test.sent += 1
            for receiver in controllers where receiver !== sender {
                guard var other = receiver.state.test, case .receiver(let count) = other.side,
                    other.channel == test.channel,
                    reception(from: sender, to: receiver, on: test.fading) != nil
                else { continue }
                other.side = .receiver(count: count == .max ? count : count + 1)
                receiver.state.test = other
            }
        }
        sender.state.test = test
    }
}
