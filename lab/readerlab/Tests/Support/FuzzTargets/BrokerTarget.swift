// SPDX-License-Identifier: Apache-2.0

import Fleet
import MQTT
import TestSupport
import Timekeeping

/// A broker at a link: octets of any kind, sound answers, refusals and limits, silence, and a reader that reports
/// meanwhile. Whatever it sends, the client keeps its limits and MQTT 5, and the link counts as connected only with a
/// session that the broker has confirmed.
func fuzzBroker(_ input: inout FuzzInput) {
    var rig = BrokerRig()
    while let step = input.next() {
        switch step % 8 {
        case 0: rig.receive(input.block())
        case 1:
            // A packet whose length is right.
            let header = input.octet()
            let body = input.block()
            rig.receive([header] + BrokerRig.length(body.count) + body)
        case 2, 3: rig.answer(input.octet(), &input)
        case 4: rig.wait(Duration.milliseconds(Int64(input.octet()) * 200))
        case 5: rig.report(input.octet())
        case 6: rig.publish(input.octet())
        default: rig.close(isFailing: step & 8 == 0)
        }
    }
}

private struct BrokerRig {
    private static let device = "7761307931597753"
    private static let log: LogID = {
        guard let log = LogID([UInt8](repeating: 7, count: 16)) else { finding("an identifier of another length") }
        return log
    }()
    /// The most octets that wait for the broker: what the client holds back, and the longest packets behind.
    private static let outputLimit = 512 * 1024

    private var session = FleetSession(spread: .zero, tellsHomeAssistant: true, random: SplitMix64(seed: 1))
    private var client: MQTTClient?
    private var now = Instant.origin
    /// The packets of the client that were not answered, without their fixed headers.
    private var asked: [(type: UInt8, body: [UInt8])] = []
    private var limits: BrokerLimits?
    /// The messages that were sent, and are not acknowledged.
    private var unacknowledged: Set<UInt16> = []
    private var granted: Set<String> = []
    private var next: UInt64 = 1
    private var published: [UInt16: (FleetSession.Purpose, Int)] = [:]

    init() {
        let reader = LinkReader(firmware: "1", device: BrokerRig.device, name: "x", log: BrokerRig.log, newest: 1000)
        session.receive(.reader(reader), at: now)
        session.receive(.state("{}"), at: now)
        wait(.zero)
    }

    /// A length in the encoding of MQTT.
    static func length(_ count: Int) -> [UInt8] {
        count < 128 ? [UInt8(count)] : [UInt8(count & 0x7F) | 0x80, UInt8(count >> 7)]
    }

    // MARK: - Steps

    mutating func receive(_ octets: [UInt8]) {
        client?.receive(octets.span, at: now)
        settle()
    }

    /// Answers the oldest packet of the client as a broker would; with `choice` it refuses, or states limits.
    mutating func answer(_ choice: UInt8, _ input: inout FuzzInput) {
        guard !asked.isEmpty else { return }
        let (type, body) = asked.removeFirst()
        switch type {
        case 1: receive(connack(choice, &input))
        case 3:
            let place = 2 + Int(body[1])
            // Without an identifier it has no answer.
            receive([0x40, 3, body[place], body[place + 1], choice % 4 == 1 ? 0x87 : 0])
        case 8: receive([0x90, 4, body[0], body[1], 0, choice % 8 == 1 ? 0x87 : 1])
        case 12: receive([0xD0, 0])
        default: break
        }
    }

    private func connack(_ choice: UInt8, _ input: inout FuzzInput) -> [UInt8] {
        var properties: [UInt8] = []
        if choice & 2 != 0 { properties += [0x21, 0, input.octet()] }
        if choice & 4 != 0 { properties += [0x27, 0, 0, input.octet(), 0] }
        if choice & 8 != 0 { properties += [0x28, 0] }
        if choice & 16 != 0 { properties += [0x13, 0, input.octet()] }
        let reason: UInt8 = choice & 1 == 0 ? 0 : input.octet()
        return [0x20, UInt8(properties.count + 3), 0, reason, UInt8(properties.count)] + properties
    }

    mutating func wait(_ duration: Duration) {
        now = now + duration
        client?.advance(to: now)
        session.advance(to: now)
        settle()
    }

    /// The reader reports: a state, an event, a batch of the length that was asked for, or a wish for the desired
    /// state.
    mutating func report(_ choice: UInt8) {
        switch choice % 4 {
        case 0: session.receive(.state("{\"sequence\":\(choice)}"), at: now)
        case 1: session.receive(.occasion("{\"kind\":\"granted\"}", kind: "granted"), at: now)
        case 2: session.receive(.fetch(choice & 4 == 0 ? .chunks : .manifest), at: now)
        default:
            let text = String(repeating: "x", count: Int(choice) * 100)
            session.receive(.batch(text, covers: next...(next + 9), hasGap: false), at: now)
        }
        settle()
    }

    /// A back end's mark, through the broker.
    mutating func publish(_ choice: UInt8) {
        let mark = DeliveryMark(log: BrokerRig.log, upTo: UInt64(choice) * 4)
        let topic = Array(FleetTopics(device: BrokerRig.device).mark.utf8)
        let body = [0, UInt8(topic.count)] + topic + [0] + Array(mark.text.utf8)
        receive([0x31] + BrokerRig.length(body.count) + body)
    }

    /// The broker closes, or the link ends the connection.
    mutating func close(isFailing: Bool) {
        guard client != nil else { return }
        if isFailing {
            lose(LinkFailure(.lost, "closed", isUnexplained: true))
        } else {
            session.renew(at: now)
        }
        settle()
    }

    // MARK: - Judgement

    private mutating func settle() {
        var isMoving = true
        while isMoving {
            let events = client?.takeEvents() ?? []
            for event in events { receive(event) }
            let effects = session.takeEffects()
            for effect in effects { perform(effect) }
            send()
            isMoving = !events.isEmpty || !effects.isEmpty
        }
    }

    private mutating func receive(_ event: MQTTClient.Event) {
        switch event {
        case .connected(let limits):
            require(self.limits == nil, "a second session on one connection")
            self.limits = limits
            session.connect(limits, at: now)
        case .subscribed(let filter, let reason):
            if !reason.isFailure { granted.insert(filter) }
            session.subscribe(filter, reason, at: now)
        case .published(let message, let reason):
            guard let (purpose, octets) = published.removeValue(forKey: message) else {
                finding("an acknowledgement of a message that was not published")
            }
            unacknowledged.remove(message)
            session.acknowledge(purpose, octets: octets, reason: reason, at: now)
        case .received(let message):
            require(!message.topic.contains("#") && !message.topic.contains("+"), "a topic with a wildcard")
            require(message.payload.count <= 65_536 && message.correlation.count <= 64, "a message beyond its limits")
            session.receive(
                message.payload, topic: message.topic, isRetained: message.isRetained,
                correlation: message.correlation, at: now)
        case .ended(let end):
            require(client?.wantsInput == false && client?.nextDeadline == nil, "an ended connection goes on")
            if case .violation(let text) = end {
                require(text.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "a text of the broker's is shown")
            }
            send()
            lose(LinkFailure(.lost, "ended"))
        }
    }

    private mutating func lose(_ failure: LinkFailure) {
        forget()
        session.fail(failure, at: now)
    }

    private mutating func forget() {
        (client, limits, unacknowledged, granted, asked, published) = (nil, nil, [], [], [], [:])
    }

    private mutating func perform(_ effect: FleetSession.Effect) {
        switch effect {
        case .connect:
            forget()
            client = MQTTClient(
                identity: BrokerRig.device, will: MQTTWill(topic: "w", text: "0", delaySeconds: 30),
                keepalive: .seconds(20))
            client?.begin(at: now)
        case .disconnect:
            client?.close()
            send()
            forget()
        case .subscribe(let topic): client?.subscribe(topic)
        case .publish(let text, let topic, let isRetained, let purpose):
            publish(text, topic, isRetained, purpose)
        case .answer(let text, let topic, _): publish(text, topic, false, .answer)
        case .request(.status(let status)): judge(status)
        case .request(.read(let first, let octets)):
            next = first
            let most = limits?.maximumPacket.map { $0 - 160 } ?? .max
            require(octets <= min(most, 16_384) && octets >= 3936, "a batch of another length is asked for")
        case .request(.order), .request(.chunk): break
        }
    }

    private mutating func publish(
        _ text: String, _ topic: String, _ isRetained: Bool, _ purpose: FleetSession.Purpose
    ) {
        let message = MQTTMessage(topic: topic, payload: Array(text.utf8), isRetained: isRetained)
        if let number = client?.publish(message) { published[number] = (purpose, text.utf8.count) }
    }

    private func judge(_ status: LinkStatus) {
        let topics = FleetTopics(device: BrokerRig.device)
        let hasSession = limits != nil && [topics.mark, topics.command, topics.desired].allSatisfy(granted.contains)
        require(!status.isConnected || hasSession, "connected without a session")
        for text in status.faults.values { require(text.utf8.count <= 1024, "a text without a limit") }
    }

    /// Takes what the client has to send, and looks at each packet as a broker does.
    private mutating func send() {
        guard let output = client?.output else { return }
        require(output.count <= BrokerRig.outputLimit, "output without a limit")
        client?.sent(output.count, at: now)
        var rest = output[...]
        while let header = rest.popFirst() {
            var (count, shift) = (0, 0)
            while let digit = rest.popFirst() {
                count |= Int(digit & 0x7F) << shift
                shift += 7
                if digit < 0x80 { break }
            }
            require(count <= rest.count, "a packet that is cut")
            judge(header, Array(rest.prefix(count)), whole: count + 1 + shift / 7)
            rest = rest.dropFirst(count)
        }
    }

    private mutating func judge(_ header: UInt8, _ body: [UInt8], whole: Int) {
        let type = header >> 4
        require([1, 3, 4, 8, 12, 14].contains(type), "a packet that no client sends")
        require(type == 1 || limits != nil || type == 14, "a packet before CONNACK")
        if type != 1, type != 14 {
            require(whole <= limits?.maximumPacket ?? .max || type == 4, "a packet beyond the broker's maximum")
        }
        if type == 3 {
            require(header & 0x06 == 2, "a message without QoS 1")
            require(header & 1 == 0 || limits?.retains == true, "a retained message")
            let place = 2 + Int(body[1])
            unacknowledged.insert(UInt16(body[place]) << 8 | UInt16(body[place + 1]))
            require(unacknowledged.count <= limits?.receiveMaximum ?? 0, "more messages than the broker receives")
        }
        if type != 4, type != 14 { asked.append((type, body)) }
    }
}
