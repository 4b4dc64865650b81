import Crypto

/// What the process that does nothing but the bare operations is asked, and what it answers. It is woken as the reader
/// is, by octets on a socket, and notes times as the reader's are noted: so that what is left of the reader's time is
/// its own, and not that of waking a process whose caches others have used.
enum BareExchange {
    /// What is asked for: the first octet of a request, which has as many octets as a frame.
    enum Request: UInt8 {
        /// What the reader does for a handshake: 16 random octets, and a signature over the phone's 16. Not timed: a
        /// token comes to a process that has just done this.
        case handshake = 0
        /// The operations for a command token.
        case command = 1
        /// The same for an OSS credential.
        case credential = 2

        init(_ opening: DoorPlan.Opening) { self = opening == .command ? .command : .credential }
    }

    /// Octets of a request: about those of a token's last packet.
    static let requestCount = 240
    /// Octets of an answer: 1 if all was done, and two times in nanoseconds, of 64 bits each in the machine's order.
    static let answerCount = 24
}

/// What it can do.
struct BareWork: ~Copyable {
    private var command: BareOperations
    private var credential: BareOperations
    private let key: P256PrivateKey
    private var random = SystemRandomSource()
    private var signature: [UInt8] = []

    /// With keys of its own, and octets of the same lengths as the tokens of a run; nil if libcrypto refuses.
    init?() {
        guard let tokens = try? DoorTokens(), let command = try? BareOperations(tokens.token(.command, 0)),
            let credential = try? BareOperations(tokens.token(.credential, 0)), let key = try? P256PrivateKey.generate()
        else { return nil }
        (self.command, self.credential, self.key) = (command, credential, key)
    }

    /// False if it failed, or nothing is known by that name.
    mutating func carryOut(_ request: BareExchange.Request?) -> Bool {
        switch request {
        case .handshake: handshake()
        case .command: command.run()
        case .credential: credential.run()
        case nil: false
        }
    }

    private mutating func handshake() -> Bool {
        var salt = InlineArray<16, UInt8>(repeating: 0)
        var octets = salt.mutableSpan
        random.fill(&octets)
        signature.removeAll(keepingCapacity: true)
        return (try? key.sign(salt.span, into: &signature)) != nil
    }
}
