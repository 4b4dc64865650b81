// SPDX-License-Identifier: Apache-2.0

import CLinux
public import Fleet
import Glibc
public import System
import Timekeeping

/// One attempt to connect to a broker, and the resulting connection: a client of MQTT 5 on a socket and a reactor.
///
/// The caller bounds the queue by counting acknowledgements.
public final class MQTTConnection: @unchecked Sendable {
    /// A change of the connection.
    public enum Event {
        /// The broker has accepted the connection, with these limits.
        case connected(BrokerLimits)
        /// A subscription has begun, or was refused.
        case subscribed(filter: String, MQTTReason)
        /// A message was acknowledged or refused.
        case published(message: UInt16, MQTTReason)
        /// A message has arrived.
        case received(MQTTMessage)
        /// The attempt or the connection has failed; nothing follows.
        case failed(LinkFailure)
    }

    /// The longest time from the start to the broker's answer.
    public static let timeToConnect = Duration.seconds(30)
    /// The longest time for one of several addresses.
    private static let timeOfAddress = Duration.seconds(10)

    private let broker: Broker
    private let identity: TLSIdentity?
    private let reactor: Reactor
    private let handle: (Event) -> Void
    private var client: MQTTClient
    /// The addresses that were not tried.
    private var addresses: [readerd_address] = []
    private var socket: BrokerSocket?
    private var watch: Watch?
    /// True until the socket is connected.
    private var isConnecting = false
    /// True once CONNECT is queued.
    private var isBegun = false
    /// True if the socket has to become writable for the next write, or for the next read.
    private var isBlocked = (writing: false, reading: false)
    private var isServed = false
    private var isOver = false
    private var limit: Timer?
    private var addressLimit: Timer?
    private lazy var timer = reactor.timer { [weak self] in self?.advance() }
    /// Writes the octets that a handler has queued.
    private lazy var writing = reactor.timer { [weak self] in self?.flush() }
    /// True while the name is looked up, also after the attempt has failed, since the look-up's thread cannot be ended.
    /// No other attempt may begin meanwhile: each would leave a thread behind.
    public private(set) var isLookingUp = false

    /// Creates an attempt, which begins with `start`.
    public init(
        _ broker: Broker, _ identity: TLSIdentity?, client name: String, will: MQTTWill?, _ reactor: Reactor,
        _ handle: @escaping (Event) -> Void
    ) {
        (self.broker, self.identity, self.reactor, self.handle) = (broker, identity, reactor, handle)
        client = MQTTClient(identity: name, will: will, keepalive: .seconds(Int64(broker.keepaliveSeconds)))
    }

    // MARK: - The caller

    /// Begins to connect.
    public func start() {
        isLookingUp = BrokerLookUp.start(broker, reactor) { [self] in receive($0) }
        guard isLookingUp else {
            return reactor.perform { [self] in fail(.unreachable, "the process has no thread left") }
        }
        limit = reactor.schedule(at: reactor.now + MQTTConnection.timeToConnect) { [weak self] in self?.timeOut() }
    }

    /// Ends the connection without an event; the broker publishes the will.
    public func close() {
        guard !isOver else { return }
        client.close()
        write()
        release()
    }

    /// Publishes a text with QoS 1. Returns the message's number; nil without a connection.
    public func publish(
        _ payload: String, topic: String, isRetained: Bool, correlation: [UInt8] = []
    ) -> UInt16? {
        publish(octets: Array(payload.utf8), topic: topic, isRetained: isRetained, correlation: correlation)
    }

    /// Publishes octets with QoS 1. Returns the message's number; nil without a connection.
    public func publish(
        octets: [UInt8], topic: String, isRetained: Bool, correlation: [UInt8] = []
    ) -> UInt16? {
        guard !isOver else { return nil }
        defer { writing.set(reactor.now) }
        return client.publish(
            MQTTMessage(topic: topic, payload: octets, isRetained: isRetained, correlation: correlation))
    }

    /// Subscribes with QoS 1.
    public func subscribe(_ filter: String) {
        guard !isOver else { return }
        client.subscribe(filter)
        writing.set(reactor.now)
    }

    // MARK: - Connecting

    private func receive(_ found: BrokerLookUp.Addresses) {
        isLookingUp = false
        guard !isOver else { return }
        addresses = found.list
        guard !addresses.isEmpty else {
            return fail(.unresolved, "\(broker.host) has no address; check the name, and the name service")
        }
        connectNext(after: nil)
    }

    /// Connects to the next address, after the previous one has failed with this errno.
    private func connectNext(after former: CInt?) {
        watch?.cancel()
        (socket, isConnecting) = (nil, false)
        guard !addresses.isEmpty else {
            return fail(.unreachable, "\(broker): \(former.map { String(cString: strerror($0)) } ?? "does not answer")")
        }
        let address = addresses.removeFirst()
        let descriptor = withUnsafePointer(to: address) { readerd_connect_address($0, &isConnecting) }
        guard descriptor >= 0 else { return connectNext(after: -descriptor) }
        guard let socket = BrokerSocket(descriptor, identity) else {
            return fail(.unreachable, "\(broker): the process has no memory left")
        }
        self.socket = socket
        do throws(SystemError) {
            watch = try reactor.watch(descriptor, .writable) { [weak self] _ in self?.serve() }
        } catch {
            return fail(.unreachable, "\(error)")
        }
        guard !addresses.isEmpty else { return }
        addressLimit = reactor.schedule(at: reactor.now + MQTTConnection.timeOfAddress) { [weak self] in
            if let self, isConnecting { connectNext(after: ETIMEDOUT) }
        }
    }

    /// True once the socket is connected; the next address follows a failure.
    private func establish(_ socket: BrokerSocket) -> Bool {
        guard isConnecting || !isBegun else { return true }
        let result = readerd_connect_result(socket.descriptor)
        guard result != -EINPROGRESS else { return false }
        addressLimit?.cancel()
        guard result == 0 else {
            connectNext(after: -result)
            return false
        }
        (isConnecting, isBegun) = (false, true)
        client.begin(at: reactor.now)
        return true
    }

    private func timeOut() {
        guard !isOver, !isServed else { return }
        if isLookingUp { return fail(.unresolved, MQTTConnection.endlessLookUp(broker)) }
        fail(.unreachable, "\(broker) does not answer")
    }

    /// The text of the failure of an attempt whose look-up, or the previous attempt's, does not end.
    public static func endlessLookUp(_ broker: Broker) -> String {
        "the look-up of \(broker.host) does not end; check the name service"
    }

    // MARK: - Serving

    private func serve() {
        guard !isOver, let socket, establish(socket) else { return }
        // Read first: after a refusal the write fails.
        read(socket)
        flush()
    }

    private func read(_ socket: BrokerSocket) {
        guard client.wantsInput else { return }
        let outcome = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: BrokerSocket.readCount) { buffer in
            let outcome = socket.read(into: buffer)
            if case .octets(let count) = outcome, let start = buffer.baseAddress {
                client.receive(UnsafeBufferPointer(start: start, count: count).span, at: reactor.now)
            }
            return outcome
        }
        report()
        guard !isOver else { return }
        isBlocked.reading = outcome == .wantsWrite
        switch outcome {
        case .octets, .wantsWrite: break
        case .wantsRead: watch?.drained()
        case .ended, .failed: failConnection(socket)
        }
    }

    private func advance() {
        guard !isOver else { return }
        client.advance(to: reactor.now)
        report()
        flush()
    }

    /// Writes the queued octets, and waits for the next socket event that the client needs.
    private func flush() {
        guard !isOver, let socket, isBegun else { return }
        switch write() {
        case .ended, .failed:
            // The broker's reason may have been received.
            read(socket)
            return failConnection(socket)
        default: report()
        }
        guard !isOver else { return }
        var interest: Interest = client.wantsInput ? .readable : []
        if isBlocked.writing || isBlocked.reading { interest.insert(.writable) }
        if watch?.interest != interest { try? watch?.modify(interest) }
        timer.set(client.nextDeadline)
    }

    /// Writes as many queued octets as the socket accepts.
    @discardableResult
    private func write() -> BrokerSocket.Outcome {
        var outcome = BrokerSocket.Outcome.octets(0)
        guard let socket, isBegun else { return outcome }
        while !client.output.isEmpty {
            outcome = client.output.withUnsafeBufferPointer { socket.write($0) }
            guard case .octets(let count) = outcome else { break }
            client.sent(count, at: reactor.now)
        }
        isBlocked.writing = outcome == .wantsWrite
        return outcome
    }

    private func report() {
        for event in client.takeEvents() where !isOver {
            switch event {
            case .connected(let limits):
                isServed = true
                limit?.cancel()
                handle(.connected(limits))
            case .subscribed(let filter, let reason): handle(.subscribed(filter: filter, reason))
            case .published(let message, let reason): handle(.published(message: message, reason))
            case .received(let message): handle(.received(message))
            case .ended(let end):
                // A violation is answered with its reason.
                write()
                fail(failure(of: end))
            }
        }
    }

    // MARK: - The end

    private func failure(of end: MQTTClient.End) -> LinkFailure {
        switch end {
        case .refused(let reason, let reference):
            LinkFailure("\(broker)", reason, refused: true, reference: reference)
        case .disconnected(let reason, let reference):
            LinkFailure("\(broker)", reason, refused: false, reference: reference)
        case .formerVersion: LinkFailure(.oldProtocol, "\(broker) does not speak MQTT 5; use one that does")
        case .violation(let text):
            isServed
                ? LinkFailure(
                    .violation, "\(broker) violates MQTT 5 (\(text)); look for another server in between, or report it")
                : LinkFailure(.oldProtocol, "\(broker) does not speak MQTT 5 (\(text)); use one that does")
        case .silent: LinkFailure(.lost, "\(broker) is silent")
        }
    }

    /// Ends a connection that the broker has closed, or that has failed.
    private func failConnection(_ socket: BrokerSocket) {
        guard !isOver else { return }
        fail(TLSFailure.failure(of: socket, broker) ?? closed(socket))
    }

    private func closed(_ socket: BrokerSocket) -> LinkFailure {
        let text = "\(broker) has closed the connection"
        if isServed { return LinkFailure(.lost, "\(text) without a reason", isUnexplained: true) }
        guard socket.isSecured else { return LinkFailure(.unreachable, "\(text) before it served it") }
        return LinkFailure(.refused, "\(text) of TLS: it may refuse this certificate; enrol the reader there")
    }

    private func fail(_ fault: LinkFault, _ text: String) { fail(LinkFailure(fault, text)) }

    private func fail(_ failure: LinkFailure) {
        guard !isOver else { return }
        release()
        handle(.failed(failure))
    }

    private func release() {
        isOver = true
        for timer in [limit, addressLimit] { timer?.cancel() }
        timer.cancel()
        writing.cancel()
        watch?.cancel()
        socket = nil
    }
}
