import AccessProtocol
import Octets
public import Timekeeping

/// One phone on the contactless side, as ISO/IEC 7816-4 sees it: command APDUs go in, response APDUs come out, and whole
/// messages of the access protocol are taken out of the ones and put into the others.
///
/// The phone speaks first, always. It selects the access application or the NDEF one; each SELECT begins anew. Messages to
/// the reader come by TRANSFER, chained where one APDU does not hold them. The answer comes as the response, and with
/// GET RESPONSE where one does not hold it. An answer that takes longer than `patience` is fetched by POLL.
/// `docs/nfc-profile.md` has the whole of it.
public struct ContactlessLink: Sendable {
    /// What a command led to.
    public enum Step: Equatable, Sendable {
        /// `response` answers it.
        case answered
        /// `response` answers it; the access application was selected, and a new session begins.
        case opened
        /// `response` answers it; another application was selected, and the session is over.
        case closed
        /// `response` answers it; what was sent is no message, and the session waits for a handshake.
        case malformed
        /// A whole message is in `message`: `answer`, `refuse` or the time leads to a response.
        case received
        /// Nothing yet: the phone polls for the answer, which `answer`, `refuse` or the time leads to.
        case waiting
    }

    /// TRANSFER, class 80: takes a message, or a part of one.
    public static let transfer: UInt8 = 0x10
    /// POLL, class 80: waits for the answer to a message.
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
        /// There is no session, or not any more.
        case closed
        /// The phone may send.
        case idle
        /// More of a message is to come.
        case chained
        /// The message is with the session. A command waits for the answer until then, expecting so many octets; nil
        /// once it was told to poll.
        case pending(Waiting?)
        /// The answer is there; `sent` octets of it have left.
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
    /// The message that was received last.
    public internal(set) var message: [UInt8] = []
    /// The response to the last command; empty while there is none.
    public internal(set) var response: [UInt8] = []

    /// A side with nobody on it.
    public init(configuration: ContactlessConfiguration) {
        self.configuration = configuration
        tag = Type4Tag(message: configuration.message)
        message.reserveCapacity(ContactlessLink.messageLimit)
        outgoing.reserveCapacity(ContactlessLink.messageLimit)
        response.reserveCapacity(APDULimit.response)
    }

    /// A phone was activated, or has left: nothing of the one before counts.
    public mutating func reset() {
        selection = .nothing
        endSession()
        response.removeAll(keepingCapacity: true)
    }

    /// The reader ends the session. A command that waits is answered; those to come are refused until the next SELECT.
    public mutating func close() {
        if case .pending(.some) = transfer { respondAlone(.conditionsNotSatisfied) }
        endSession()
    }

    /// When `advance` has something to do; nil if nothing waits.
    public var nextDeadline: Instant? {
        if case .pending(let waiting?) = transfer { waiting.deadline } else { nil }
    }

    /// Whether a message is with the session, and has no answer yet.
    public var isPending: Bool { if case .pending = transfer { true } else { false } }

    /// Tells a command that has waited for too long to poll.
    public mutating func advance(to now: Instant) {
        guard case .pending(let waiting?) = transfer, waiting.deadline <= now else { return }
        transfer = .pending(nil)
        respondAlone(.pending)
    }

    /// Takes one command APDU that came at `now`. Whatever is in it gets one response.
    public mutating func receive(_ octets: Span<UInt8>, at now: Instant) -> Step {
        response.removeAll(keepingCapacity: true)
        // Who sends on does not wait for the answer to what was before.
        if case .pending(.some) = transfer { transfer = .pending(nil) }
        do throws(StatusWord) {
            let command = try CommandAPDU(octets)
            try command.checkClass()
            return try take(command, octets, at: now)
        } catch {
            // What breaks a chain ends it.
            if transfer == .chained { transfer = .idle }
            respond(error)
            return .answered
        }
    }

    private mutating func take(
        _ command: CommandAPDU, _ octets: Span<UInt8>, at now: Instant
    ) throws(StatusWord) -> Step {
        if command.cla == CommandAPDU.proprietary, command.ins == ContactlessLink.transfer {
            return try receive(part: command, octets, at: now)
        }
        if transfer == .chained { transfer = .idle }
        switch (command.cla, command.ins) {
        case (CommandAPDU.proprietary, ContactlessLink.poll):
            try command.checkPlain()
            return try poll(command, at: now)
        case (_, ContactlessLink.getResponse):
            try command.checkPlain()
            return try continueAnswer(command)
        case (CommandAPDU.interindustry, ContactlessLink.select):
            guard !command.isChained else { throw .chainingNotSupported }
            return try select(command, octets)
        case (CommandAPDU.interindustry, ContactlessLink.readBinary):
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
        // 11.2.2: what was selected stays so.
        throw .notFound
    }

    /// File control information (ISO/IEC 7816-4, 7.4): the name, and in a proprietary template the version of the profile,
    /// the most octets of data in an APDU, and the reader's id.
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

    /// To a command that came before.
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
    /// A command without parameters and data, and not chained.
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
