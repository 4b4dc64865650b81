import Octets
public import Timekeeping

/// LE signalling and the credit-based channels of one link, as a value (Core 5.4, Vol 3, Part A, 3.4, 4, 10).
///
/// The central's PDUs and the time go in; frames (`takeFrame`), events, and the time of the next call (`deadline`)
/// come out. This end opens no channels, it serves those of its services, and closes the ones on which the other end
/// breaks the rules.
///
/// Nothing that this end says unasked is queued: each channel knows what it wants to say, and says it when there is
/// room. Answers are queued, `ChannelLimits.waitingResponses` at most; a response, a reject, or an indication is never
/// answered, known or not, so two ends cannot keep each other busy.
public struct LinkChannels: Sendable {
    /// A wish for other connection parameters (4.20).
    enum ParameterRequest: Equatable {
        case none
        /// `unsent` are the parameters, until the request has been sent.
        case waiting(identifier: UInt8, until: Instant, unsent: ConnectionParameters?)
        case answered(accepted: Bool)
    }

    /// Why a command is rejected (4.1).
    enum RejectReason: UInt16 {
        case notUnderstood = 0x0000
        case signallingMTUExceeded = 0x0001
        case invalidChannel = 0x0002
    }

    let services: [ChannelService]
    var channels: [CreditBasedChannel] = []
    /// At most one frame: the one that is being sent.
    var frames = OutboundFrames()
    /// Something may be to be said; set by every input, and cleared when nothing was found.
    private(set) var mayHaveFrames = false
    /// The answers that wait, one after the other; each has its length in its header.
    var responses: [UInt8] = []
    private(set) var waitingResponses = 0
    var parameters = ParameterRequest.none
    var turn = 0
    var unit: [UInt8] = []
    private var lastIdentifier: UInt8 = 0
    private var lastSerial: UInt32 = 0
    private var lastEndpoint = ChannelLimits.dynamic.upperBound

    /// The central asked faster than it takes the answers, and one was dropped: the link should be ended.
    public private(set) var isFlooded = false
    /// Whether the device has allowed channels of services that need its authorization.
    public var isAuthorized = false
    /// When `advance` is to be called; nil if nothing is waited for.
    public private(set) var deadline: Instant?

    /// No channels yet; `services` may be opened.
    public init(services: [ChannelService]) {
        self.services = services
    }

    /// The link is gone, or another one begins.
    public mutating func reset() {
        self = LinkChannels(services: services)
    }

    /// How many channels there are, those among them whose end has not been confirmed yet.
    public var count: Int { channels.count }

    /// Octets of SDUs and answers that are held for the link.
    public var heldOctets: Int {
        channels.reduce(responses.count + frames.waitingOctets) { $0 + $1.heldOctets }
    }

    /// What is known of an open channel; nil for one that is closed.
    public func description(of channel: ChannelID) -> ChannelDescription? {
        index(of: channel).map { channels[$0].description }
    }

    // MARK: - Signalling

    /// Takes a PDU of the signalling channel. `security` is what the link has now.
    ///
    /// A PDU too short for code, identifier and length, and identifier 0, are ignored, and so is an answer or an
    /// indication that does not fit what it is about. A length that is not the one of the data makes a command not
    /// understood.
    public mutating func receiveSignal(
        _ pdu: Span<UInt8>, security: LinkSecurityLevel, at now: Instant, events: inout [ChannelEvent]
    ) {
        guard let command = SignallingCommand(pdu) else { return }
        guard command.code.asksForAnswer else {
            if command.fits && command.isWhole { receiveAnswer(pdu, command, at: now, events: &events) }
            return
        }
        guard command.fits else {
            return reject(
                command.identifier, .signallingMTUExceeded, UInt16(truncatingIfNeeded: SignallingCommand.maximumUnit))
        }
        guard command.isWhole, let fields = SignallingCommand.fieldCount(pdu) else {
            return reject(command.identifier, .notUnderstood)
        }
        switch (command.code, fields) {
        case (.disconnectionRequest, 2): disconnectionRequest(pdu, command.identifier, events: &events)
        case (.creditBasedConnectionRequest, 5):
            connect(pdu, command.identifier, security: security, events: &events)
        case (.enhancedConnectionRequest, 4...):
            connectEnhanced(pdu, command.identifier, count: fields - 4, security: security, events: &events)
        case (.reconfigureRequest, 2...):
            reconfigure(pdu, command.identifier, count: fields - 2, events: &events)
        default:
            // Among them Connection Parameter Update Request, which a peripheral sends and never takes (4.20).
            reject(command.identifier, .notUnderstood)
        }
    }

    private mutating func receiveAnswer(
        _ pdu: Span<UInt8>, _ command: SignallingCommand, at now: Instant, events: inout [ChannelEvent]
    ) {
        switch (command.code, SignallingCommand.fieldCount(pdu)) {
        case (.flowControlCredit, 2):
            addCredits(
                Int(SignallingCommand.field(1, of: pdu)), peer: SignallingCommand.field(0, of: pdu), at: now,
                events: &events)
        case (.disconnectionResponse, 2):
            guard let index = ending(command.identifier), channels[index].peer == SignallingCommand.field(0, of: pdu),
                channels[index].id.endpoint.rawValue == SignallingCommand.field(1, of: pdu)
            else { return }
            remove(index)
        case (.parameterUpdateResponse, 1):
            guard case .waiting(command.identifier, _, nil) = parameters else { return }
            parameters = .answered(accepted: SignallingCommand.field(0, of: pdu) == 0)
            updateDeadline()
        case (.commandReject, .some(1...)):
            if let index = ending(command.identifier) { return remove(index) }
            guard case .waiting(command.identifier, _, nil) = parameters else { return }
            parameters = .answered(accepted: false)
            updateDeadline()
        default: break
        }
    }

    /// The central closes a channel (4.6). Its endpoint, not knowing it, makes the command invalid; the other endpoint
    /// being wrong makes it be ignored.
    private mutating func disconnectionRequest(
        _ pdu: Span<UInt8>, _ identifier: UInt8, events: inout [ChannelEvent]
    ) {
        let destination = SignallingCommand.field(0, of: pdu)
        let source = SignallingCommand.field(1, of: pdu)
        guard let index = channels.firstIndex(where: { $0.id.endpoint.rawValue == destination }) else {
            return reject(identifier, .invalidChannel, destination, source)
        }
        guard channels[index].peer == source else { return }
        if channels[index].isOpen { events.append(.closed(channels[index].id)) }
        remove(index)
        respond { $0.append(.disconnectionResponse, identifier, destination, source) }
    }

    /// Flow Control Credit (4.24): the channel is named by the sender's endpoint. None is ignored, and so is a channel
    /// that is not there; more than 65535 in all close the channel.
    private mutating func addCredits(
        _ credits: Int, peer: UInt16, at now: Instant, events: inout [ChannelEvent]
    ) {
        guard credits > 0, let index = channels.firstIndex(where: { $0.peer == peer && $0.isOpen }) else { return }
        guard channels[index].add(credits: credits) else { return end(index, at: now, events: &events) }
        mayHaveFrames = true
    }

    // MARK: - Data

    /// Takes a frame of a dynamic channel; an SDU that it completes is appended to `octets`, and is in `events`. False
    /// if nobody has opened the channel. A frame that breaks the rules closes it (3.4.3, 10.1).
    public mutating func receive(
        _ frame: Span<UInt8>, on endpoint: L2CAPChannelID, at now: Instant, octets: inout [UInt8],
        events: inout [ChannelEvent]
    ) -> Bool {
        guard let index = channels.firstIndex(where: { $0.id.endpoint == endpoint }) else { return false }
        guard channels[index].isOpen else { return true }
        do throws(ChannelViolation) {
            if let value = try channels[index].receive(frame, octets: &octets) {
                events.append(.received(channels[index].id, value: value))
            }
            mayHaveFrames = true
        } catch {
            end(index, at: now, events: &events)
        }
        return true
    }

    /// A frame for a channel was longer than any that the host takes, and therefore longer than its MPS.
    public mutating func dropped(on endpoint: L2CAPChannelID, at now: Instant, events: inout [ChannelEvent]) {
        guard let index = channels.firstIndex(where: { $0.id.endpoint == endpoint && $0.isOpen }) else { return }
        end(index, at: now, events: &events)
    }

    /// Queues an SDU.
    public mutating func send(_ unit: Span<UInt8>, on channel: ChannelID) -> ChannelSendOutcome {
        guard let index = index(of: channel) else { return .gone }
        mayHaveFrames = true
        return channels[index].send(unit)
    }

    /// While a channel is paused, the central gets no further credits on it; what it has credits for still comes.
    public mutating func setPaused(_ paused: Bool, channel: ChannelID) {
        guard let index = index(of: channel) else { return }
        channels[index].isPaused = paused
        mayHaveFrames = true
    }

    /// Closes a channel: what waits on it is dropped.
    public mutating func close(_ channel: ChannelID, at now: Instant, events: inout [ChannelEvent]) {
        guard let index = index(of: channel) else { return }
        end(index, at: now, events: &events)
    }

    /// The link ends: every channel is closed, without a word to the central.
    public mutating func closeAll(events: inout [ChannelEvent]) {
        for channel in channels where channel.isOpen { events.append(.closed(channel.id)) }
        reset()
    }

    /// Asks for other connection parameters (4.20), once: a second call does nothing, whatever the answer to the first
    /// was.
    public mutating func request(_ wanted: ConnectionParameters, at now: Instant) {
        guard parameters == .none else { return }
        parameters = .waiting(
            identifier: nextIdentifier(), until: now + ChannelLimits.responseTimeout, unsent: wanted)
        mayHaveFrames = true
        updateDeadline()
    }

    /// `advance`, if its time has come.
    mutating func advanceIfDue(to now: Instant) {
        if let deadline, now >= deadline { advance(to: now) }
    }

    /// Gives up what was not answered in time (RTX, 6.2.1).
    public mutating func advance(to now: Instant) {
        channels.removeAll { channel in
            if case .ending(_, let until, _) = channel.state { until <= now } else { false }
        }
        if case .waiting(_, let until, _) = parameters, until <= now { parameters = .answered(accepted: false) }
        updateDeadline()
    }

    // MARK: - What the other files use

    /// Begins the end of an open channel.
    mutating func end(_ index: Int, at now: Instant, events: inout [ChannelEvent]) {
        events.append(.closed(channels[index].id))
        channels[index].end(identifier: nextIdentifier(), until: now + ChannelLimits.responseTimeout)
        mayHaveFrames = true
        updateDeadline()
    }

    mutating func reject(_ identifier: UInt8, _ reason: RejectReason, _ first: UInt16? = nil, _ second: UInt16? = nil) {
        respond { $0.append(.commandReject, identifier, reason.rawValue, first, second) }
    }

    /// Queues an answer; one more than may wait is dropped.
    mutating func respond(_ write: (inout [UInt8]) -> Void) {
        guard waitingResponses < ChannelLimits.waitingResponses else {
            isFlooded = true
            return
        }
        write(&responses)
        waitingResponses += 1
        mayHaveFrames = true
    }

    mutating func responseTaken() { waitingResponses -= 1 }

    mutating func nothingToSay() { mayHaveFrames = false }

    /// A new channel's identifier; nil when the link has as many as it may have.
    mutating func newIdentifier() -> ChannelID? {
        guard channels.count < ChannelLimits.perLink else { return nil }
        repeat {
            lastEndpoint =
                lastEndpoint < ChannelLimits.dynamic.upperBound ? lastEndpoint + 1 : ChannelLimits.dynamic.lowerBound
        } while channels.contains { $0.id.endpoint.rawValue == lastEndpoint }
        lastSerial &+= 1
        return ChannelID(endpoint: L2CAPChannelID(rawValue: lastEndpoint), serial: lastSerial)
    }

    /// An identifier that is not 0 and of no request that is outstanding (4).
    mutating func nextIdentifier() -> UInt8 {
        repeat { lastIdentifier &+= 1 } while lastIdentifier == 0 || isOutstanding(lastIdentifier)
        return lastIdentifier
    }

    mutating func updateDeadline() {
        deadline = nil
        if case .waiting(_, let until, _) = parameters { deadline = until }
        for channel in channels {
            if case .ending(_, let until, _) = channel.state { deadline = deadline.map { min($0, until) } ?? until }
        }
    }

    private func isOutstanding(_ identifier: UInt8) -> Bool {
        if case .waiting(identifier, _, _) = parameters { return true }
        return ending(identifier) != nil
    }

    private func ending(_ identifier: UInt8) -> Int? {
        channels.firstIndex { if case .ending(identifier, _, _) = $0.state { true } else { false } }
    }

    private func index(of channel: ChannelID) -> Int? {
        channels.firstIndex { $0.id == channel && $0.isOpen }
    }

    private mutating func remove(_ index: Int) {
        channels.remove(at: index)
        updateDeadline()
    }
}
