import Glibc
public import Peripheral
import Reactor
public import Timekeeping

/// Why a device does not run any more, in one line.
public struct HostLoopError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What failed, and what to do.
    public let description: String

    /// An error that reads like this.
    public init(description: String) { self.description = description }
}

/// A device, the transport to its controller and a timer, on a reactor: all that a program with one device needs.
///
/// ```swift
/// let loop = try HostLoop(device, on: TransportName("hci-socket:0"))
/// try loop.run { device in … }
/// ```
///
/// It runs until SIGINT or SIGTERM. A lost transport ends it with an error: whoever started it can start it again.
/// All on the thread that calls `run`.
public final class HostLoop<Device: HostedDevice & ~Copyable> {
    private let reactor: Reactor
    private let transport: HCITransport
    private var device: Device
    private var capture: BTSnoopFile?
    private var watch: Watch?
    private var timer: Timer?
    private var others: [Watch] = []
    private var isReached = false
    private var packet: [UInt8] = []
    private var failure: HostLoopError?
    private var settled: (inout Device) -> Void = { _ in }

    /// Blocks the signals that end it, and opens the transport. Make it before the process starts any thread.
    ///
    /// - Parameters:
    ///   - capture: where all packets are kept, if anywhere.
    public init(_ device: consuming Device, on name: TransportName, capture: BTSnoopFile? = nil) throws(HostLoopError) {
        do {
            try Reactor.blockSignals([SIGINT, SIGTERM])
            signal(SIGPIPE, SIG_IGN)
            reactor = try Reactor()
            transport = try HCITransport.open(name)
        } catch {
            throw HostLoopError(description: "\(error)")
        }
        self.device = device
        self.capture = capture
    }

    /// Runs the device until a signal ends it.
    ///
    /// - Parameter settled: called whenever the device has taken an input and its packets are sent: for what it has to
    ///   tell.
    public func run(settled: @escaping (inout Device) -> Void) throws(HostLoopError) {
        self.settled = settled
        defer { close() }
        do {
            try reactor.onSignal([SIGINT, SIGTERM]) { [reactor] _ in reactor.stop() }
            watch = try reactor.watch(transport.descriptor, interest) { [weak self] _ in self?.ready() }
            if !transport.wantsWrite { reached() }
            try reactor.run()
        } catch {
            throw HostLoopError(description: "\(error)")
        }
        if let failure { throw failure }
    }

    /// Calls `body` whenever there is something to be read from another descriptor, such as standard input, or it has
    /// ended; the device's packets are sent afterwards. To be called before `run`.
    ///
    /// - Parameter body: takes what is there, and says whether it wants more.
    /// - Returns: false if the descriptor cannot be waited for, as a file cannot.
    public func watch(_ descriptor: Int32, _ body: @escaping (inout Device, Instant) -> Bool) -> Bool {
        let place = others.count
        let watch = try? reactor.watch(descriptor, .readable) { [weak self] _ in
            guard let self else { return }
            if !body(&device, reactor.now) { others[place].cancel() }
            settle()
        }
        if let watch { others.append(watch) }
        return watch != nil
    }

    /// Lets `run` return, as a signal would.
    public func stop() { reactor.stop() }

    private var interest: Interest { transport.wantsWrite ? [.readable, .writable] : .readable }

    private func ready() {
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
            settle()
        } catch {
            end("\(error)")
        }
    }

    private func reached() {
        isReached = true
        device.start(at: reactor.now)
        settle()
    }

    /// Sends what the device has to say, lets it tell, and waits for what comes next.
    private func settle() {
        while device.popPacket(into: &packet) {
            transport.enqueue(packet.span)
            keep(packet.span, .sent)
        }
        transport.flush()
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
        guard let deadline = Instant.earlier(device.nextDeadline, transport.nextDeadline) else {
            timer?.cancel()
            return
        }
        if let timer {
            if !timer.isPending || timer.deadline != deadline { timer.reschedule(at: deadline) }
        } else {
            timer = reactor.schedule(at: deadline) { [weak self] in
                self?.timePassed()
            }
        }
    }

    private func timePassed() {
        let now = reactor.now
        device.advance(to: now)
        if let deadline = transport.nextDeadline, now >= deadline { ready() } else { settle() }
    }

    /// A capture was asked for: without it, going on is of no use.
    private func keep(_ packet: Span<UInt8>, _ direction: BTSnoop.Direction) {
        do throws(BTSnoopFileError) { try capture?.record(packet, direction) } catch { end(error.description) }
    }

    private func end(_ why: String) {
        failure = failure ?? HostLoopError(description: why)
        reactor.stop()
    }

    private func close() {
        timer?.cancel()
        watch?.cancel()
        for other in others { other.cancel() }
        transport.close()
    }
}
