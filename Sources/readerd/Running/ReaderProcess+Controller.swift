// SPDX-License-Identifier: Apache-2.0

import Logging
import Peripheral
import System
import Reader
import Timekeeping

/// The reader's notices, and the controller's transport.
extension ReaderProcess {
    func report(_ notice: ReaderNotice) {
        log.log(level: notice.level, "\(notice)")
        if notice.level >= .warning { audit.writeLine(.warning, "\(notice)") }
        metrics.count(notice)
        noticeFaults(notice)
        for service in services { service.receive(notice) }
    }

    /// True if the controller is ready, and phones are served in at least one mode, by its answers.
    var servesPhones: Bool { metrics.isControllerReady && device.modes.contains { $0.state.isServed } }
}

extension ReaderProcess: ControllerConnectionOwner {
    func controllerReached() {
        device.start(at: moment)
        flush()
    }

    func controllerSent(_ packet: Span<UInt8>) {
        device.receive(packet, at: moment)
    }

    func controllerPaused() {
        flush()
    }

    func controllerLost(_ why: any Error) {
        raiseController(FaultCode(why, wasReached: true), "\(why)")
        device.transportLost(at: moment)
        flush()
    }

    func controllerUnreachable(_ why: any Error) {
        raiseController(FaultCode(why, wasReached: false), "\(why)")
        flush()
    }
}

extension ReaderNotice {
    /// The log level of a notice: decisions are logged always, measurements for debugging.
    fileprivate var level: Logger.Level {
        switch self {
        // The last ones are faults as well, and reported once as such.
        case .measured, .traced, .controllerFailed, .rssiUnavailable, .rssiUnusable, .unserved, .advertisingRefused:
            .debug
        case .door(.forced), .door(.heldOpenTooLong), .door(.alarmLasts), .door(.fire), .door(.tamper(true)),
            .door(.lockdown),
            .door(.lockout(true)):
            .warning
        case .configurationIgnored: .warning
        case .controllerReady, .rssiUsable, .advertising, .connected, .near, .refused, .messageRefused, .executed,
            .decided, .blacklisted, .unanswerable, .disconnected, .repeated, .doorStarted, .door, .tapped, .tapEnded,
            .cardRefused, .mailbox:
            .info
        }
    }
}
