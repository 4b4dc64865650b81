// SPDX-License-Identifier: Apache-2.0

import CLinux
import CMosquitto
public import Fleet
import Glibc
public import System
import Timekeeping

/// One attempt to connect to a broker, and the connection that comes of it: MQTT 5 by libmosquitto, on a reactor.
///
/// The look-up of the name is on a thread of its own, since it may block. Every call of the library is followed by the
/// question for its descriptor and for what it wants to write, which any call may change. What is queued is bounded by
/// the caller, who counts acknowledgements.
public final class MQTTConnection: @unchecked Sendable {
    /// A change of the connection.
    public enum Event {
        /// The broker serves.
        case connected
        /// A subscription has begun with this reason code.
        case subscribed(reason: Int)
        /// A message was acknowledged with this reason code.
        case published(message: Int32, reason: Int)
        /// A message has arrived, with correlation data of at most `FleetLimits.correlationCount` octets.
        case received([UInt8], topic: String, isRetained: Bool, correlation: [UInt8])
        /// The attempt or the connection has failed; nothing follows.
        case failed(LinkFault, String)
    }

    /// The longest time from the start to the broker's answer.
    public static let timeToConnect = Duration.seconds(30)
    private static let tick = Duration.seconds(1)

    private let broker: Broker
    private let tls: TLSIdentity?
    private let reactor: Reactor
    private let handle: (Event) -> Void
    private var mqtt: OpaquePointer?
    private var watch: Watch?
    private var timer: Timer?
    private var limit: Timer?
    private var isServed = false
    private var isOver = false
    /// True within a call of the library that may call back.
    private var isCalling = false
    /// True while the name is looked up, on another thread that cannot be ended: also after the attempt has failed.
    /// No other attempt may begin meanwhile, or each would leave a thread behind.
    public private(set) var isLookingUp = false
    /// The first failure that was told within a call of the library.
    private var told: (fault: LinkFault, text: String)?

    /// An attempt, for `start`.
    ///
    /// - Throws: `ProgramFailure` if the library refuses it.
    public init(
        _ broker: Broker, _ tls: TLSIdentity?, identity: String, will: MQTTWill?, _ reactor: Reactor,
        _ handle: @escaping (Event) -> Void
    ) throws(ProgramFailure) {
        self.broker = broker
        self.tls = tls
        self.reactor = reactor
        self.handle = handle
        var problem = [CChar](repeating: 0, count: 256)
        mqtt = create(identity, will, &problem)
        guard mqtt != nil else {
            throw .failed(text(of: problem))
        }
    }

    deinit { mqtt.map(readerd_mqtt_destroy) }

    private func create(_ identity: String, _ will: MQTTWill?, _ problem: inout [CChar]) -> OpaquePointer? {
        var handlers = readerd_mqtt_handlers()
        handlers.context = Unmanaged.passUnretained(self).toOpaque()
        handlers.connected = { MQTTConnection.of($0)?.take(connected: $1) }
        handlers.subscribed = { MQTTConnection.of($0)?.tell(.subscribed(reason: Int($1))) }
        handlers.published = { MQTTConnection.of($0)?.tell(.published(message: $1, reason: Int($2))) }
        handlers.received = { context, topic, payload, count, isRetained, correlation, correlationCount in
            guard let topic else { return }
            // Longer data is not echoed.
            let kept = correlationCount <= FleetLimits.correlationCount ? correlationCount : 0
            MQTTConnection.of(context)?.tell(
                .received(
                    Array(UnsafeBufferPointer(start: payload, count: count)), topic: String(cString: topic),
                    isRetained: isRetained,
                    correlation: Array(UnsafeBufferPointer(start: correlation, count: kept))))
        }
        handlers.lost = { MQTTConnection.of($0)?.note(lost: $1) }
        var created: OpaquePointer?
        withCStrings([identity, will?.topic, will?.text]) { texts in
            var options = readerd_mqtt_options()
            (options.identity, options.will_topic, options.will) = (texts[0], texts[1], texts[2])
            options.will_delay = will?.delaySeconds ?? 0
            options.tls = tls?.context
            options.keepalive = CInt(broker.keepaliveSeconds)
            created = readerd_mqtt_create(&options, &handlers, &problem, problem.count)
        }
        return created
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> MQTTConnection? {
        context.map { Unmanaged<MQTTConnection>.fromOpaque($0).takeUnretainedValue() }
    }

    // MARK: The caller

    /// Begins to connect.
    public func start() {
        isLookingUp = true
        let isStarted = DetachedThread.start { [self] in
            let code = mqtt.map { readerd_mqtt_connect($0, broker.host, broker.port) } ?? 0
            reactor.perform { [self] in take(lookedUp: code) }
        }
        guard isStarted else {
            isLookingUp = false
            return reactor.perform { [self] in fail(.unreachable, "the process has no thread left") }
        }
        limit = reactor.schedule(at: reactor.now + MQTTConnection.timeToConnect) { [weak self] in self?.timeOut() }
    }

    /// Ends the connection without an event; the broker publishes the will.
    public func close() {
        guard !isOver else { return }
        isOver = true
        release()
        // Within a callback the library holds a lock that the end of a connection takes, too: it would wait for itself.
        if isCalling { reactor.perform { [self] in sayGoodbye() } } else { sayGoodbye() }
    }

    private func sayGoodbye() {
        guard !isLookingUp, let mqtt, readerd_mqtt_descriptor(mqtt) >= 0 else { return }
        readerd_mqtt_disconnect(mqtt)
        _ = readerd_mqtt_write(mqtt)
    }

    /// Publishes a text with QoS 1. Returns the message's number; nil after a failure, which is told.
    public func publish(
        _ payload: String, topic: String, isRetained: Bool, correlation: [UInt8] = []
    ) -> Int32? {
        publish(octets: Array(payload.utf8), topic: topic, isRetained: isRetained, correlation: correlation)
    }

    /// Publishes octets with QoS 1. Returns the message's number; nil after a failure, which is told.
    public func publish(
        octets: [UInt8], topic: String, isRetained: Bool, correlation: [UInt8] = []
    ) -> Int32? {
        guard !isOver, let mqtt else { return nil }
        let message = readerd_mqtt_publish(
            mqtt, topic, octets, octets.count, isRetained, correlation, correlation.count)
        settle(max(0, -message))
        return message > 0 ? message : nil
    }

    /// Subscribes with QoS 1.
    public func subscribe(_ topic: String) {
        guard !isOver, let mqtt else { return }
        settle(readerd_mqtt_subscribe(mqtt, topic))
    }

    // MARK: The library

    private func take(lookedUp code: CInt) {
        isLookingUp = false
        guard !isOver, let mqtt else { return }
        if readerd_mqtt_is_unresolved(code) {
            return fail(.unresolved, "\(broker.host) has no address; check the name, and the name service")
        }
        let descriptor = readerd_mqtt_descriptor(mqtt)
        guard descriptor >= 0 else {
            // The library has gone as far as the broker's certificate, if it was quick.
            let cause = cause(of: max(0, code))
            return fail(cause.fault, cause.text)
        }
        do throws(SystemError) {
            watch = try reactor.watch(descriptor, [.readable, .writable]) { [weak self] in self?.serve($0) }
        } catch {
            return fail(.unreachable, "\(error)")
        }
        timer = reactor.schedule(at: reactor.now + MQTTConnection.tick) { [weak self] in self?.advance() }
    }

    private func serve(_ readiness: Readiness) {
        guard !isOver, let mqtt else { return }
        if !isServed {
            // The library would spin on a connection that was refused.
            let descriptor = readerd_mqtt_descriptor(mqtt)
            var (error, size) = (CInt(0), socklen_t(MemoryLayout<CInt>.size))
            getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size)
            guard error == 0 else { return fail(.unreachable, "\(broker): \(String(cString: strerror(error)))") }
        }
        var code: CInt = 0
        // A refusal is read before the write that it would fail.
        if !isServed || !readiness.isDisjoint(with: [.readable, .hangup, .error]) {
            code = calling { readerd_mqtt_read(mqtt) }
        }
        if code == 0, !isOver, readiness.contains(.writable), readerd_mqtt_descriptor(mqtt) >= 0 {
            code = calling { readerd_mqtt_write(mqtt) }
        }
        settle(code)
        // The library's first write may have taken the error of a refused connection, and does not tell it.
        if !isOver, !isServed, readiness.contains(.hangup), !hasPeer {
            fail(.unreachable, "\(broker): \(String(cString: strerror(ECONNREFUSED)))")
        }
    }

    /// True while the socket is connected.
    private var hasPeer: Bool {
        guard let mqtt else { return false }
        var (address, size) = (sockaddr_storage(), socklen_t(MemoryLayout<sockaddr_storage>.size))
        return withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getpeername(readerd_mqtt_descriptor(mqtt), $0, &size) == 0
            }
        }
    }

    private func advance() {
        guard !isOver, let mqtt, let timer else { return }
        timer.reschedule(at: reactor.now + MQTTConnection.tick)
        settle(calling { readerd_mqtt_tick(mqtt) })
    }

    private func calling(_ call: () -> CInt) -> CInt {
        isCalling = true
        defer { isCalling = false }
        return call()
    }

    /// After a call of the library with this code: its failure, or what it waits for now.
    private func settle(_ code: CInt) {
        guard !isOver, let mqtt else { return }
        let isGone = readerd_mqtt_descriptor(mqtt) < 0
        guard code == 0, !isGone, told == nil else {
            let cause = told ?? cause(of: code)
            return fail(cause.fault, cause.text)
        }
        var interest: Interest = .readable
        if readerd_mqtt_wants_write(mqtt) { interest.insert(.writable) }
        if watch?.interest != interest { try? watch?.modify(interest) }
    }

    private func cause(of code: CInt) -> (fault: LinkFault, text: String) {
        let alert = mqtt.map { Int(readerd_mqtt_alert($0)) } ?? 0
        switch alert {
        case Int(READERD_MQTT_OTHER_NAME):
            return (.certificateName, "the broker's certificate is not for \(broker.host)")
        case Int(READERD_MQTT_OTHER_TIME):
            return (.certificateTime, "the broker's certificate is not valid now; check the clock, and renew it")
        case Int(READERD_MQTT_UNTRUSTED):
            return (
                .certificateUntrusted, "the broker's certificate is of no authority in \(broker.tls?.authorities ?? "")"
            )
        case Int(READERD_MQTT_REFUSED):
            return (.refused, "the broker refuses this certificate, or the TLS connection; enrol the reader there")
        default: break
        }
        if readerd_mqtt_is_silent(code) { return (.lost, "\(broker) is silent") }
        let text = code == 0 ? "has closed the connection" : String(cString: readerd_mqtt_text(code))
        if isServed { return (.lost, "\(broker): \(text)") }
        if readerd_mqtt_is_malformed(code) { return withoutMQTT5 }
        if let mqtt, readerd_mqtt_is_secured(mqtt) {
            return (
                .refused,
                "\(broker) has ended the TLS connection: it may refuse this certificate; enrol the reader there"
            )
        }
        return (.unreachable, "\(broker) does not serve: \(text)")
    }

    private var withoutMQTT5: (fault: LinkFault, text: String) {
        (.oldProtocol, "\(broker) does not speak MQTT 5; use one that does")
    }

    private func note(lost code: CInt) {
        guard told == nil else { return }
        told = cause(of: code)
    }

    private func take(connected reason: CInt) {
        guard reason == 0 else {
            if reason == MQTTReason.unsupportedVersion || reason < MQTTReason.firstFailure {
                told = withoutMQTT5
            } else {
                let text = String(cString: readerd_mqtt_text(reason))
                told = (.refused, "\(broker) refuses this reader: \(text); enrol it there")
            }
            return
        }
        isServed = true
        limit?.cancel()
        tell(.connected)
    }

    private func timeOut() {
        guard !isOver, !isServed else { return }
        if isLookingUp {
            return fail(.unresolved, MQTTConnection.endlessLookUp(broker))
        }
        fail(.unreachable, "\(broker) does not answer")
    }

    /// The text of the failure of an attempt whose look-up, or the one before, does not end.
    public static func endlessLookUp(_ broker: Broker) -> String {
        "the look-up of \(broker.host) does not end; check the name service"
    }

    private func tell(_ event: Event) {
        guard !isOver, told == nil else { return }
        handle(event)
    }

    private func fail(_ fault: LinkFault, _ text: String) {
        guard !isOver else { return }
        isOver = true
        release()
        handle(.failed(fault, text))
    }

    private func release() {
        watch?.cancel()
        timer?.cancel()
        limit?.cancel()
    }
}

/// C strings for the time of a call; nil stays nil.
func withCStrings(_ texts: [String?], _ body: ([UnsafePointer<CChar>?]) -> Void) {
    let copies = texts.map { text in text.map { strdup($0) } }
    body(copies.map { copy in copy.flatMap { UnsafePointer($0) } })
    for copy in copies { free(copy ?? nil) }
}
