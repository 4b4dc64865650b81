import Glibc
import Logging
import Peripheral
import System
import Timekeeping

/// What a connection tells the process that owns it. After packets or a loss comes a pause, to settle what they did.
protocol ControllerConnectionOwner: AnyObject {
    /// The transport is open.
    func controllerReached()
    /// A packet came, with its type octet.
    func controllerSent(_ packet: Span<UInt8>)
    /// That was all for now.
    func controllerPaused()
    /// The transport was open and is gone; it is opened again by itself.
    func controllerLost(_ why: any Error)
    /// The transport could not be opened; that is tried again by itself.
    func controllerUnreachable(_ why: any Error)
}

/// The transport to the controller, kept open: one that is lost, or was never there, is opened again with growing
/// pauses. The door does not wait for it.
final class ControllerConnection {
    /// How a transport is opened; tests have it fail.
    typealias Opening = (_ name: TransportName, _ takesAdapter: Bool) throws -> HCITransport

    private let reactor: Reactor
    private let name: TransportName
    private let takesAdapter: Bool
    private let log: Logger
    private let capture: PacketCapture?
    private let opening: Opening
    private let lookup: HostLookup
    private let patience: Duration
    /// Whether the name service still owes an answer.
    private var isLookingUp = false
    private var transport: HCITransport?
    private var watch: Watch?
    /// For what is due on the line though nothing comes.
    private var timer: Timer?
    private var isReached = false
    private var pause = ControllerConnection.firstPause
    weak var owner: (any ControllerConnectionOwner)?

    /// The first pause before a lost transport is opened again, doubled up to the longest.
    private static let firstPause = Duration.milliseconds(250)
    private static let longestPause = Duration.seconds(5)

    /// How long a name service may take before that is told; its answer is taken whenever it comes. As long as glibc
    /// waits for one server by itself.
    static let patience = Duration.seconds(5)

    init(
        _ reactor: Reactor, name: TransportName, takesAdapter: Bool, capture: PacketCapture? = nil, log: Logger,
        opening: @escaping Opening = { try HCITransport.open($0, takeAdapter: $1) }, lookup: HostLookup? = nil,
        patience: Duration = ControllerConnection.patience
    ) {
        self.reactor = reactor
        self.name = name
        self.takesAdapter = takesAdapter
        self.capture = capture
        self.log = log
        self.opening = opening
        self.lookup = lookup ?? HostLookup(reactor: reactor)
        self.patience = patience
    }

    /// Opens the transport; the owner hears what became of it. A host's name is looked up first, elsewhere.
    func open() {
        guard name.hasHostName else { return open([name]) }
        guard !isLookingUp else { return }
        isLookingUp = true
        let impatience = reactor.schedule(at: reactor.now + patience) { [weak self] in self?.hearsNothing() }
        let isStarted = lookup.start(name) { [weak self] result in
            impatience.cancel()
            guard let self else { return }
            isLookingUp = false
            switch result {
            case .success(let places): open(places)
            case .failure(let error): failed(error)
            }
        }
        guard !isStarted else { return }
        impatience.cancel()
        isLookingUp = false
        failed(TransportError(transport: name, fault: .cannotConnect(code: EAGAIN)))
    }

    /// The name service does not answer. It is not asked again before it has: another question would take another thread.
    private func hearsNothing() {
        owner?.controllerUnreachable(TransportError(transport: name, fault: .unknownHost(code: EAI_AGAIN)))
    }

    /// Opens the first of `places` that can be.
    private func open(_ places: [TransportName]) {
        var last: any Error = TransportError(transport: name, fault: .unknownHost(code: EAI_NONAME))
        for place in places {
            do {
                let transport = try opening(place, takesAdapter)
                self.transport = transport
                watch = try reactor.watch(transport.descriptor, interest) { [self] _ in ready() }
                if !transport.wantsWrite { reached() }
                return
            } catch {
                transport?.close()
                transport = nil
                last = error
            }
        }
        failed(last)
    }

    /// Sends one packet, with its type octet, when `flush` is called or before; dropped while there is no transport.
    func send(_ packet: Span<UInt8>) {
        guard let transport else { return }
        transport.enqueue(packet)
        capture?.record(packet, .sent)
    }

    /// Sends the packets since the last call.
    func flush() {
        transport?.flush()
    }

    /// Watches for what the transport waits for now.
    func updateInterest() {
        capture?.flush()
        guard let watch else { return }
        do {
            try watch.modify(interest)
        } catch {
            return failed(error)
        }
        setTimer()
    }

    private func setTimer() {
        guard let deadline = transport?.nextDeadline else {
            timer?.cancel()
            return
        }
        if let timer {
            if !timer.isPending || timer.deadline != deadline { timer.reschedule(at: deadline) }
        } else {
            timer = reactor.schedule(at: deadline) { [weak self] in self?.ready() }
        }
    }

    private var interest: Interest {
        transport?.wantsWrite == true ? [.readable, .writable] : .readable
    }

    private func ready() {
        guard let transport else { return }
        do {
            if transport.wantsWrite {
                try transport.writeReady()
                if !isReached, !transport.wantsWrite { reached() }
            }
            // Nothing is captured weakly here: that would take memory for every read.
            try transport.readReady(at: reactor.now) { packet in
                capture?.record(packet, .received)
                owner?.controllerSent(packet)
            }
            owner?.controllerPaused()
        } catch {
            failed(error)
        }
    }

    private func reached() {
        isReached = true
        pause = ControllerConnection.firstPause
        owner?.controllerReached()
    }

    private func failed(_ error: any Error) {
        // It is told by the name that was configured, and not by an address of it.
        let why = (error as? TransportError).map { TransportError(transport: name, fault: $0.fault) } ?? error
        watch?.cancel()
        watch = nil
        timer?.cancel()
        transport?.close()
        transport = nil
        log.debug("\(why); tried again in \(pause)")
        if isReached {
            isReached = false
            owner?.controllerLost(why)
        } else {
            owner?.controllerUnreachable(why)
        }
        reactor.schedule(at: reactor.now + pause) { [weak self] in self?.open() }
        pause = min(pause * 2, ControllerConnection.longestPause)
    }
}
