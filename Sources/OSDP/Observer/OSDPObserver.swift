// SPDX-License-Identifier: Apache-2.0

/// A listener on a line: octets of both directions go in, explained frames come out. With a device's key it follows the
/// secure channel from its handshake on, and decrypts. It never sends.
///
/// SCBK-D, and keys that are set in sessions which it can read, it knows by itself, as does everybody on the line.
public struct OSDPObserver: Sendable {
    /// The maximum of learned keys: more belong to no line.
    static let keyLimit = 128

    private var decoder = OSDPFrameDecoder()
    private var keys: [OSDPKey]
    private var conversations: [UInt8: OSDPConversation] = [:]

    /// An observer with keys, at most `keyLimit`.
    public init(keys: [OSDPKey] = []) { self.keys = Array(keys.prefix(OSDPObserver.keyLimit)) }

    /// Takes octets of the line in any pieces, and reports what is complete.
    public mutating func receive(_ octets: Span<UInt8>, _ body: (OSDPObservation) -> Void) {
        for index in octets.indices {
            var items: [OSDPFrameDecoder.Item] = []
            decoder.receive(octets[index]) { items.append($0) }
            for item in items { if let observation = observe(item) { body(observation) } }
        }
    }

    /// The end of the octets, or a pause in them: an incomplete frame is reported as damaged.
    public mutating func finish(_ body: (OSDPObservation) -> Void) {
        var items: [OSDPFrameDecoder.Item] = []
        decoder.abandon { items.append($0) }
        for item in items { if let observation = observe(item) { body(observation) } }
    }

    private mutating func observe(_ item: OSDPFrameDecoder.Item) -> OSDPObservation? {
        switch item {
        case .noise: return nil
        case .damaged(let fault, let octets):
            var observation = OSDPObservation(octets: octets, frame: nil)
            observation.message = .unreadable(fault)
            observation.warnings = [.damaged]
            return observation
        case .frame(let frame, let octets):
            // A device answers the broadcast with its own address: both are one conversation per address.
            let observation = conversations[frame.address, default: OSDPConversation()]
                .observe(frame, octets, keys: keys + [.wellKnown])
            learn(observation)
            return observation
        }
    }

    private mutating func learn(_ observation: OSDPObservation) {
        guard case .command(.setKey(let key)) = observation.message, !keys.contains(key),
            keys.count < OSDPObserver.keyLimit
        else { return }
        keys.append(key)
    }
}
