// SPDX-License-Identifier: Apache-2.0

import GPIO
import System
import Timekeeping

/// The button that opens the provisioning window.
final class ProvisioningButton {
    /// The minimum duration of a press: longer than a contact bounces.
    static let debounce = Duration.milliseconds(50)

    private let line: WatchedLine
    private var timer: Timer?
    /// Nil until the first level of an opened line: a button pressed then is stuck, and does not count as pressed.
    private var isPressed: Bool?

    init(_ reference: LineReference, activeLow: Bool) {
        line = WatchedLine(reference, activeLow: activeLow, bias: activeLow ? .pullUp : .asIs)
    }

    /// Watches the line. `failed` is called once if it cannot be opened, or is lost.
    func start(
        _ reactor: Reactor, failed: @escaping (GPIOError) -> Void, pressed: @escaping () -> Void
    ) {
        try? line.start(reactor) { [weak self] readings in
            guard let self else { return }
            switch readings.last {
            case .level(let level, _): handleLevel(level, reactor, pressed)
            case .lost(let error):
                timer?.cancel()
                failed(error)
            case .restored: isPressed = nil
            case nil: break
            }
        }
    }

    /// Closes the line.
    func stop() {
        timer?.cancel()
        line.stop()
    }

    private func handleLevel(_ level: Bool, _ reactor: Reactor, _ pressed: @escaping () -> Void) {
        let previous = isPressed
        isPressed = level
        guard let previous, level != previous else { return }
        timer?.cancel()
        guard level else { return }
        timer = reactor.schedule(at: reactor.now + ProvisioningButton.debounce) { [weak self] in
            if self?.isPressed == true { pressed() }
        }
    }
}
