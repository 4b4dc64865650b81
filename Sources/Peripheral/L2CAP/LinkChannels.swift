// SPDX-License-Identifier: Apache-2.0

import Octets
public import Timekeeping

/// LE signalling and the credit-based channels of one link, as a value (Core 5.4, Vol 3, Part A, 3.4, 4, 10).
///
/// Inputs are the central's PDUs and the time; outputs are frames (`takeFrame`), events, and the time of the next call
/// (`deadline`). This end opens no channels. It accepts channels to its services, and closes a channel after the other
/// end's violation of the protocol.
///
/// Unsolicited PDUs of this end are not queued: each channel has its state, from which they are formed when there is
/// room. Responses are queued, at most `ChannelLimits.waitingResponses`. A response, reject or indication is never
/// answered, whether known or not, so that two ends cannot loop.
public struct LinkChannels: Sendable {
    /// The state of a Connection Parameter Update Request (4.20).
    enum ParameterRequest: Equatable {
        case none
        /// `unsent` has the parameters until the request is sent.
        case waiting(identifier: UInt8, until: Instant, unsent: ConnectionParameters?)
        case answered(accepted: Bool)
    }

    /// The reason of a Command Reject (4.1).
    enum RejectReason: UInt16 {
        case notUnderstood = 0x0000
        case signallingMTUExceeded = 0x0001
        case invalidChannel = 0x0002
    }

    var services: [ChannelService]
    var channels: [CreditBasedChannel] = []
    /// At most one frame, the one being sent.
    var frames = OutboundFrames()
    /// True if a frame may be ready; set by every input, and cleared when none was found.
    private(set) var mayHaveFrames = false
    /// The waiting responses, one after the other; each has its length in its header.
    var responses: [UInt8] = []
    private(set) var waitingResponses = 0
    var parameters = ParameterRequest.none
    var turn = 0
    var unit: [UInt8] = []
    private var lastIdentifier: UInt8 = 0
    private var lastSerial: UInt32 = 0
    private var lastEndpoint = ChannelLimits.dynamic.upperBound

    /// The central sent requests faster than it read the responses, and one was dropped: the link should be
    /// disconnected.
    public private(set) var isFlooded = false
    /// True if the device has authorized channels of services that require it.
    public var isAuthorized = false
    /// The time at which `advance` must be called; nil without a deadline.
    public private(set) var deadline: Instant?

    /// A link without channels, for these services.
    public init(services: [ChannelService]) {
        self.services = services
    }

    /// Resets the state for another link.
    public mutating func reset() {
        self = LinkChannels(services: services)
    }

    /// The number of channels, including those whose disconnection is not confirmed.
    public var count: Int { channels.count }

    /// The octets of SDUs and responses held for the link.
    public var heldOctets: Int {
        channels.reduce(responses.count + frames.waitingOctets) { $0 + $1.heldOctets }
    }

    /// The properties of an open channel; nil for a closed one.
    public func description(of channel: ChannelID) -> ChannelDescription? {
        index(of: channel).map { channels[$0].description }
    }

    // MARK: - Signalling

    /// Handles a PDU of the signalling channel. `security` is the present level of the link.
    ///
    /// A PDU too short for code, identifier and length, identifier 0, and a response or indication without a match are
    /// ignored. A command whose length differs from its data is not understood.
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
            // Including Connection Parameter Update Request, which only a peripheral sends (4.20).
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

    /// Handles Disconnection Request (4.6). An unknown destination is an invalid channel; a wrong source is ignored.
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

    /// Handles Flow Control Credit (4.24), which has the channel ID of the sender. 0 credits and unknown channels are
    /// ignored; more than 65535 credits in total close the channel.
    private mutating func addCredits(
        _ credits: Int, peer: UInt16, at now: Instant, events: inout [ChannelEvent]
    ) {
        guard credits > 0, let index = channels.firstIndex(where: { $0.peer == peer && $0.isOpen }) else { return }
        guard channels[index].add(credits: credits) else { return end(index, at: now, events: &events) }
        mayHaveFrames = true
    }

    // MARK: - Data

    /// Handles a frame of a dynamic channel; a completed SDU is appended to `octets`, with an event. A violation closes
    /// the channel (3.4.3, 10.1).
    ///
    /// - Returns: False if the channel does not exist.
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

    /// Handles a frame that exceeded the host's maximum, and therefore its channel's MPS.
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

    /// Suspends or resumes credits for a channel; frames within the present credits still arrive.
    public mutating func setPaused(_ paused: Bool, channel: ChannelID) {
        guard let index = index(of: channel) else { return }
        channels[index].isPaused = paused
        mayHaveFrames = true
    }

    /// Closes a channel and discards its queue.
    public mutating func close(_ channel: ChannelID, at now: Instant, events: inout [ChannelEvent]) {
        guard let index = index(of: channel) else { return }
        end(index, at: now, events: &events)
    }

    /// Closes all channels at the end of the link, without PDUs.
    public mutating func closeAll(events: inout [ChannelEvent]) {
        for channel in channels where channel.isOpen { events.append(.closed(channel.id)) }
        reset()
    }

    /// Requests connection parameters (4.20), once. A second call has no effect, regardless of the response to the
    /// first.
    public mutating func request(_ wanted: ConnectionParameters, at now: Instant) {
        guard parameters == .none else { return }
        parameters = .waiting(
            identifier: nextIdentifier(), until: now + ChannelLimits.responseTimeout, unsent: wanted)
        mayHaveFrames = true
        updateDeadline()
    }

    /// Calls `advance` if the deadline has passed.
    mutating func advanceIfDue(to now: Instant) {
        if let deadline, now >= deadline { advance(to: now) }
    }

    /// Ends requests that were not answered in time (RTX, 6.2.1).
    public mutating func advance(to now: Instant) {
        channels.removeAll { channel in
            if case .ending(_, let until, _) = channel.state { until <= now } else { false }
        }
        if case .waiting(_, let until, _) = parameters, until <= now { parameters = .answered(accepted: false) }
        updateDeadline()
    }

    // MARK: - Internal interface

    /// Begins the disconnection of an open channel.
    mutating func end(_ index: Int, at now: Instant, events: inout [ChannelEvent]) {
        events.append(.closed(channels[index].id))
        channels[index].end(identifier: nextIdentifier(), until: now + ChannelLimits.responseTimeout)
        mayHaveFrames = true
        updateDeadline()
    }

    mutating func reject(_ identifier: UInt8, _ reason: RejectReason, _ first: UInt16? = nil, _ second: UInt16? = nil) {
        respond { $0.append(.commandReject, identifier, reason.rawValue, first, second) }
    }

    /// Queues a response; one beyond the maximum is dropped.
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

    /// The identifier of a new channel; nil if the maximum is reached.
    mutating func newIdentifier() -> ChannelID? {
        guard channels.count < ChannelLimits.perLink else { return nil }
        repeat {
            lastEndpoint =
                lastEndpoint < ChannelLimits.dynamic.upperBound ? lastEndpoint + 1 : ChannelLimits.dynamic.lowerBound
        } while channels.contains { $0.id.endpoint.rawValue == lastEndpoint }
        lastSerial &+= 1
        return ChannelID(endpoint: L2CAPChannelID(rawValue: lastEndpoint), serial: lastSerial)
    }

    /// The identifier of a new request: not 0, and not of an outstanding request (4).
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
