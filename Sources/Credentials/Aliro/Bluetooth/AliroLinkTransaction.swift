// SPDX-License-Identifier: Apache-2.0

public import Crypto
public import Timekeeping

/// A transaction of an Aliro 1.0 reader with a phone over Bluetooth LE, without ranging: the standard phase, documents,
/// and then an action that the phone requests over its own channel.
///
/// ```
/// new ── start ──▶ waiting ── 2/5, 2/6 ──▶ authenticating ── … ──▶ completed ── 2/4 unlock ──▶ deciding ──▶ over
/// ```
///
/// Nothing opens because a phone is connected and authenticated: a request to unlock does, which is sealed with keys of
/// this transaction. No fast phase: the phone proves its private key each time. Nothing is measured: a relay is not
/// noticed.
public struct AliroLinkTransaction: LinkTransaction {
    private enum State: Equatable { case new, waiting, authenticating, completed, deciding, over }

    /// The version of the protocol over Bluetooth LE, the only one in the reader's list.
    public static let version: [UInt8] = [0x01, 0x00]
    /// The longest unit in either direction, in octets.
    public static let maximumUnit = AliroLinkMessage.maximumUnit
    /// The time for a response, and for the request after the completion. Busy events restart the first.
    static let (responseTime, requestTime) = (Duration.milliseconds(1500), Duration.seconds(5))
    /// The time from the first message to the completion, busy events included: the slowest phone that was measured
    /// took 2.3 s. A stranger keeps a link no longer.
    static let proofTime = Duration.seconds(6)
    /// The most busy events: one every 150 ms of that time.
    static let maximumBusyEvents = 40

    private var state = State.new
    private var access: AliroTransaction
    /// The channel of notifications; nil before the completion.
    private var channel: AliroChannel?
    private var now = Instant.origin
    /// The time of the first message.
    private var began = Instant.origin
    private var isUnlocked: Bool?
    private var busyEvents = 0
    /// The end of the time that the phone has; nil if it has that of its link.
    public private(set) var deadline: Instant?

    /// A transaction of `reader` with new keys.
    ///
    /// - Parameter store: bound to `reader`. The transaction keeps no persistent key of it.
    public init(
        reader: AliroReader, store: AliroStore, at moment: Moment, in zone: TimeZoneRule,
        random: inout some RandomSource
    ) throws(CryptoError) {
        self.init(
            try AliroTransaction(
                reader: reader, store: store.withoutPersistentKeys, at: moment, in: zone, random: &random,
                over: .bluetooth))
    }

    /// A link whose phone is authenticated by this transaction over Bluetooth LE.
    init(_ access: AliroTransaction) {
        self.access = access
        now = access.moment.instant
    }

    /// True if a phone may open the channel after it has written this value: a version, the length of its features (1)
    /// and these.
    public static func accepts(version value: Span<UInt8>) -> Bool {
        value.count == 4 && value[0] == version[0] && value[1] == version[1] && value[2] == 1
    }

    /// The identity that the phone has proven, also if it is refused.
    public var evidence: CardEvidence? { access.evidence }

    /// The changes of the store that were not taken.
    var effects: [AliroEffect] { access.effects }

    /// Removes and returns the changes of the store: from a document as soon as it is verified, also if the phone is
    /// then refused; the phone's key once `conclude` was called with an opened door.
    public mutating func takeEffects() -> [AliroEffect] { access.takeEffects() }

    /// The time of the following call.
    public mutating func observe(_ now: Instant) { self.now = now }

    /// The state that the phone gets.
    public mutating func observe(isUnlocked: Bool?) { self.isUnlocked = isUnlocked }

    /// Waits for the phone, which speaks first.
    public mutating func start() -> LinkStep {
        guard state == .new else { return end(.outOfOrder) }
        state = .waiting
        return .wait
    }

    /// Handles a unit of the channel. After a message that the reader answers there is none in the same unit.
    public mutating func receive(_ unit: Span<UInt8>) -> LinkStep {
        do throws(CardRefusal) {
            if let deadline, now >= deadline { throw .silent }
            var step = LinkStep.wait
            for message in try AliroLinkMessage.messages(of: unit) {
                guard step == .wait else { throw .outOfOrder }
                step = try receive(message, in: unit)
            }
            return step
        } catch { return end(error) }
    }

    /// Ends the transaction of a phone that has been silent until `deadline`.
    public mutating func expire() -> LinkStep { end(.silent) }

    /// Informs the phone of the door, or ends the transaction with an error.
    public mutating func conclude(_ decision: CardDecision) -> LinkStep {
        guard state == .deciding else { return end(.outOfOrder) }
        let last: [UInt8]?
        switch decision {
        // The observed state: the lock may have failed.
        case .opened, .handedOn: last = status(AliroDoorState(isUnlocked: isUnlocked), byPhone: true)
        case .refused: last = sealed(.event, AliroLinkMessage.generalError)
        }
        if decision != .refused { access.keep() }
        close()
        return .end(.concluded, last: last ?? [])
    }

    /// Wipes the transaction's secrets, those in `effects` included.
    public mutating func wipe() {
        close()
        access.wipe()
    }

    /// The deadline of a response, within the time of the proof.
    private var responseDeadline: Instant { min(now + Self.responseTime, began + Self.proofTime) }

    private mutating func close() {
        state = .over
        deadline = nil
        channel?.wipe()
        channel = nil
    }

    private mutating func end(_ refusal: CardRefusal) -> LinkStep {
        // The answer of the reader is in the clear before the completion.
        let last =
            state == .completed || state == .deciding
            ? sealed(.event, AliroLinkMessage.generalError)
            : AliroLinkMessage.message(.event, AliroLinkMessage.generalError)
        let isOver = state == .over
        close()
        access.abandon()
        return .end(.refused(refusal), last: isOver ? [] : last ?? [])
    }

    // MARK: - Messages

    private mutating func receive(_ message: AliroLinkMessage, in unit: Span<UInt8>) throws(CardRefusal) -> LinkStep {
        let octets = unit.extracting(message.payload)
        switch (state, message.kind) {
        case (.waiting, .event), (.authenticating, .event): return try receive(event: [UInt8](octets))
        case (.waiting, .initiation), (.waiting, .initiationForAction):
            began = now
            return try follow(access.begin(application: try Self.application([UInt8](octets))))
        case (.authenticating, .response): return try follow(access.receive(octets))
        case (.completed, .event): return try receive(event: try open(message, octets))
        case (.completed, .action): return try act(try open(message, octets))
        default: throw .outOfOrder
        }
    }

    /// Element A5, which a phone sends in an attribute instead of a response to SELECT. Other attributes are skipped.
    private static func application(_ payload: [UInt8]) throws(CardRefusal) -> [UInt8] {
        let attributes = try AliroLinkMessage.attributes(payload)
        guard let value = attributes.first(where: { $0.value.first == 0xA5 })?.value else { throw .malformed }
        return value
    }

    private mutating func receive(event payload: [UInt8]) throws(CardRefusal) -> LinkStep {
        switch try AliroLinkMessage.event(payload) {
        case .error: throw .statusWord
        case .busy:
            busyEvents += 1
            guard busyEvents <= Self.maximumBusyEvents else { throw .tooLong }
            if state == .authenticating { deadline = responseDeadline }
        case .other: break
        }
        return .wait
    }

    private mutating func follow(_ step: CardStep) throws(CardRefusal) -> LinkStep {
        switch step {
        case .transmit(let command):
            state = .authenticating
            deadline = responseDeadline
            return .send(AliroLinkMessage.message(.request, command))
        case .decide:
            guard var key = access.takeBluetoothKey() else { throw .unavailable }
            channel = try? AliroChannel(bluetooth: &key, versions: Self.version, selected: Self.version)
            state = .completed
            deadline = now + Self.requestTime
            // Mode 2: changes of the door by this phone are reported to it.
            let content: [UInt8] = [0x00, 0x02, 2 << 5, AliroDoorState(isUnlocked: isUnlocked).rawValue]
            guard let completed = sealed(.completed, content) else { throw .unavailable }
            return .send(completed)
        case .end(.refused(let refusal)): throw refusal
        case .end: throw .outOfOrder
        }
    }

    /// Carries out the request of a phone. A request to lock moves nothing, since the door locks itself: the phone is
    /// informed of its state.
    private mutating func act(_ payload: [UInt8]) throws(CardRefusal) -> LinkStep {
        let attributes = try AliroLinkMessage.attributes(payload)
        guard let evidence, let action = attributes.first(where: { $0.identifier == 0x00 })?.value, action.count == 1
        else {
            throw .malformed
        }
        switch action[0] {
        case 0x00:
            guard let status = status(AliroDoorState(isUnlocked: isUnlocked), byPhone: false) else {
                throw .unavailable
            }
            return .send(status)
        case 0x01:
            (state, deadline) = (.deciding, nil)
            return .decide(evidence)
        default: throw .malformed
        }
    }

    // MARK: - The channel

    /// The message about the door. Its source is this phone over Bluetooth LE (06), or none (00).
    private mutating func status(_ door: AliroDoorState, byPhone: Bool) -> [UInt8]? {
        sealed(.statusChanged, [0x00, 0x02, byPhone ? 0x06 : 0x00, door.rawValue])
    }

    /// A sealed message, whose header is authenticated with the length of the plaintext; nil without a channel.
    private mutating func sealed(_ kind: AliroLinkMessage.Kind, _ plaintext: [UInt8]) -> [UInt8]? {
        let header = AliroLinkMessage.header(kind, count: plaintext.count)
        guard let sealed = try? channel?.seal(plaintext, header: header) else { return nil }
        return AliroLinkMessage.message(kind, sealed)
    }

    private mutating func open(_ message: AliroLinkMessage, _ sealed: Span<UInt8>) throws(CardRefusal) -> [UInt8] {
        let header = AliroLinkMessage.header(message.kind, count: max(0, sealed.count - AES256GCM.tagCount))
        guard let plaintext = try? channel?.open(sealed, header: header) else { throw .proof }
        return plaintext
    }
}
