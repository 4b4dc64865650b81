// SPDX-License-Identifier: Apache-2.0

import GPIO
import System
import Timekeeping

/// The button that opens the provisioning window. A lost line is reopened as soon as it is available.
final class ProvisioningButton {
    /// The minimum duration of a press: longer than a contact bounces.
    static let debounce = Duration.milliseconds(50)
    /// The interval of checks, and of attempts to reopen a lost line.
    private static let retry = Duration.seconds(5)
    /// The maximum number of edges read at once.
    private static let edgesAtOnce = 64

    private let reference: LineReference
    private let isActiveLow: Bool
    private var line: InputLine?
    private var watch: Watch?
    private var timer: Timer?
    private var isPressed = false
    private var reactor: Reactor?
    private var pressed: () -> Void = {}
    private var failed: (GPIOError) -> Void = { _ in }
    private var isLost = false

    init(_ reference: LineReference, activeLow: Bool) {
        self.reference = reference
        isActiveLow = activeLow
    }

    /// Opens the line. `failed` is called once if it cannot be opened, or is lost.
    func start(
        _ reactor: Reactor, failed: @escaping (GPIOError) -> Void, pressed: @escaping () -> Void
    ) {
        self.reactor = reactor
        self.pressed = pressed
        self.failed = failed
        open()
        reactor.schedule(at: reactor.now + ProvisioningButton.retry) { [weak self] in self?.check() }
    }

    /// Closes the line.
    func stop() {
        close()
        pressed = {}
        failed = { _ in }
        reactor = nil
    }

    private func open() {
        guard let reactor else { return }
        do throws(GPIOError) {
            let line = try InputLine(
                reference, activeLow: isActiveLow, bias: isActiveLow ? .pullUp : .asIs)
            let descriptor = line.descriptor
            // A button pressed at the start is stuck, and does not count as pressed.
            isPressed = try line.get()
            self.line = consume line
            watch = try? reactor.watch(descriptor, .readable) { [weak self] _ in self?.read() }
            isLost = false
        } catch {
            handleLoss(error)
        }
    }

    /// Checks that the line exists: Linux 6.1 does not report the removal of a chip.
    private func check() {
        guard let reactor else { return }
        do throws(GPIOError) { _ = try line?.get() } catch { handleLoss(error) }
        reactor.schedule(at: reactor.now + ProvisioningButton.retry) { [weak self] in self?.check() }
    }

    private func read() {
        do throws(GPIOError) {
            for _ in 0..<ProvisioningButton.edgesAtOnce {
                guard try line?.nextEdge() != nil else { break }
            }
            guard let level = try line?.get() else { return }
            handleLevel(level)
        } catch {
            handleLoss(error)
        }
    }

    private func handleLevel(_ level: Bool) {
        guard level != isPressed else { return }
        isPressed = level
        timer?.cancel()
        guard level, let reactor else { return }
        timer = reactor.schedule(at: reactor.now + ProvisioningButton.debounce) { [weak self] in
            guard let self, isPressed else { return }
            pressed()
        }
    }

    private func handleLoss(_ error: GPIOError) {
        close()
        if !isLost { failed(error) }
        isLost = true
        guard let reactor else { return }
        reactor.schedule(at: reactor.now + ProvisioningButton.retry) { [weak self] in self?.open() }
    }

    private func close() {
        timer?.cancel()
        // Before the descriptor is closed with the line.
        watch?.cancel()
        watch = nil
        line = nil
    }
}
