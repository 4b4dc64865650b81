// SPDX-License-Identifier: Apache-2.0

import Crypto

/// Requests to the process that performs only the bare operations, and its answers. It is woken as the reader is, by
/// octets on a socket, and measures times as the reader's are measured. The remainder of the reader's time is then
/// its own, and does not include the wake-up of a process with cold caches.
enum BareExchange {
    /// The request: the first octet of a message of the length of a frame.
    enum Request: UInt8 {
        /// The work of a reader for a handshake: 16 random octets, and a signature over the phone's 16. Not timed: a
        /// token arrives at a process that has just done this.
        case handshake = 0
        /// The operations for a command token.
        case command = 1
        /// The operations for an OSS credential.
        case credential = 2

        init(_ opening: DoorPlan.Opening) { self = opening == .command ? .command : .credential }
    }

    /// The length of a request in octets, similar to a token's last packet.
    static let requestCount = 240
    /// The length of an answer in octets: 1 on success, and two times in nanoseconds, each 64 bits in native byte
    /// order.
    static let answerCount = 24
}

/// The work that the process performs.
struct BareWork: ~Copyable {
    private var command: BareOperations
    private var credential: BareOperations
    private let key: P256PrivateKey
    private var random = SystemRandomSource()
    private var signature: [UInt8] = []

    /// Generates keys, and octets of the same lengths as the tokens of a run; nil if libcrypto fails.
    init?() {
        guard let tokens = try? DoorTokens(), let command = try? BareOperations(tokens.token(.command, 0)),
            let credential = try? BareOperations(tokens.token(.credential, 0)), let key = try? P256PrivateKey.generate()
        else { return nil }
        (self.command, self.credential, self.key) = (command, credential, key)
    }

    /// Performs a request; false if it failed or is unknown.
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
