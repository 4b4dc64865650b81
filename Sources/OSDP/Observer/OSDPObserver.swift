// SPDX-License-Identifier: Apache-2.0

/// A listener on a line: octets of both directions go in, explained frames come out. With a device's key it follows the
/// secure channel from the handshake, and decrypts it. It never sends.
///
/// Like every listener on the line, it knows SCBK-D, and learns keys that are set in sessions that it can read.
public struct OSDPObserver: Sendable {
    /// The maximum number of known keys: a line has at most 127 devices.
    static let keyLimit = 128
    /// The maximum length of noise in one observation, in octets.
    static let noiseLimit = 32

    private var decoder = OSDPFrameDecoder()
    private var keys: [OSDPKey]
    /// Conversations by address. Frames to and from the broadcast address are the conversation with an unknown device.
    private var conversations: [UInt8: OSDPConversation] = [:]
    /// The address of the last command, and of its conversation.
    private var asked: (address: UInt8, conversation: UInt8)?
    /// Octets between frames.
    private var noise: [UInt8] = []

    /// An observer with keys, at most `keyLimit`.
    public init(keys: [OSDPKey] = []) { self.keys = Array(keys.prefix(OSDPObserver.keyLimit)) }

    /// Receives octets of the line in any pieces, and reports complete frames and noise.
    public mutating func receive(_ octets: Span<UInt8>, _ body: (OSDPObservation) -> Void) {
        for index in octets.indices {
            var items: [OSDPFrameDecoder.Item] = []
            decoder.receive(octets[index]) { items.append($0) }
            for item in items { observe(item, body) }
        }
    }

    /// Ends the octets, or marks a pause in them: an incomplete frame is reported as damaged.
    public mutating func finish(_ body: (OSDPObservation) -> Void) {
        var items: [OSDPFrameDecoder.Item] = []
        decoder.abandon { items.append($0) }
        for item in items { observe(item, body) }
        reportNoise(body)
    }

    private mutating func observe(_ item: OSDPFrameDecoder.Item, _ body: (OSDPObservation) -> Void) {
        if case .noise(let octet) = item {
            noise.append(octet)
            if noise.count == OSDPObserver.noiseLimit { reportNoise(body) }
            return
        }
        reportNoise(body)
        switch item {
        case .noise: break
        case .damaged(let fault, let octets, _):
            let isChecked = fault == .contents || fault == .securityBlock
            guard isChecked, let frame = OSDPFrame(lenient: octets) else {
                return body(OSDPObserver.damage(fault, octets, isChecked ? .header : .damaged))
            }
            let hasUnknownBlock = OSDPFrame.hasSecurityBlock(octets) && frame.security == nil
            body(observe(frame, octets, hasUnknownBlock ? .unknownBlock : .reservedBits))
        case .frame(let frame, let octets, _): body(observe(frame, octets, .sound))
        }
    }

    private static func damage(
        _ fault: OSDPFault, _ octets: [UInt8], _ warning: OSDPObservation.Warning
    ) -> OSDPObservation {
        var observation = OSDPObservation(octets: octets, frame: nil)
        observation.message = .unreadable(fault)
        observation.warnings = [warning]
        return observation
    }

    private mutating func reportNoise(_ body: (OSDPObservation) -> Void) {
        guard !noise.isEmpty else { return }
        body(OSDPObserver.damage(.start, noise, .damaged))
        noise.removeAll(keepingCapacity: true)
    }

    private mutating func observe(
        _ frame: OSDPFrame, _ octets: [UInt8], _ header: OSDPConversation.Header
    ) -> OSDPObservation {
        let observation = conversations[conversation(of: frame), default: OSDPConversation()]
            .observe(frame, octets, header, keys: keys + [.wellKnown])
        learn(observation)
        return observation
    }

    /// The conversation of a frame. A reply belongs to the command before it if that was sent to its address or to all.
    /// A command of a session belongs to the session in which its MAC is valid: a panel may begin a session with the
    /// broadcast address and continue it with the device's own.
    private mutating func conversation(of frame: OSDPFrame) -> UInt8 {
        let isBroadcast = frame.address == OSDPFrame.broadcast
        if frame.isReply {
            guard let asked, isBroadcast || asked.address == frame.address || asked.address == OSDPFrame.broadcast
            else { return frame.address }
            return asked.conversation
        }
        var found = frame.address
        if frame.security?.kind.hasMAC == true, conversations[found]?.opens(frame) != true {
            found = conversations.keys.sorted().first { conversations[$0]?.opens(frame) == true } ?? found
        }
        asked = (frame.address, found)
        return found
    }

    private mutating func learn(_ observation: OSDPObservation) {
        guard case .command(.setKey(let key)) = observation.message, !keys.contains(key),
            keys.count < OSDPObserver.keyLimit
        else { return }
        keys.append(key)
    }
}
