// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
public import Crypto
public import Peripheral
public import Timekeeping

/// A phone with an access app: it scans, connects, discovers the service, presents its token and disconnects.
///
/// A value without I/O: controller packets and the time go in; packets, notices and the next deadline come out. It
/// keeps the published timing, and retries after refusals until its attempts are used up.
public struct AccessPhone<Random: RandomSource>: ~Copyable {
    private enum State {
        case off
        case scanning
        case connecting
        case linked(LinkID, since: Instant)
        /// The link is to end, and has not ended yet.
        case leaving
        case resting(until: Instant)
        case done
    }

    private let configuration: AccessPhoneConfiguration
    private var random: Random
    private var central: Central
    private var state = State.off
    private var conversation: Conversation?
    private var attemptsLeft: Int
    private var wasServed = false
    /// The handles of readers by their address, if the phone keeps them.
    private var known: [BluetoothAddress: Conversation.Attributes] = [:]
    private var peer: BluetoothAddress?
    /// The time at which the phone takes another address; nil before the first scan.
    private var addressEnds: Instant?
    private var notices: [AccessPhoneNotice] = []

    /// A phone that is switched off, with this random address.
    public init(_ configuration: AccessPhoneConfiguration, address: BluetoothAddress, random: Random) {
        self.configuration = configuration
        self.random = random
        central = Central(address: address, scanning: configuration.scanning)
        attemptsLeft = configuration.attempts
    }

    /// Starts the controller, then the scan for readers.
    public mutating func start(at now: Instant) {
        central.start(at: now)
        settle(at: now)
    }

    /// Handles one H4 packet from the controller.
    public mutating func receive(_ packet: Span<UInt8>, at now: Instant) {
        central.receive(packet, at: now)
        settle(at: now)
    }

    /// Performs the actions due at `now`.
    public mutating func advance(to now: Instant) {
        central.advance(to: now)
        switch state {
        case .resting(let until) where now >= until: look(at: now)
        case .scanning where addressEnds.map { now >= $0 } ?? false:
            central.stopScanning(at: now)
            look(at: now)
        case .linked(let link, let since) where now >= since + configuration.answerTimeout:
            leave(link, at: now)
        default: break
        }
        conversation?.client.timePassed(now)
        settle(at: now)
    }

    /// The time of the next call of `advance`; nil if only an input can change anything.
    public var nextDeadline: Instant? {
        let own: Instant? =
            switch state {
            case .resting(let until): until
            case .linked(_, let since): since + configuration.answerTimeout
            case .scanning: addressEnds
            case .off, .connecting, .leaving, .done: nil
            }
        return Instant.earlier(Instant.earlier(central.nextDeadline, own), conversation?.client.deadline)
    }

    /// The current random address; nil if it uses the controller's public one.
    public var address: BluetoothAddress? { central.randomAddress }

    /// Copies the next packet for the controller into `packet`; false if no packet is pending.
    public mutating func popPacket(into packet: inout [UInt8]) -> Bool { central.popPacket(into: &packet) }

    /// Removes and returns the oldest notice, or nil.
    public mutating func nextNotice() -> AccessPhoneNotice? { notices.isEmpty ? nil : notices.removeFirst() }

    private mutating func settle(at now: Instant) {
        while let event = central.popEvent() { receive(event, at: now) }
        converse(at: now)
    }

    private mutating func receive(_ event: CentralEvent, at now: Instant) {
        switch event {
        case .ready: look(at: now)
        case .report(let report): consider(report, at: now)
        case .connected(let link, let reader, _):
            state = .linked(link, since: now)
            peer = reader
            conversation = Conversation(
                link: link, service: configuration.service, maximumMTU: configuration.maximumMTU,
                known: known[reader], at: now)
            conversation?.frames = configuration.frames
            wasServed = false
            notices.append(.connected)
        case .connectionFailed: rest(configuration.retryAfterFailure, at: now)
        case .disconnected(_, let reason):
            conversation = nil
            notices.append(.disconnected(reason))
            rest(wasServed ? configuration.retryAfterSuccess : configuration.retryAfterFailure, at: now)
        case .attribute(_, let pdu): conversation?.client.receive(pdu.span, at: now)
        case .failed, .scanRefused: state = .done
        case .intervalChanged, .dataLengthChanged, .rssi: break
        }
    }

    private mutating func look(at now: Instant) {
        changeAddress(at: now)
        guard attemptsLeft > 0, (try? central.startScanning(at: now)) != nil else {
            state = .done
            return
        }
        state = .scanning
    }

    /// Takes another private address when the present one has been used for its time.
    private mutating func changeAddress(at now: Instant) {
        guard let lifetime = configuration.addressLifetime else { return }
        guard let ends = addressEnds else {
            addressEnds = now + lifetime
            return
        }
        guard now >= ends else { return }
        let bits = random.octets(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        central.changeAddress(to: .nonResolvable(from: bits), at: now)
        addressEnds = now + lifetime
    }

    private mutating func rest(_ pause: Duration?, at now: Instant) {
        guard let pause, attemptsLeft > 0 else {
            state = .done
            return
        }
        state = .resting(until: now + pause)
    }

    private mutating func consider(_ report: AdvertisementReport, at now: Instant) {
        guard case .scanning = state, report.isConnectable,
            AdvertisedServices.contains(configuration.service, in: report.data),
            report.rssi ?? .max >= configuration.connectsAt
        else { return }
        central.stopScanning(at: now)
        guard (try? central.connect(to: report.address, configuration.connection, at: now)) != nil else { return }
        attemptsLeft -= 1
        state = .connecting
        notices.append(.found(report.address, rssi: report.rssi))
    }

    /// Advances the conversation as much as possible: the server's responses, and the requests that follow.
    private mutating func converse(at now: Instant) {
        guard var talk = conversation else { return }
        conversation = nil
        while let event = talk.client.nextEvent() {
            guard let progress = talk.receive(event, random: &random, at: now) else { continue }
            proceed(progress, &talk, at: now)
        }
        notices += talk.takeWritten().map { .wrote($0) }
        var pdu: [UInt8] = []
        while talk.client.nextPDU(into: &pdu) {
            guard (try? central.sendAttribute(talk.link, pdu.span)) != nil else { break }
        }
        conversation = talk
    }

    private mutating func proceed(_ progress: ConversationProgress, _ talk: inout Conversation, at now: Instant) {
        switch progress {
        case .subscribed:
            if configuration.remembersAttributes, let peer { known[peer] = talk.attributes }
            let token = configuration.token
            let failure = talk.begin(
                token: token.span, terminal: configuration.terminal, random: &random, at: now)
            if let failure { proceed(failure, &talk, at: now) }
        case .completed(let data): conclude(.completed(data), talk.link, at: now)
        case .failed(let failure): conclude(.failed(failure), talk.link, at: now)
        case .unusable(let why):
            if let peer { known[peer] = nil }
            conclude(.unusable(why), talk.link, at: now)
        case .mtu, .handshaken: break
        }
    }

    private mutating func conclude(_ outcome: AccessPhoneNotice, _ link: LinkID, at now: Instant) {
        notices.append(outcome)
        if case .completed = outcome { wasServed = true }
        leave(link, at: now)
    }

    /// Ends the link. With a reader out of range that takes a supervision time-out.
    private mutating func leave(_ link: LinkID, at now: Instant) {
        central.disconnect(link, at: now)
        state = .leaving
    }
}
