// SPDX-License-Identifier: Apache-2.0

import Glibc
import Logging
import Peripheral
import System
import Timekeeping

/// The events of a controller connection. `controllerPaused` follows packets and losses, for their effects.
protocol ControllerConnectionOwner: AnyObject {
    /// The transport is open.
    func controllerReached()
    /// A packet was received; with its type octet.
    func controllerSent(_ packet: Span<UInt8>)
    /// No further packets at the moment.
    func controllerPaused()
    /// The open transport was lost; it is reopened automatically.
    func controllerLost(_ why: any Error)
    /// The transport could not be opened; the attempt is repeated automatically.
    func controllerUnreachable(_ why: any Error)
}

/// The transport to the controller. A lost or unavailable transport is reopened after growing pauses; the door does not
/// depend on it.
final class ControllerConnection {
    /// Opens a transport; tests substitute failures.
    typealias Opening = (_ name: TransportName, _ takesAdapter: Bool) throws -> HCITransport

    private let reactor: Reactor
    private let name: TransportName
    private let takesAdapter: Bool
    private let log: Logger
    private let capture: PacketCapture?
    private let opening: Opening
    private let lookup: HostLookup
    private let lookupTimeout: Duration
    /// The socket of the process that takes adapters for this one; nil to take them itself.
    private let adapterService: () -> String?
    /// The question to it that is not answered yet.
    private var request: AdapterRequest?
    /// True while the answer of the name service is pending.
    private var isLookingUp = false
    private var transport: HCITransport?
    private var watch: Watch?
    /// For the transport's time-outs.
    private lazy var timer = reactor.timer { [weak self] in self?.ready() }
    private var isReached = false
    private var pause = ControllerConnection.firstPause
    weak var owner: (any ControllerConnectionOwner)?

    /// The pause before a lost transport is reopened; doubled with each failure up to the longest.
    private static let firstPause = Duration.milliseconds(250)
    private static let longestPause = Duration.seconds(5)

    /// The time after which a missing answer of the name service is reported; a later answer is still used. Equal to
    /// glibc's default time-out for one server.
    static let lookupTimeout = Duration.seconds(5)

    init(
        _ reactor: Reactor, name: TransportName, takesAdapter: Bool, capture: PacketCapture? = nil, log: Logger,
        opening: @escaping Opening = { try HCITransport.open($0, takeAdapter: $1) }, lookup: HostLookup? = nil,
        lookupTimeout: Duration = ControllerConnection.lookupTimeout,
        adapterService: @escaping () -> String? = AdapterRequest.serviceInUse
    ) {
        self.reactor = reactor
        self.name = name
        self.takesAdapter = takesAdapter
        self.capture = capture
        self.log = log
        self.opening = opening
        self.lookup = lookup ?? HostLookup(reactor: reactor)
        self.lookupTimeout = lookupTimeout
        self.adapterService = adapterService
    }

    /// Opens the transport, and reports the result to the owner. A host name is resolved first, on another thread.
    func open() {
        if case .hciSocket(let adapter) = name, let service = adapterService() { return ask(service, for: adapter) }
        guard name.hasHostName else { return open([name]) }
        guard !isLookingUp else { return }
        isLookingUp = true
        let timeout = reactor.schedule(at: reactor.now + lookupTimeout) { [weak self] in self?.lookupTimedOut() }
        let isStarted = lookup.start(name) { [weak self] result in
            timeout.cancel()
            guard let self else { return }
            isLookingUp = false
            switch result {
            case .success(let places): open(places)
            case .failure(let error): failed(error)
            }
        }
        guard !isStarted else { return }
        timeout.cancel()
        isLookingUp = false
        failed(TransportError(transport: name, fault: .cannotConnect(code: EAGAIN)))
    }

    /// Requests the adapter from the permitted process.
    private func ask(_ service: String, for adapter: AdapterName) {
        guard request == nil else { return }
        do throws(TransportFault) {
            request = try AdapterRequest(reactor, service: service, adapter) { [weak self] result in
                self?.answered(result, adapter)
            }
        } catch {
            failed(TransportError(transport: name, fault: error))
        }
    }

    private func answered(_ result: Result<CInt, TransportFault>, _ adapter: AdapterName) {
        request = nil
        do {
            try begin(HCITransport(adapter, userChannel: try result.get()))
        } catch let fault as TransportFault {
            failed(TransportError(transport: name, fault: fault))
        } catch {
            failed(error)
        }
    }

    private func begin(_ transport: HCITransport) throws {
        self.transport = transport
        watch = try reactor.watch(transport.descriptor, interest) { [self] _ in ready() }
        if !transport.wantsWrite { reached() }
    }

    /// Reports that the name service does not answer. The lookup is not repeated before its end, since each takes a
    /// thread.
    private func lookupTimedOut() {
        owner?.controllerUnreachable(TransportError(transport: name, fault: .unknownHost(code: EAI_AGAIN)))
    }

    /// Opens the first of `places` that is available.
    private func open(_ places: [TransportName]) {
        var last: any Error = TransportError(transport: name, fault: .unknownHost(code: EAI_NONAME))
        for place in places {
            do {
                return try begin(opening(place, takesAdapter))
            } catch {
                transport?.close()
                transport = nil
                last = error
            }
        }
        failed(last)
    }

    /// Queues one packet, with its type octet, until `flush`; discarded while there is no transport.
    func send(_ packet: Span<UInt8>) {
        guard let transport else { return }
        transport.enqueue(packet)
        capture?.record(packet, .sent)
    }

    /// Sends the queued packets.
    func flush() {
        transport?.flush()
    }

    /// Adjusts the watched readiness to the transport's state.
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
        timer.set(transport?.nextDeadline)
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
            // No weak captures: each would allocate memory for every read.
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
        // The error states the configured name instead of a resolved address.
        let why = (error as? TransportError).map { TransportError(transport: name, fault: $0.fault) } ?? error
        watch?.cancel()
        watch = nil
        timer.cancel()
        transport?.close()
        transport = nil
        log.debug("\(why); retry in \(pause)")
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
