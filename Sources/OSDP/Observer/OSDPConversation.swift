// SPDX-License-Identifier: Apache-2.0

/// The frames of a panel and one device, as an observer sees them.
struct OSDPConversation: Sendable {
    /// The maximum number of stored frames and random numbers for the detection of repetitions.
    static let memoryLimit = 64

    /// The header of a frame with a valid check.
    enum Header {
        case sound
        /// Reserved control bits are set. A MAC covers them, but is not verified.
        case reservedBits
        /// The security block is of an unknown kind, or does not fit; the octets after it may be encrypted.
        case unknownBlock
    }

    /// A handshake between osdp_CHLNG and osdp_RMAC_I.
    private struct Handshake {
        var panelRandom: [UInt8]
        var keys: OSDPHandshake?
        var isAgreed = false
    }

    private var handshake: Handshake?
    private var session: OSDPSession?
    /// True from osdp_RMAC_I on, with or without the key.
    private var isInSession = false
    private var lastCommand: OSDPObservation?
    private var lastReply: OSDPObservation?
    private var isRepetition = false
    private var sealed: [[UInt8]] = []
    private var randoms: [[UInt8]] = []

    /// True if the frame continues the session.
    func opens(_ frame: OSDPFrame) -> Bool {
        var session = session
        return (try? session?.open(frame)) != nil
    }

    /// Explains a frame.
    mutating func observe(
        _ frame: OSDPFrame, _ octets: [UInt8], _ header: Header, keys: [OSDPKey]
    ) -> OSDPObservation {
        if let known = repetition(frame, octets) { return known }
        var observation = OSDPObservation(octets: octets, frame: frame)
        if header != .sound { observation.warnings.append(.header) }
        switch frame.security?.kind {
        case nil where header == .unknownBlock: observation.message = .unreadable(.securityBlock)
        case nil: readClear(frame, &observation)
        case .challenge, .clientCryptogram, .serverCryptogram, .initialMAC:
            observation.protection = .handshake
            observation.message = OSDPConversation.message(frame, frame.data)
            follow(frame, keys, &observation)
        case _ where header == .reservedBits: readUnverified(frame, &observation)
        default: open(frame, &observation)
        }
        warn(&observation)
        if frame.isReply { lastReply = observation } else { lastCommand = observation }
        return observation
    }

    /// Recognises a repetition (5.8): the same number with the same octets requests the last reply again. It is already
    /// part of the MAC chain.
    private mutating func repetition(_ frame: OSDPFrame, _ octets: [UInt8]) -> OSDPObservation? {
        if !frame.isReply { isRepetition = frame.sequence != 0 && lastCommand?.octets == octets }
        guard isRepetition, var known = frame.isReply ? lastReply : lastCommand, known.octets == octets else {
            return nil
        }
        known.isRepeated = true
        return known
    }

    private static func message(_ frame: OSDPFrame, _ data: [UInt8]) -> OSDPObservation.Message {
        do throws(OSDPFault) {
            return frame.isReply
                ? .reply(try OSDPReply(code: frame.code, data.span))
                : .command(try OSDPCommand(code: frame.code, data.span))
        } catch { return .unreadable(error) }
    }

    private mutating func readClear(_ frame: OSDPFrame, _ observation: inout OSDPObservation) {
        observation.message = OSDPConversation.message(frame, frame.data)
        // osdp_BUSY is in clear by the standard (7.24), and so is the refusal that ends a session.
        let isExpected =
            frame.isReply
            && (frame.code == OSDPReply.Code.busy.rawValue || frame.code == OSDPReply.Code.refused.rawValue)
        guard isInSession, frame.code != OSDPReply.Code.busy.rawValue else { return }
        if !isExpected { observation.warnings.append(.clearInSession) }
        (isInSession, session) = (false, nil)
    }

    // MARK: - Handshake

    private mutating func follow(_ frame: OSDPFrame, _ keys: [OSDPKey], _ observation: inout OSDPObservation) {
        switch observation.message {
        case .command(.challenge(let random)):
            (isInSession, session) = (false, nil)
            handshake = Handshake(panelRandom: random)
            if frame.security?.data == [0] { observation.warnings.append(.wellKnownKey) }
            recordRandom(random, &observation)
        case .reply(.clientCryptogram(_, let random, let cryptogram)):
            recordRandom(random, &observation)
            guard let panelRandom = handshake?.panelRandom else { return }
            let known = keys.lazy.compactMap {
                try? OSDPHandshake($0, panelRandom: panelRandom, deviceRandom: random)
            }.first { $0.isClientCryptogram(cryptogram) }
            handshake?.keys = known
            if known == nil { observation.warnings.append(.unknownKey) }
        case .command(.serverCryptogram(let cryptogram)):
            guard let known = handshake?.keys else { return }
            let isAgreed = known.isServerCryptogram(cryptogram)
            handshake?.isAgreed = isAgreed
            if !isAgreed { observation.warnings.append(.unknownKey) }
        case .reply(.initialMAC(let mac)):
            isInSession = true
            if let handshake, handshake.isAgreed, handshake.keys?.initialMAC == mac {
                session = handshake.keys?.session
            }
            handshake = nil
        default: break
        }
    }

    private mutating func recordRandom(_ random: [UInt8], _ observation: inout OSDPObservation) {
        if randoms.contains(random) { observation.warnings.append(.repeatedRandom) }
        OSDPConversation.keep(random, in: &randoms)
    }

    private static func keep(_ octets: [UInt8], in list: inout [[UInt8]]) {
        if list.count == OSDPConversation.memoryLimit { list.removeFirst() }
        list.append(octets)
    }

    // MARK: - Session

    private mutating func open(_ frame: OSDPFrame, _ observation: inout OSDPObservation) {
        let isKnown = sealed.contains(observation.octets)
        if !isKnown { OSDPConversation.keep(observation.octets, in: &sealed) }
        if let data = try? session?.open(frame) {
            observation.protection = .verified
            observation.message = OSDPConversation.message(frame, data)
        } else {
            readUnverified(frame, &observation)
            if session != nil {
                observation.protection = .wrong
                observation.warnings.append(.wrongMAC)
            }
            if isKnown { observation.warnings.append(.replayed) }
        }
    }

    private func readUnverified(_ frame: OSDPFrame, _ observation: inout OSDPObservation) {
        observation.protection = .unverified
        let isReadable = frame.security?.kind.isEncrypted != true
        observation.message = isReadable ? OSDPConversation.message(frame, frame.data) : .encrypted
    }

    private func warn(_ observation: inout OSDPObservation) {
        switch observation.message {
        case .command(.setKey(let key)):
            observation.warnings.append(.keyDisclosed)
            if key.isWeak { observation.warnings.append(.weakKey) }
        case .unreadable where observation.mayHoldKey: observation.warnings.append(.keyDisclosed)
        case .reply(let reply):
            let isClear = observation.frame?.security?.kind.isEncrypted != true
            if isClear, reply.code.isOfCredential { observation.warnings.append(.clearCredential) }
        default: break
        }
    }
}
