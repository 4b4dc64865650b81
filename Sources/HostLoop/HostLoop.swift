// SPDX-License-Identifier: Apache-2.0

public import Peripheral
public import System
public import Timekeeping

/// The reason why a device stopped, as one line for the user.
public struct HostLoopError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The failure and the remedy.
    public let description: String

    /// An error with this description.
    public init(description: String) { self.description = description }
}

/// Runs a device, the transport to its controller and a timer on a reactor: the whole I/O of a program with one
/// device.
///
/// ```swift
/// let loop = try HostLoop(device, on: TransportName("hci-socket:0"))
/// try loop.run { device in … }
/// ```
///
/// It runs until SIGINT, SIGTERM or, unless that is ignored, SIGHUP. A lost transport ends it with an error, so that a
/// supervisor can start it again, or is opened again (`reopen`). Everything happens on the thread that calls `run`.
public final class HostLoop<Device: HostedDevice & ~Copyable> {
    /// The reactor, for sockets and timers of the program. Their handlers reach the device by `act`.
    public let reactor: Reactor
    private let name: TransportName
    /// Nil while a lost transport is not open again.
    private var transport: HCITransport?
    private var device: Device
    private var capture: BTSnoopFile?
    private var watch: Watch?
    private lazy var timer = reactor.timer { [weak self] in self?.timePassed() }
    private var others: [Watch] = []
    private var isReached = false
    /// The time for which a transport that was never reached is opened again, and its end.
    private let waits: Duration?
    private var waitEnd: Instant?
    private var wasReached = false
    private var losses: ((String) -> Void)?
    private var lastLoss: String?
    private var reopening: Timer?
    private var pause = ReopenPauses.first
    private var failure: HostLoopError?
    private var settled: (inout Device) -> Void = { _ in }
    private var ending: ((inout Device, Instant) -> Void)?

    /// Blocks the signals that end the program, and opens the transport. Create the loop before the process starts any
    /// thread.
    ///
    /// - Parameters:
    ///   - capture: the file that records all packets; nil for none.
    ///   - waits: the time for which `reopen` also opens a transport again that was never reached, since the controller
    ///     may start later; nil to end then.
    /// - Throws: `HostLoopError` if a signal, the reactor or the transport cannot be set up.
    public init(
        _ device: consuming Device, on name: TransportName, capture: BTSnoopFile? = nil, waits: Duration? = nil
    ) throws(HostLoopError) {
        do {
            reactor = try Reactor.ofProgram()
            transport = try HCITransport.open(name, mayBeAbsent: waits != nil)
        } catch {
            throw HostLoopError(description: "\(error)")
        }
        self.waits = waits
        self.name = name
        self.device = device
        self.capture = capture
    }

    /// Runs the device until a signal ends it.
    ///
    /// - Parameter settled: called after each input, when the device's packets have been sent: the place to drain its
    ///   notices.
    /// - Throws: `HostLoopError` if the transport is lost or the capture cannot be written.
    public func run(settled: @escaping (inout Device) -> Void) throws(HostLoopError) {
        self.settled = settled
        defer { close() }
        do {
            try reactor.onSignal(Reactor.endingSignals) { [weak self] _ in self?.signalled() }
            waitEnd = waits.map { reactor.now + $0 }
            if transport == nil { open() } else { try watchTransport() }
            try reactor.run()
        } catch {
            throw HostLoopError(description: "\(error)")
        }
        if let failure { throw failure }
    }

    /// Opens a lost transport again, after growing pauses and without a limit of attempts. The device's links have
    /// ended by then. Without this call a lost transport ends `run`; a transport that was never reached always does,
    /// after the time of `init` for it. Call this before `run`.
    ///
    /// - Parameter tell: receives each loss, and each new reason why the transport cannot be opened, as one line.
    public func reopen(telling tell: @escaping (String) -> Void) { losses = tell }

    /// Calls `body` whenever another descriptor, such as standard input, is readable or at its end, and sends the
    /// device's packets afterwards. Call this before `run`.
    ///
    /// - Parameter body: reads the descriptor; returns false to end the watch.
    /// - Returns: false if the descriptor cannot be polled, as a regular file cannot.
    public func watch(_ descriptor: Int32, _ body: @escaping (inout Device, Instant) -> Bool) -> Bool {
        let place = others.count
        let watch = try? reactor.watch(descriptor, .readable) { [weak self] _ in
            guard let self else { return }
            if !body(&device, reactor.now) { others[place].cancel() }
            flush()
        }
        if let watch { others.append(watch) }
        return watch != nil
    }

    /// Calls `body` with the device and the time, and sends the device's packets afterwards: for handlers of the
    /// program, not from within `settled`.
    public func act(_ body: (inout Device, Instant) -> Void) {
        body(&device, reactor.now)
        flush()
    }

    /// Lets the device end in order: `body` is called at the first signal, and calls of `stop` follow when it is done.
    /// A second signal ends `run` at once. Call this before `run`.
    public func onEndingSignal(_ body: @escaping (inout Device, Instant) -> Void) { ending = body }

    private func signalled() {
        // A device that was not started has nothing to end.
        guard let ending, isReached else { return reactor.stop() }
        self.ending = nil
        ending(&device, reactor.now)
        flush()
    }

    /// The longest wait for input, which narrows `inputAge`. Nil waits without limit.
    public var longestWait: Duration? {
        get { reactor.longestWait }
        set { reactor.longestWait = newValue }
    }

    /// The longest time that the input of the present handler may have waited (`Reactor.inputAge`).
    public var inputAge: Duration { reactor.inputAge }

    /// Makes `run` return, as a signal does.
    public func stop() { reactor.stop() }

    /// True if a lost transport is opened again.
    private var isReopened: Bool {
        losses != nil && (wasReached || waitEnd.map { reactor.now < $0 } ?? false)
    }

    private func watchTransport() throws {
        guard let transport else { return }
        watch = try reactor.watch(transport.descriptor, interest) { [weak self] _ in self?.ready() }
        if !transport.wantsWrite { reached() }
    }

    private var interest: Interest { transport?.wantsWrite == true ? [.readable, .writable] : .readable }

    private func ready() {
        guard let transport else { return }
        do {
            if transport.wantsWrite {
                try transport.writeReady()
                if !isReached, !transport.wantsWrite { reached() }
            }
            let now = reactor.now
            try transport.readReady(at: now) { packet in
                keep(packet, .received)
                device.receive(packet, at: now)
            }
            flush()
        } catch {
            lost("\(error)")
        }
    }

    /// Handles the loss of the transport, or its failure to open again.
    private func lost(_ why: String) {
        guard let losses, isReopened else { return end(why) }
        watch?.cancel()
        watch = nil
        transport?.close()
        transport = nil
        if why != lastLoss { losses(why) }
        lastLoss = why
        reopening = reactor.schedule(at: reactor.now + pause) { [weak self] in self?.open() }
        pause = min(pause * 2, ReopenPauses.longest)
        guard isReached else { return }
        isReached = false
        device.transportLost(at: reactor.now)
        flush()
    }

    private func open() {
        do {
            transport = try HCITransport.open(name)
            try watchTransport()
        } catch {
            lost("\(error)")
        }
    }

    private func reached() {
        isReached = true
        wasReached = true
        lastLoss = nil
        pause = ReopenPauses.first
        device.start(at: reactor.now)
        flush()
    }

    /// Sends the device's packets, calls `settled`, and rearms descriptor and timer.
    private func flush() {
        device.sendPackets { packet in
            transport?.enqueue(packet)
            keep(packet, .sent)
        }
        transport?.flush()
        settled(&device)
        do {
            try capture?.flush()
            try watch?.modify(interest)
        } catch {
            return end("\(error)")
        }
        setTimer()
    }

    private func setTimer() {
        timer.set(Instant.earlier(device.nextDeadline, transport?.nextDeadline))
    }

    private func timePassed() {
        let now = reactor.now
        device.advance(to: now)
        if let deadline = transport?.nextDeadline, now >= deadline { ready() } else { flush() }
    }

    /// Records a packet. A capture that cannot be written ends the loop, since the caller requested it.
    private func keep(_ packet: Span<UInt8>, _ direction: BTSnoop.Direction) {
        do throws(CaptureFileError) { try capture?.record(packet, direction) } catch { end(error.description) }
    }

    private func end(_ why: String) {
        failure = failure ?? HostLoopError(description: why)
        reactor.stop()
    }

    private func close() {
        timer.cancel()
        reopening?.cancel()
        watch?.cancel()
        for other in others { other.cancel() }
        transport?.close()
    }
}
