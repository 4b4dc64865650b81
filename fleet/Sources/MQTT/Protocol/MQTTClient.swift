// SPDX-License-Identifier: Apache-2.0

public import Fleet
public import Timekeeping

/// A client of MQTT 5 on one connection, as a value without I/O: octets of the broker and the time go in, octets to the
/// broker and events come out.
///
/// It publishes and subscribes with QoS 1, on a clean start, and repeats nothing: the caller has to send an
/// unacknowledged message again on another connection. Packets that MQTT 5 does not permit end the connection. At most
/// `PacketFramer.packetLimit` octets of the broker are buffered.
public struct MQTTClient {
    /// A change of the connection.
    public enum Event: Equatable, Sendable {
        /// The broker has accepted the connection, with these limits.
        case connected(BrokerLimits)
        /// A subscription has begun, or was refused.
        case subscribed(filter: String, MQTTReason)
        /// A message was acknowledged or refused.
        case published(UInt16, MQTTReason)
        /// A message of the broker.
        case received(MQTTMessage)
        /// The connection has ended; nothing follows.
        case ended(End)
    }

    /// The end of the connection.
    public enum End: Equatable, Sendable {
        /// The broker refuses the connection, and may name another server.
        case refused(MQTTReason, reference: String?)
        /// The broker has ended the connection, and may name another server.
        case disconnected(MQTTReason, reference: String?)
        /// The broker speaks an earlier version of MQTT.
        case formerVersion
        /// The broker has sent a packet that is not permitted.
        case violation(String)
        /// The broker is silent.
        case silent
    }

    private enum State {
        case begun
        case connecting
        case connected
        case over
    }

    /// The longest time for the answer to PINGREQ; a shorter keepalive is the limit as well.
    public static let pingLimit = Duration.seconds(10)
    /// The number of waiting octets at which reading stops: a broker that does not read is not read either.
    static let outputLimit = 256 * 1024

    private let identity: String
    private let will: MQTTWill?
    private let keepalive: Duration
    private var state = State.begun
    private var framer = PacketFramer()
    private var limits = BrokerLimits()
    private var events: [Event] = []
    /// The octets to be sent.
    public private(set) var output: [UInt8] = []
    private var lastIdentifier: UInt16 = 0
    /// The sent messages that the broker has not acknowledged.
    private var unacknowledged: Set<UInt16> = []
    /// The messages beyond the broker's receive maximum, in order.
    private var waiting: [(identifier: UInt16, octets: [UInt8])] = []
    /// The filters of subscriptions without an answer.
    private var subscriptions: [UInt16: String] = [:]
    private var lastSent = Instant.origin
    private var lastReceived = Instant.origin
    /// The time by which the answer to PINGREQ is due; nil if no answer is due.
    private var pingBy: Instant?

    /// Creates a client, which starts with `begin`.
    ///
    /// - Parameter keepalive: the time without a packet in either direction after which the broker is probed; the
    ///   broker may shorten it.
    public init(identity: String, will: MQTTWill?, keepalive: Duration) {
        (self.identity, self.will, self.keepalive) = (identity, will, keepalive)
    }

    // MARK: - The caller

    /// True while octets of the broker can be received.
    public var wantsInput: Bool { state != .over && output.count < MQTTClient.outputLimit }

    /// Removes and returns the pending events.
    public mutating func takeEvents() -> [Event] {
        defer { events = [] }
        return events
    }

    /// Begins the session once the transport is connected.
    public mutating func begin(at now: Instant) {
        guard state == .begun else { return }
        state = .connecting
        (lastSent, lastReceived) = (now, now)
        output = ClientPacket.connect(
            identity: identity, will: will, keepaliveSeconds: UInt16(clamping: keepalive.wholeMilliseconds / 1000))
    }

    /// Publishes a message with QoS 1. Returns its number for `published`; nil while nothing can be published. A
    /// message beyond the broker's limits is not sent, and is answered with the broker's reason.
    public mutating func publish(_ message: MQTTMessage) -> UInt16? {
        guard state == .connected, let identifier = freeIdentifier() else { return nil }
        if let reason = refusal(of: message) {
            events.append(.published(identifier, reason))
            return identifier
        }
        let octets = ClientPacket.publish(message, identifier: identifier)
        guard octets.count <= limits.maximumPacket ?? .max else {
            events.append(.published(identifier, .packetTooLarge))
            return identifier
        }
        waiting.append((identifier, octets))
        sendWaiting()
        return identifier
    }

    /// Subscribes to a topic filter with QoS 1.
    public mutating func subscribe(_ filter: String) {
        guard state == .connected, let identifier = freeIdentifier() else { return }
        subscriptions[identifier] = filter
        output += ClientPacket.subscribe(filter, identifier: identifier)
    }

    /// Ends the connection in order; the broker publishes the will.
    public mutating func close() {
        if state == .connected { output += ClientPacket.disconnect(ClientPacket.withWill) }
        state = .over
    }

    /// Records that the first `count` octets of `output` were sent.
    public mutating func sent(_ count: Int, at now: Instant) {
        output.removeFirst(min(count, output.count))
        lastSent = now
    }

    /// The reason why the broker would refuse a message; nil if it would accept it.
    private func refusal(of message: MQTTMessage) -> MQTTReason? {
        if limits.maximumQoS < 1 { return .qosNotSupported }
        return message.isRetained && !limits.retains ? .retainNotSupported : nil
    }

    /// The next unused identifier; nil if all are in use.
    private mutating func freeIdentifier() -> UInt16? {
        let inUse = unacknowledged.count + waiting.count + subscriptions.count
        guard inUse < Int(UInt16.max) else { return nil }
        repeat { lastIdentifier = lastIdentifier == .max ? 1 : lastIdentifier + 1 } while isInUse(lastIdentifier)
        return lastIdentifier
    }

    private func isInUse(_ identifier: UInt16) -> Bool {
        unacknowledged.contains(identifier) || subscriptions[identifier] != nil
            || waiting.contains { $0.identifier == identifier }
    }

    /// Sends waiting messages up to the broker's receive maximum (MQTT 5, 4.9).
    private mutating func sendWaiting() {
        while let first = waiting.first, unacknowledged.count < limits.receiveMaximum {
            waiting.removeFirst()
            unacknowledged.insert(first.identifier)
            output += first.octets
        }
    }

    // MARK: - Time

    /// The interval after which the broker is probed.
    private var pingInterval: Duration {
        guard let seconds = limits.keepaliveSeconds, seconds > 0 else { return keepalive }
        return min(keepalive, .seconds(Int64(seconds)))
    }

    /// The next time at which `advance` is due; nil without a connection.
    public var nextDeadline: Instant? {
        guard state == .connected else { return nil }
        return pingBy ?? min(lastSent, lastReceived) + pingInterval
    }

    /// Probes a silent broker, and ends the connection if it does not answer.
    public mutating func advance(to now: Instant) {
        guard let deadline = nextDeadline, deadline <= now else { return }
        guard pingBy == nil else { return end(.silent) }
        output += ClientPacket.pingreq
        pingBy = now + min(MQTTClient.pingLimit, pingInterval)
    }

    // MARK: - The broker

    /// Receives octets of the broker.
    public mutating func receive(_ octets: Span<UInt8>, at now: Instant) {
        guard state == .connecting || state == .connected, !octets.isEmpty else { return }
        framer.append(octets)
        do throws(ProtocolViolation) {
            while state != .over, let packet = try framer.next() {
                try receive(try ServerPacket(packet))
                (lastReceived, pingBy) = (now, nil)
            }
        } catch {
            violate(error)
        }
    }

    private mutating func receive(_ packet: ServerPacket) throws(ProtocolViolation) {
        switch packet {
        case .connack(let reason, let limits, let reference): try connect(reason, limits, reference)
        case .formerConnack:
            guard state == .connecting else { throw .malformed("CONNACK without properties") }
            end(.formerVersion)
        case .disconnect(let reason, let reference): end(.disconnected(reason, reference: reference))
        case _ where state != .connected: throw .forbidden("a packet before CONNACK")
        case .publish(let message, let identifier):
            events.append(.received(message))
            if let identifier { output += ClientPacket.puback(identifier) }
        case .puback(let identifier, let reason):
            guard unacknowledged.remove(identifier) != nil else { break }
            events.append(.published(identifier, reason))
            sendWaiting()
        case .suback(let identifier, let reason):
            guard let filter = subscriptions.removeValue(forKey: identifier) else { break }
            events.append(.subscribed(filter: filter, reason))
        case .pingresp: break
        }
    }

    private mutating func connect(
        _ reason: MQTTReason, _ limits: BrokerLimits, _ reference: String?
    ) throws(ProtocolViolation) {
        guard state == .connecting else { throw .forbidden("a second CONNACK") }
        if reason == .unsupportedVersion { return end(.formerVersion) }
        guard reason == .success else {
            // MQTT 3.1.1 has return codes from 1 on (MQTT 3.1.1, 3.2.2.3).
            return end(reason.isFailure ? .refused(reason, reference: reference) : .formerVersion)
        }
        state = .connected
        self.limits = limits
        events.append(.connected(limits))
    }

    private mutating func violate(_ violation: ProtocolViolation) {
        // Before CONNACK no session exists that DISCONNECT could end (MQTT 5, 4.13.1).
        if state == .connected { output += ClientPacket.disconnect(violation.reason.rawValue) }
        end(.violation(violation.text))
    }

    private mutating func end(_ end: End) {
        state = .over
        events.append(.ended(end))
    }
}
