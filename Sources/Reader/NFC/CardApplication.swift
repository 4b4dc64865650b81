// SPDX-License-Identifier: Apache-2.0

public import AccessProtocol
import Octets
public import Timekeeping

/// The applications of the emulated card (ISO/IEC 7816-4): command APDUs in, response APDUs out, with whole messages of
/// the access protocol in their data.
///
/// The phone selects the access application or the NDEF application; each SELECT starts over. TRANSFER sends
/// messages to the reader, chained if one APDU does not hold them. The response carries the answer; GET RESPONSE
/// fetches the rest of a longer answer. POLL fetches an answer that takes longer than `responseTimeout`. Complete
/// description: `docs/protocol/nfc-profile.md`.
public struct CardApplication: Sendable {
    /// The result of a command.
    public enum Step: Equatable, Sendable {
        /// `response` answers it.
        case answered
        /// `response` answers it; the access application was selected, and a new session begins.
        case opened
        /// `response` answers it; another application was selected, and the session is over.
        case closed
        /// `response` answers it; the octets are no message, and the session waits for a handshake. The reason: −4,
        /// −7 or −9, as in `MessageAssembler`.
        case malformed(StatusCode)
        /// The header announces a payload above 2048 octets. In the last or only part `answer` makes the response;
        /// in a chain `response` answers it.
        case tooLong
        /// A whole message is in `message`: `answer`, `refuse` or the deadline makes a response.
        case received
        /// No response yet to a poll: `answer`, `refuse` or the deadline makes it.
        case waiting
    }

    /// TRANSFER, class 80: a message, or a part of one.
    public static let transfer: UInt8 = 0x10
    /// POLL, class 80: the answer to a message.
    public static let poll: UInt8 = 0x12
    private static let select: UInt8 = 0xA4
    private static let readBinary: UInt8 = 0xB0
    private static let getResponse: UInt8 = 0xC0
    /// The longest message, its header included.
    public static let messageLimit = MessageHeader.octetCount + MessageLimit.payload

    enum Selection: Equatable {
        case nothing
        case access
        case tag
    }

    enum Transfer: Equatable {
        /// There is no session.
        case closed
        /// The phone may send.
        case idle
        /// A part of a message is received.
        case chained
        /// The session has the message. A command waits for the answer until its deadline; nil if no command waits, and
        /// the phone polls.
        case pending(Waiting?)
        /// The answer is ready; `sent` octets of it are sent.
        case answering(sent: Int)
    }

    struct Waiting: Equatable {
        var expected: Int?
        var deadline: Instant
    }

    let configuration: ContactlessConfiguration
    var tag: Type4Tag?
    var selection = Selection.nothing
    var transfer = Transfer.closed
    var outgoing: [UInt8] = []
    /// The last received message.
    public internal(set) var message: [UInt8] = []
    /// The response to the last command; empty until it is ready.
    public internal(set) var response: [UInt8] = []

    /// A card without a phone.
    public init(configuration: ContactlessConfiguration) {
        self.configuration = configuration
        tag = Type4Tag(message: configuration.message)
        message.reserveCapacity(CardApplication.messageLimit)
        outgoing.reserveCapacity(CardApplication.messageLimit)
        response.reserveCapacity(APDULimit.response)
    }

    /// Resets the card after an activation or a release.
    public mutating func reset() {
        selection = .nothing
        endSession()
        response.removeAll(keepingCapacity: true)
    }

    /// Ends the session. A waiting command is answered; further ones are refused until the next SELECT.
    public mutating func close() {
        if case .pending(.some) = transfer { respondAlone(.conditionsNotSatisfied) }
        endSession()
    }

    /// The next time at which `advance` has work; nil if nothing waits.
    public var nextDeadline: Instant? {
        if case .pending(let waiting?) = transfer { waiting.deadline } else { nil }
    }

    /// True if a message is with the session, without an answer yet.
    public var isPending: Bool { if case .pending = transfer { true } else { false } }

    /// Answers a command that has waited for too long: the phone polls.
    public mutating func advance(to now: Instant) {
        guard case .pending(let waiting?) = transfer, waiting.deadline <= now else { return }
        transfer = .pending(nil)
        respondAlone(.pending)
    }

    /// Handles one command APDU. Every command gets one response.
    public mutating func receive(_ octets: Span<UInt8>, at now: Instant) -> Step {
        response.removeAll(keepingCapacity: true)
        // A further command ends the wait of the one before.
        if case .pending(.some) = transfer { transfer = .pending(nil) }
        do throws(StatusWord) {
            let command = try CommandAPDU(octets)
            try command.checkClass()
            return try receive(command, octets, at: now)
        } catch {
            // An invalid command ends a chain.
            if transfer == .chained { transfer = .idle }
            respond(error)
            return .answered
        }
    }

    private mutating func receive(
        _ command: CommandAPDU, _ octets: Span<UInt8>, at now: Instant
    ) throws(StatusWord) -> Step {
        if command.cla == CommandAPDU.proprietary, command.ins == CardApplication.transfer {
            return try receive(part: command, octets, at: now)
        }
        if transfer == .chained { transfer = .idle }
        switch (command.cla, command.ins) {
        case (CommandAPDU.proprietary, CardApplication.poll):
            try command.checkPlain()
            return try poll(command, at: now)
        case (_, CardApplication.getResponse):
            try command.checkPlain()
            return try continueAnswer(command)
        case (CommandAPDU.interindustry, CardApplication.select):
            guard !command.isChained else { throw .chainingNotSupported }
            return try select(command, octets)
        case (CommandAPDU.interindustry, CardApplication.readBinary):
            guard !command.isChained else { throw .chainingNotSupported }
            guard selection == .tag, let tag else { throw .conditionsNotSatisfied }
            respond(try tag.read(command, into: &response))
            return .answered
        default: throw .instructionNotSupported
        }
    }

    private mutating func select(_ command: CommandAPDU, _ octets: Span<UInt8>) throws(StatusWord) -> Step {
        guard !command.data.isEmpty else { throw .wrongLength }
        guard command.p1 == 0x04 else {
            guard selection == .tag, tag != nil else { throw command.p1 == 0 ? .notFound : .wrongParameters }
            try tag?.select(command, octets)
            respond(.ok)
            return .answered
        }
        // By name, the first or only occurrence; with the control information or without.
        guard command.p2 == 0x00 || command.p2 == 0x0C else { throw .wrongParameters }
        let name = octets.extracting(command.data)
        let hadSession = selection == .access && transfer != .closed
        if name.holds(configuration.application.octets) {
            endSession()
            (selection, transfer) = (.access, .idle)
            if command.p2 == 0x00, command.expected != nil { appendControlInformation() }
            respond(.ok)
            return .opened
        }
        if tag != nil, name.holds(ApplicationID.ndef.octets) {
            endSession()
            selection = .tag
            tag?.reset()
            respond(.ok)
            return hadSession ? .closed : .answered
        }
        // 11.2.2: the selection does not change.
        throw .notFound
    }

    /// File control information (ISO/IEC 7816-4, 7.4): the name, and in a proprietary template the version of the
    /// profile, the maximum length of data in an APDU, and the reader's id.
    private mutating func appendControlInformation() {
        let name = configuration.application.octets
        let device = Array(configuration.deviceID.utf8.prefix(16))
        let own: [UInt8] =
            [0x80, 0x01, 0x01, 0x81, 0x01, UInt8(APDULimit.data), 0x82, UInt8(truncatingIfNeeded: device.count)]
            + device
        let inside =
            [0x84, UInt8(truncatingIfNeeded: name.count)] + name + [0xA5, UInt8(truncatingIfNeeded: own.count)] + own
        response += [0x6F, UInt8(truncatingIfNeeded: inside.count)] + inside
    }

    mutating func endSession() {
        transfer = .closed
        message.removeAll(keepingCapacity: true)
        outgoing.removeAll(keepingCapacity: true)
    }

    mutating func respond(_ status: StatusWord) {
        response.append(bigEndian: status.rawValue)
    }

    /// The response to an earlier command.
    mutating func respondAlone(_ status: StatusWord) {
        response.removeAll(keepingCapacity: true)
        respond(status)
    }

    mutating func respond(_ data: Range<Int>, of octets: [UInt8], _ status: StatusWord) {
        response.append(octets.span.extracting(data))
        respond(status)
    }
}

extension CommandAPDU {
    /// Throws unless the command has no parameters and no data, and is not chained.
    func checkPlain() throws(StatusWord) {
        guard !isChained else { throw .chainingNotSupported }
        guard p1 == 0, p2 == 0 else { throw .wrongParameters }
        guard data.isEmpty else { throw .wrongLength }
    }
}

extension Span<UInt8> {
    fileprivate func holds(_ octets: [UInt8]) -> Bool {
        guard count == octets.count else { return false }
        return indices.allSatisfy { self[$0] == octets[$0] }
    }
}
