// SPDX-License-Identifier: Apache-2.0

public import Timekeeping

/// The link of one reader to its fleet: when to connect, what to publish, what to read, and which faults to report.
///
/// It is a value: messages, the broker's answers and time go in, effects come out. It forwards orders without parsing
/// them; the reader verifies them.
public struct FleetSession {
    /// The purpose of a published message.
    public enum Purpose: Equatable, Sendable {
        case online
        case state
        case firmware
        case discovery
        case batch
        case occasion
        case answer
    }

    /// A consequence, in order.
    public enum Effect: Equatable, Sendable {
        /// Begin to connect.
        case connect
        /// End the connection; the broker publishes the will.
        case disconnect
        /// Subscribe to a topic.
        case subscribe(String)
        /// Publish a message with QoS 1.
        case publish(String, topic: String, isRetained: Bool, Purpose)
        /// Publish the answer to an order with QoS 1 and the correlation data of the order.
        case answer(String, topic: String, correlation: [UInt8])
        /// Send a message to the reader.
        case request(LinkRequest)
    }

    private let tellsHomeAssistant: Bool
    private var random: any RandomNumberGenerator
    private var reader: LinkReader?
    private var state: String?
    private var isStatePublished = false
    private var delivery = EventDelivery()
    private var orders = OrderForwarding()
    private var desired = DesiredForwarding()
    private var reconnection: Reconnection
    private var attemptAt: Instant?
    private var isTrying = false
    /// The broker's limits; nil without a connection.
    private var limits: BrokerLimits?
    /// The required subscriptions that are not granted yet.
    private var ungranted: Set<String> = []
    /// The time by which they have to be granted; nil if all are granted.
    private var grantBy: Instant?
    /// True while the broker serves the link: it is connected, and each required subscription is granted.
    private var isSubscribed = false
    private var sizing = BatchSizing()
    private var outstanding = Outstanding()
    private var faults: [LinkFault: String] = [:]
    private var reporting = StatusReporting()
    /// The time of the response to Home Assistant's start.
    private var announceAt: Instant?
    /// The topics that the broker currently refuses, with its reasons.
    private var refusals: [String: MQTTReason] = [:]
    private var effects: [Effect] = []

    /// Creates the link of a reader.
    ///
    /// - Parameters:
    ///   - spread: the time over which a fleet's first attempts are spread.
    ///   - tellsHomeAssistant: true to publish discovery, and events as they happen.
    ///   - random: the source of randomness for spreading.
    public init(spread: Duration, tellsHomeAssistant: Bool, random: any RandomNumberGenerator) {
        reconnection = Reconnection(spread: spread)
        self.random = random
        self.tellsHomeAssistant = tellsHomeAssistant
    }

    /// The topics; nil before the reader has reported its identifier.
    public var topics: FleetTopics? { reader.map { FleetTopics(device: $0.device) } }

    /// Removes and returns the pending effects.
    public mutating func takeEffects() -> [Effect] {
        defer { effects = [] }
        return effects
    }

    /// The next time at which `advance` is due.
    public var nextDeadline: Instant? {
        guard reader != nil else { return nil }
        let waits = Instant.earlier(attemptAt, reporting.nextDeadline)
        guard limits != nil else { return waits }
        let soon = Instant.earlier(Instant.earlier(waits, delivery.nextDeadline), reconnection.goodAt)
        return Instant.earlier(Instant.earlier(soon, outstanding.deadline), Instant.earlier(announceAt, grantBy))
    }

    /// Performs due actions.
    public mutating func advance(to now: Instant) {
        if let attemptAt, attemptAt <= now {
            (self.attemptAt, isTrying) = (nil, true)
            reconnection.begin(at: now)
            effects.append(.connect)
        }
        if let deadline = Instant.earlier(outstanding.deadline, grantBy), deadline <= now {
            let seconds = FleetLimits.acknowledgeWithin.wholeMilliseconds / 1000
            disconnect(.lost, "the broker has acknowledged nothing for \(seconds) s; read its log", at: now)
        }
        if let announceAt, announceAt <= now { announce(at: now) }
        if isSubscribed {
            reconnection.settle(at: now)
            delivery.advance(to: now)
            if delivery.isOverdue(at: now), faults[.undelivered] == nil {
                faults[.undelivered] = "no back end has taken events for a minute; start the collector, or read its log"
            }
        }
        if !reconnection.isContested { faults[.identityTwice] = nil }
        finish(at: now)
    }

    // MARK: The reader

    /// Handles a message of the reader.
    public mutating func receive(_ report: LinkReport, at now: Instant) {
        switch report {
        case .reader(let reader): receive(reader, at: now)
        case .state(let text):
            isStatePublished = isStatePublished && state == text
            state = text
        case .newest(let sequence): delivery.grow(to: sequence)
        case .batch(let text, let covers, let hasGap):
            // A batch that was read for another connection may be too long, and is read again.
            guard let topics, text.utf8.count <= sizing.limit, delivery.receive(batch: covers, at: now) else { break }
            sizing.send(text.utf8.count)
            if hasGap { faults[.gap] = "events up to \(covers.upperBound) had left the log; raise events.capacity" }
            publish(text, topics.events, .batch, at: now)
        case .occasion(let event, let kind):
            guard tellsHomeAssistant, isSubscribed, outstanding.hasRoom, let topics,
                let message = HomeAssistant.occasion(event, kind: kind)
            else { break }
            publish(message, topics.occasions, .occasion, at: now)
        case .answer(let text, let number):
            // If the answer is lost, the order is sent again, and answered again.
            guard let correlation = orders.end(number), isSubscribed, let topics else { break }
            outstanding.add(text.utf8.count, at: now)
            effects.append(.answer(text, topic: topics.answers, correlation: correlation))
        case .fetch(let part): fetch(part)
        }
        finish(at: now)
    }

    /// Subscribes again: the broker sends the retained messages each time.
    private mutating func fetch(_ part: DesiredPart) {
        guard isSubscribed, let topics, let limits else { return }
        switch part {
        case .manifest: effects.append(.subscribe(topics.desired))
        case .chunks:
            desired.begin()
            guard !limits.permitsWildcards else { return effects.append(.subscribe(topics.desiredChunks)) }
            for index in 0..<FleetLimits.chunksPerState { effects.append(.subscribe(topics.desiredChunk(index))) }
        }
    }

    private mutating func receive(_ reader: LinkReader, at now: Instant) {
        self.reader = reader
        reporting = StatusReporting()
        delivery.begin(reader.log, newest: reader.newest)
        if !isTrying, attemptAt == nil { attemptAt = reconnection.first(from: now, random: &random) }
    }

    /// Handles the loss of the reader, without which the link must not report presence.
    public mutating func loseReader(at now: Instant) {
        guard reader != nil else { return }
        (reader, state, attemptAt) = (nil, nil, nil)
        delivery.suspend()
        orders.forget()
        effects.append(.disconnect)
        drop()
    }

    // MARK: The broker

    /// Handles an accepted connection with the broker's limits. The broker serves the link once it has granted the
    /// subscriptions.
    public mutating func connect(_ limits: BrokerLimits, at now: Instant) {
        guard let topics else { return }
        if let shortfall = limits.shortfall { return disconnect(.limit, "the broker's limits: \(shortfall)", at: now) }
        self.limits = limits
        sizing.begin(limits)
        let needed = [topics.mark, topics.command, topics.desired]
        (ungranted, grantBy) = (Set(needed), now + FleetLimits.acknowledgeWithin)
        for topic in needed { effects.append(.subscribe(topic)) }
        if tellsHomeAssistant { effects.append(.subscribe(FleetTopics.homeAssistantStatus)) }
        finish(at: now)
    }

    /// Handles the broker's answer to a subscription.
    public mutating func subscribe(_ filter: String, _ reason: MQTTReason, at now: Instant) {
        guard limits != nil, let topics else { return }
        guard ungranted.contains(filter) else {
            recordRefusal(reason, of: filter)
            return finish(at: now)
        }
        guard !reason.isFailure else {
            return disconnect(
                .refused, "the broker refuses the subscription to \(filter) (\(reason)); permit it in its ACL", at: now)
        }
        ungranted.remove(filter)
        guard ungranted.isEmpty else { return finish(at: now) }
        (isSubscribed, grantBy) = (true, nil)
        reconnection.connect(at: now)
        for fault in LinkFault.allCases where fault.preventsConnection { faults[fault] = nil }
        delivery.connect(at: now)
        publish("1", topics.online, retained: true, .online, at: now)
        announce(at: now)
        finish(at: now)
    }

    /// Ends the connection for this cause.
    private mutating func disconnect(_ fault: LinkFault, _ text: String, at now: Instant) {
        effects.append(.disconnect)
        fail(LinkFailure(fault, text), at: now)
    }

    /// Handles the failure of the connection, or of an attempt.
    public mutating func fail(_ failure: LinkFailure, at now: Instant) {
        guard reader != nil else { return }
        let mayBeTooLong = sizing.lose(isTooLong: failure.reason == .packetTooLarge)
        // Another client is assumed if the broker reports it, or if the broker repeatedly closes connections that it
        // served and acknowledged completely, which leaves no other cause.
        let isOfAnother =
            failure.fault == .identityTwice || failure.isUnexplained && outstanding.count == 0 && !mayBeTooLong
        drop()
        for fault in LinkFault.allCases where fault.preventsConnection { faults[fault] = nil }
        faults[failure.fault] =
            failure.isUnexplained && mayBeTooLong
            ? "\(failure.text), before it acknowledged a long message; if that is beyond its maximum packet size, raise it"
            : failure.text
        attemptAt = reconnection.fail(
            at: now, isOfAnother: isOfAnother, isTakenOver: failure.fault == .identityTwice, random: &random)
        if reconnection.isContested, faults[.identityTwice] == nil {
            faults[.identityTwice] =
                "the broker has closed \(Reconnection.lossesOfTwo) connections within a minute without a reason, and "
                + "accepted the next: another client may have the same certificate, or the broker does not stay up"
        }
        finish(at: now)
    }

    /// Sets the fault of the own certificate as text; nil if it is valid.
    public mutating func update(ownCertificate text: String?, at now: Instant) {
        faults[.ownCertificate] = text
        finish(at: now)
    }

    /// Connects again with the renewed files of the own identity.
    public mutating func renew(at now: Instant) {
        guard limits != nil else { return }
        effects.append(.disconnect)
        drop()
        attemptAt = reconnection.first(from: now, random: &random)
        finish(at: now)
    }

    /// Handles the broker's acknowledgement of a message of this length in octets. It does not prove delivery; only the
    /// mark does.
    public mutating func acknowledge(_ purpose: Purpose, octets: Int, reason: MQTTReason, at now: Instant) {
        outstanding.remove(octets, at: now)
        guard let topics else { return }
        switch purpose {
        case .batch:
            sizing.acknowledge(octets)
            if reason.isFailure {
                faults[.undelivered] = "the broker refuses the events (\(reason)); correct its ACL or its quota"
            } else if reason == .noSubscriber {
                faults[.undelivered] = "no back end has subscribed to the events; start the collector"
            }
        case .online: recordRefusal(reason, of: topics.online)
        case .state: recordRefusal(reason, of: topics.state)
        case .firmware: recordRefusal(reason, of: topics.firmware)
        case .discovery: recordRefusal(reason, of: topics.discovery)
        case .occasion: recordRefusal(reason, of: topics.occasions)
        case .answer: recordRefusal(reason, of: topics.answers)
        }
        finish(at: now)
    }

    /// Records the broker's reason for a topic. The first refused topic is a fault until the broker accepts it.
    private mutating func recordRefusal(_ reason: MQTTReason, of topic: String) {
        refusals[topic] = reason.isFailure ? reason : nil
        faults[.unpublished] = refusals.min { $0.key < $1.key }.map {
            "the broker refuses \($0.key) (\($0.value)); correct its ACL or its quota"
        }
    }

    /// Handles a message of the broker.
    public mutating func receive(
        _ payload: [UInt8], topic: String, isRetained: Bool = false, correlation: [UInt8] = [], at now: Instant
    ) {
        if topic == topics?.mark {
            if let mark = try? DeliveryMark(payload), delivery.receive(mark, at: now) {
                (faults[.undelivered], faults[.gap]) = (nil, nil)
            }
        } else if topic == topics?.command || topic == topics?.desired && !payload.isEmpty {
            if payload.count <= FleetLimits.orderCount, let number = orders.begin(correlation: correlation, at: now) {
                effects.append(.request(.order(payload, isRetained: isRetained, number: number)))
            }
        } else if let index = topics?.index(ofChunk: topic) {
            if desired.takes(index, octets: payload.count) { effects.append(.request(.chunk(payload, index: index))) }
        } else if topic == FleetTopics.homeAssistantStatus, payload.elementsEqual(HomeAssistant.online.utf8) {
            // All readers receive this message at once, also when it is retained, so they spread their responses.
            announceAt = announceAt ?? now + Reconnection.uniform(FleetLimits.announceWithin, &random)
        }
        finish(at: now)
    }

    // MARK: Effects

    /// Publishes firmware, discovery and state, as after connecting.
    private mutating func announce(at now: Instant) {
        announceAt = nil
        guard isSubscribed, let reader, let topics else { return }
        publish(reader.firmwareReport, topics.firmware, retained: true, .firmware, at: now)
        if tellsHomeAssistant {
            publish(HomeAssistant.discovery(reader), topics.discovery, retained: true, .discovery, at: now)
        }
        isStatePublished = false
    }

    private mutating func publish(
        _ text: String, _ topic: String, retained: Bool = false, _ purpose: Purpose, at now: Instant
    ) {
        outstanding.add(text.utf8.count, at: now)
        effects.append(.publish(text, topic: topic, isRetained: retained, purpose))
    }

    private mutating func drop() {
        (isTrying, limits, isSubscribed, isStatePublished) = (false, nil, false, false)
        (outstanding, announceAt, refusals, ungranted, grantBy) = (Outstanding(), nil, [:], [], nil)
        faults[.unpublished] = nil
        desired.forget()
        delivery.disconnect()
    }

    /// Completes every input: publishes the newest state, reads the next batch, and reports to the reader.
    private mutating func finish(at now: Instant) {
        guard reader != nil else { return }
        if isSubscribed, let topics, outstanding.hasRoom {
            if let state, !isStatePublished {
                isStatePublished = true
                publish(state, topics.state, retained: true, .state, at: now)
            }
            if outstanding.hasRoom, let first = delivery.takeRead(at: now) {
                effects.append(.request(.read(from: first, octets: sizing.limit)))
            }
        }
        let status = LinkStatus(isConnected: isSubscribed, delivered: delivery.mark, faults: faults)
        if reporting.isDue(status, at: now) { effects.append(.request(.status(status))) }
    }
}
