// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

extension Reactor {
    /// The reactor of a program, to be made before its first task: `signals` are blocked for `onSignal`, and SIGPIPE is
    /// ignored, so that a peer that has gone is an error of write(2).
    public static func ofProgram(signals: [CInt] = endingSignals) throws(SystemError) -> Reactor {
        try blockSignals(signals)
        signal(SIGPIPE, SIG_IGN)
        return try Reactor()
    }

    /// Blocks the signals in the calling thread and the threads that it creates. Call this before the first task:
    /// existing threads would still be terminated by them.
    public static func blockSignals(_ signals: [CInt]) throws(SystemError) {
        _ = try SystemError.check(readerd_signals_block(signals, signals.count), "pthread_sigmask")
    }

    /// The signals that end a program in order: SIGINT, SIGTERM, and SIGHUP as of a terminal that is closed, unless the
    /// program was started to outlive that (nohup).
    public static var endingSignals: [CInt] {
        var action = sigaction()
        let isIgnored =
            sigaction(SIGHUP, nil, &action) == 0
            && unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
                == unsafeBitCast(SIG_IGN, to: Int.self)
        return isIgnored ? [SIGINT, SIGTERM] : [SIGINT, SIGTERM, SIGHUP]
    }

    /// Calls `handler` with the number of each received signal. The signals must have been blocked by `blockSignals`.
    /// Several pending signals of one kind are reported once.
    @discardableResult
    public func onSignal(
        _ signals: [CInt], handler: @escaping (CInt) -> Void
    ) throws(SystemError) -> Watch {
        let source = try SignalSource(signals)
        return try watch(source.descriptor.raw, .readable) { _ in
            while case let signal = readerd_signalfd_next(source.descriptor.raw), signal > 0 { handler(signal) }
        }
    }
}

/// A signalfd, closed with its watch.
private final class SignalSource {
    let descriptor: Descriptor

    init(_ signals: [CInt]) throws(SystemError) {
        descriptor = try Descriptor(readerd_signalfd_create(signals, signals.count), "signalfd")
    }
}
