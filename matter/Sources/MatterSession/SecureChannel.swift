// SPDX-License-Identifier: Apache-2.0

public import Crypto
public import MatterCredentials
public import MatterTLV
public import Timekeeping

/// Secure sessions and reliable exchanges of a Matter node (Core 4), as a value: datagrams and time go in, effects are
/// appended to a buffer.
///
/// The node is the responder of all handshakes. Each call takes the current time; `deadline` is the next time at which
/// `advance(to:effects:)` is due.
public struct SecureChannel: Sendable {
    /// The maximum payload of a message in octets: with the headers of message (8) and protocol with acknowledgement
    /// (10), and the tag (16), it fills the 1,232 octets that IPv6 and UDP leave of the minimum MTU of 1,280.
    public static let payloadLimit = 1_198

    var random: any RandomSource & Sendable
    /// The session parameters of this node.
    let parameters: SessionParameters

    var sessions = SessionTable()
    var exchanges: [Exchange] = []
    var initiators: [UnsecuredInitiator] = []

    /// The parameters for PASE; nil while PASE is not answered.
    var passcode: PASEParameters?
    /// The number of counted failures of PASE since `acceptPASE(_:)`.
    var countedFailures = 0
    /// The PASE attempt in progress.
    var attempt: PASEAttempt?
    /// The hosts whose attempts lapsed, since `acceptPASE(_:)`.
    var lapses = PASELapses()

    var fabrics: [OperationalIdentity] = []
    /// The CASE handshakes in progress, the oldest first.
    var handshakes: [CASEHandshake] = []
    var answeredRandoms = AnsweredRandoms()
    var resumptions = ResumptionTable()

    /// The time for checking the validity of certificates; nil if it is not checked.
    public var lastKnownGoodTime: MatterTime?

    /// The counter of the next message on the unsecured session.
    var unsecuredCounter: UInt32
    private var nextSessionID: UInt16
    private var nextExchangeNumber: UInt16
    private var nextHandle: UInt32 = 1

    /// A channel without sessions.
    ///
    /// - Parameter parameters: the session parameters that the node states to its peers.
    public init(random: any RandomSource & Sendable, parameters: SessionParameters = .release) {
        self.random = random
        self.parameters = parameters
        unsecuredCounter = 0
        nextSessionID = 0
        nextExchangeNumber = 0
        unsecuredCounter = makeCounter()
        nextSessionID = number(self.random.octets(2))
        nextExchangeNumber = number(self.random.octets(2))
    }

    // MARK: Questions

    /// The public part of a session.
    public func session(_ id: SessionID) -> SecureSession? {
        guard let index = sessions.index(of: id) else { return nil }
        let session = sessions[index]
        return SecureSession(
            id: id, kind: session.kind, fabric: session.fabric,
            attestationChallenge: session.keys.attestationChallenge, peer: session.peer,
            peerParameters: session.peerParameters)
    }

    /// The sessions of `fabric`; for nil, the sessions without a fabric.
    public func sessions(of fabric: FabricIndex?) -> [SessionID] {
        sessions.sessions.filter { $0.fabric == fabric }.map(\.id)
    }

    /// The sessions.
    public var sessionIDs: [SessionID] { sessions.sessions.map(\.id) }

    /// The next time at which `advance(to:effects:)` is due.
    public var deadline: Instant? {
        var deadline = attempt?.deadline
        for exchange in exchanges { deadline = Instant.earlier(deadline, exchange.deadline) }
        for handshake in handshakes { deadline = Instant.earlier(deadline, handshake.ends) }
        return deadline
    }

    // MARK: Exchanges

    /// Begins an exchange on a session. Returns nil if the session does not exist or has no room.
    public mutating func openExchange(on session: SessionID, at now: Instant) -> ExchangeID? {
        guard sessions.index(of: session) != nil else { return nil }
        let context = Exchange.Context.secured(session)
        guard exchanges.count(where: { $0.context == context && $0.isInitiator }) < Exchange.limitPerSession else {
            return nil
        }
        let number = nextExchangeNumber
        nextExchangeNumber &+= 1
        return addExchange(context, number: number, isInitiator: true, expires: now + Exchange.answerTime)
    }

    /// Ends an exchange without a further message. Pending acknowledgements are still sent and received.
    public mutating func closeExchange(_ id: ExchangeID) {
        guard let index = index(of: id) else { return }
        exchanges[index].isClosing = true
        settle(index)
    }

    /// Sends a message on an exchange, reliably over UDP.
    ///
    /// - Parameter expectingReply: false closes the exchange after the acknowledgement.
    public mutating func send(
        _ message: MatterMessage, on id: ExchangeID, expectingReply: Bool, at now: Instant,
        effects: inout [ChannelEffect]
    ) {
        guard let index = index(of: id), !exchanges[index].isClosing else { return }
        exchanges[index].expires = now + Exchange.answerTime
        guard message.payload.count <= SecureChannel.payloadLimit,
            transmit(message, on: index, isReliable: true, at: now, effects: &effects)
        else { return fail(index, at: now, effects: &effects) }
        if !expectingReply { closeExchange(id) }
    }

    // MARK: State shared by the parts

    /// An unused session identifier, at least 1.
    mutating func makeSessionID() -> SessionID {
        while true {
            let id = SessionID(rawValue: nextSessionID)
            nextSessionID &+= 1
            let isTaken =
                sessions.index(of: id) != nil || attempt?.localID == id || handshakes.contains { $0.localID == id }
            // More identifiers exist than are in use.
            if id.rawValue != 0, !isTaken { return id }
        }
    }

    /// The first counter of a session: 1 to 2²⁸ (4.6.1.1).
    mutating func makeCounter() -> UInt32 {
        let octets = random.octets(4)
        let number = octets.reversed().reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
        return number & 0x0FFF_FFFF + 1
    }

    mutating func makeHandle() -> UInt32 {
        defer { nextHandle &+= 1 }
        return nextHandle
    }

    mutating func addExchange(
        _ context: Exchange.Context, number: UInt16, isInitiator: Bool, expires: Instant
    ) -> ExchangeID {
        let id = ExchangeID(rawValue: makeHandle())
        exchanges.append(
            Exchange(id: id, context: context, number: number, isInitiator: isInitiator, expires: expires))
        return id
    }

    func index(of id: ExchangeID) -> Int? { exchanges.firstIndex { $0.id == id } }

    private func number(_ octets: [UInt8]) -> UInt16 { UInt16(octets[0]) | UInt16(octets[1]) << 8 }
}
