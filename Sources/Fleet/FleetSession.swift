// SPDX-License-Identifier: Apache-2.0

public import Timekeeping

/// The link of one reader to its fleet: when to connect, what to publish, what to read, and which faults to report.
///
/// A value: messages, the broker's answers and time go in, effects come out. It forwards
/// orders unread; the reader verifies them.
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

    /// The least time between two reports of the mark to the reader.
    private static let reportPause = Duration.seconds(1)

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
    private var isConnected = false
    private var isSubscribed = false
    private var outstanding = Outstanding()
    private var faults: [LinkFault: String] = [:]
    private var reported: LinkStatus?
    private var reportAt: Instant?
    /// The time of the answer to Home Assistant's start.
    private var announceAt: Instant?
    /// The purposes whose last message the broker has refused, with its reason codes.
    private var refusals: [Purpose: Int] = [:]
    private var effects: [Effect] = []

    /// The link of a reader.
    ///
    /// - Parameters:
    ///   - spread: the time over which a fleet's first attempts are spread.
    ///   - tellsHomeAssistant: true to publish discovery, and events as they happen.
    ///   - random: the source of what is spread.
    public init(spread: Duration, tellsHomeAssistant: Bool, random: any RandomNumberGenerator) {
        reconnection = Reconnection(spread: spread)
        self.random = random
        self.tellsHomeAssistant = tellsHomeAssistant
    }

    /// The topics; nil before the reader has told its identifier.
    public var topics: FleetTopics? { reader.map { FleetTopics(device: $0.device) } }

    /// Takes the effects so far.
    public mutating func takeEffects() -> [Effect] {
        defer { effects = [] }
        return effects
    }

    /// The next time at which `advance` is due.
    public var nextDeadline: Instant? {
        let waits = Instant.earlier(attemptAt, reportAt)
        guard isConnected else { return waits }
        let soon = Instant.earlier(Instant.earlier(waits, delivery.nextDeadline), reconnection.goodAt)
        return Instant.earlier(Instant.earlier(soon, outstanding.deadline), announceAt)
    }

    /// Carries out what is due.
    public mutating func advance(to now: Instant) {
        if let attemptAt, attemptAt <= now {
            (self.attemptAt, isTrying) = (nil, true)
            reconnection.begin(at: now)
            effects.append(.connect)
        }
        if let deadline = outstanding.deadline, deadline <= now {
            effects.append(.disconnect)
            fail(
                .lost,
                "the broker has acknowledged nothing for \(FleetLimits.acknowledgeWithin.wholeMilliseconds / 1000) s; read its log",
                at: now)
        }
        if let announceAt, announceAt <= now { announce(at: now) }
        if isConnected {
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

    /// A message of the reader.
    public mutating func take(_ report: LinkReport, at now: Instant) {
        switch report {
        case .reader(let reader): take(reader, at: now)
        case .state(let text):
            isStatePublished = isStatePublished && state == text
            state = text
        case .newest(let sequence): delivery.grow(to: sequence)
        case .batch(let text, let covers, let hasGap):
            guard let topics, delivery.take(batch: covers, at: now) else { break }
            if hasGap { faults[.gap] = "events up to \(covers.upperBound) had left the log; raise events.capacity" }
            publish(text, topics.events, .batch, at: now)
        case .occasion(let event, let kind):
            guard tellsHomeAssistant, isSubscribed, outstanding.hasRoom, let topics,
                let message = HomeAssistant.occasion(event, kind: kind)
            else { break }
            publish(message, topics.occasions, .occasion, at: now)
        case .answer(let text, let number):
            // A lost answer is given again to the order that is sent again.
            guard let correlation = orders.end(number), isSubscribed, let topics else { break }
            outstanding.add(text.utf8.count, at: now)
            effects.append(.answer(text, topic: topics.answers, correlation: correlation))
        case .fetch(let part): fetch(part)
        }
        finish(at: now)
    }

    /// Subscribes anew, which has the broker give what it retains.
    private mutating func fetch(_ part: DesiredPart) {
        guard isSubscribed, let topics else { return }
        switch part {
        case .manifest: effects.append(.subscribe(topics.desired))
        case .chunks:
            desired.begin()
            effects.append(.subscribe(topics.desiredChunks))
        }
    }

    private mutating func take(_ reader: LinkReader, at now: Instant) {
        self.reader = reader
        reported = nil
        delivery.begin(reader.log, newest: reader.newest)
        if !isTrying, attemptAt == nil { attemptAt = reconnection.first(from: now, random: &random) }
    }

    /// The reader is gone: a link without one is no presence.
    public mutating func loseReader(at now: Instant) {
        guard reader != nil else { return }
        (reader, state, reported, reportAt, attemptAt) = (nil, nil, nil, nil, nil)
        delivery.suspend()
        orders.forget()
        effects.append(.disconnect)
        drop()
    }

    // MARK: The broker

    /// The broker serves.
    public mutating func connect(at now: Instant) {
        guard let topics else { return }
        isConnected = true
        reconnection.connect(at: now)
        for fault in LinkFault.allCases where fault.preventsConnection { faults[fault] = nil }
        effects.append(.subscribe(topics.mark))
        effects.append(.subscribe(topics.command))
        effects.append(.subscribe(topics.desired))
        if tellsHomeAssistant { effects.append(.subscribe(FleetTopics.homeAssistantStatus)) }
        finish(at: now)
    }

    /// A subscription has begun, or was refused with this reason.
    public mutating func subscribe(reason: Int, at now: Instant) {
        if reason >= MQTTReason.firstFailure {
            faults[.undelivered] = "the broker refuses a subscription (reason \(reason)); mend its ACL"
        }
        guard isConnected, !isSubscribed, let topics else { return finish(at: now) }
        isSubscribed = true
        delivery.connect(at: now)
        publish("1", topics.online, retained: true, .online, at: now)
        announce(at: now)
        finish(at: now)
    }

    /// The connection, or the attempt, has failed by this cause.
    public mutating func fail(_ fault: LinkFault, _ text: String, at now: Instant) {
        guard reader != nil else { return }
        drop()
        for fault in LinkFault.allCases where fault.preventsConnection { faults[fault] = nil }
        faults[fault] = text
        attemptAt = reconnection.fail(at: now, random: &random)
        if reconnection.isContested {
            faults[.identityTwice] =
                "the connection was lost \(Reconnection.lossesOfTwo) times within a minute: another client may have "
                + "the same certificate, or the broker does not stay up"
        }
        finish(at: now)
    }

    /// The fault of the own certificate, for people; nil for none.
    public mutating func note(ownCertificate text: String?, at now: Instant) {
        faults[.ownCertificate] = text
        finish(at: now)
    }

    /// The files of the own identity were renewed: connects anew.
    public mutating func renew(at now: Instant) {
        guard isConnected else { return }
        effects.append(.disconnect)
        drop()
        attemptAt = reconnection.first(from: now, random: &random)
        finish(at: now)
    }

    /// The broker has acknowledged a message of this length in octets with this reason code; that it was delivered,
    /// only the mark says.
    public mutating func acknowledge(_ purpose: Purpose, octets: Int, reason: Int, at now: Instant) {
        outstanding.remove(octets, at: now)
        if purpose == .batch {
            if reason >= MQTTReason.firstFailure {
                faults[.undelivered] = "the broker refuses the events (reason \(reason)); mend its ACL or its quota"
            } else if reason == MQTTReason.noSubscriber {
                faults[.undelivered] = "no back end has subscribed to the events; start the collector"
            }
        } else {
            refusals[purpose] = reason >= MQTTReason.firstFailure ? reason : nil
            faults[.unpublished] = refusalText
        }
        finish(at: now)
    }

    /// The first of the refused topics, for people; nil if the broker takes all.
    private var refusalText: String? {
        guard let topics else { return nil }
        let all = [
            (Purpose.online, topics.online), (.state, topics.state), (.firmware, topics.firmware),
            (.discovery, topics.discovery), (.occasion, topics.occasions), (.answer, topics.answers),
        ]
        for (purpose, topic) in all {
            guard let reason = refusals[purpose] else { continue }
            return "the broker refuses \(topic) (reason \(reason)); mend its ACL or its quota"
        }
        return nil
    }

    /// A message of the broker.
    public mutating func receive(
        _ payload: [UInt8], topic: String, isRetained: Bool = false, correlation: [UInt8] = [], at now: Instant
    ) {
        if topic == topics?.mark {
            if let mark = try? DeliveryMark(payload), delivery.take(mark, at: now) {
                (faults[.undelivered], faults[.gap]) = (nil, nil)
            }
        } else if topic == topics?.command || topic == topics?.desired && !payload.isEmpty {
            if payload.count <= FleetLimits.orderCount, let number = orders.begin(correlation: correlation, at: now) {
                effects.append(.request(.order(payload, isRetained: isRetained, number: number)))
            }
        } else if let index = topics?.index(ofChunk: topic) {
            if desired.takes(index, octets: payload.count) { effects.append(.request(.chunk(payload, index: index))) }
        } else if topic == FleetTopics.homeAssistantStatus, payload.elementsEqual(HomeAssistant.online.utf8) {
            // All readers hear it at once, also one that is retained; their answers are spread.
            announceAt = announceAt ?? now + Reconnection.uniform(FleetLimits.announceWithin, &random)
        }
        finish(at: now)
    }

    // MARK: Effects

    /// Firmware, discovery and state, as after a connection.
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
        (isTrying, isConnected, isSubscribed, isStatePublished) = (false, false, false, false)
        (outstanding, announceAt, refusals) = (Outstanding(), nil, [:])
        faults[.unpublished] = nil
        desired.forget()
        delivery.disconnect()
    }

    /// Follows up on every input: the newest state, the next batch, and the report to the reader.
    private mutating func finish(at now: Instant) {
        guard reader != nil else { return }
        if isSubscribed, let topics, outstanding.hasRoom {
            if let state, !isStatePublished {
                isStatePublished = true
                publish(state, topics.state, retained: true, .state, at: now)
            }
            if outstanding.hasRoom, let first = delivery.takeRead(at: now) {
                effects.append(.request(.read(from: first)))
            }
        }
        report(at: now)
    }

    /// Reports changes at once, but the mark no more than once a second.
    private mutating func report(at now: Instant) {
        let status = LinkStatus(isConnected: isSubscribed, delivered: delivery.mark, faults: faults)
        guard status != reported else {
            reportAt = nil
            return
        }
        var former = reported
        former?.delivered = status.delivered
        if former == status {
            let due = reportAt ?? now + FleetSession.reportPause
            reportAt = due
            guard due <= now else { return }
        }
        (reported, reportAt) = (status, nil)
        effects.append(.request(.status(status)))
    }
}
