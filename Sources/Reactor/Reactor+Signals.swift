import CLinux
import Glibc

extension Reactor {
    /// Blocks the signals in the calling thread and in all that it starts. Call it first of all, before the first
    /// task: a thread that exists already would still die of them.
    public static func blockSignals(_ signals: [CInt]) throws(SystemError) {
        _ = try SystemError.check(readerd_signals_block(signals, signals.count), "pthread_sigmask")
    }

    /// Calls `handler` with the number of each of these signals that comes. They must have been blocked by
    /// `blockSignals`. Several of one kind that come at once are told once.
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

/// A signalfd; closed when the watch on it goes.
private final class SignalSource {
    let descriptor: Descriptor

    init(_ signals: [CInt]) throws(SystemError) {
        descriptor = try Descriptor(readerd_signalfd_create(signals, signals.count), "signalfd")
    }
}
