// SPDX-License-Identifier: Apache-2.0

import Crypto
import Timekeeping

/// Frames of the panel: address, sequence, security.
extension OSDPDevice {
    /// Handles a whole frame.
    mutating func handle(
        _ frame: OSDPFrame, _ octets: [UInt8], at now: Instant, _ random: inout some RandomSource,
        _ effects: inout [OSDPEffect]
    ) {
        guard !frame.isReply, isForDevice(frame.address) else { return }
        lastAddressed = now
        if key == nil { prove(at: now, &effects) }
        guard pendingKey == nil else { return wait(frame, octets, &effects) }
        isOpened = false
        if takesClear { lastTrusted = now }
        guard follows(frame, octets, at: now, &effects) else { return }
        exchange = Exchange(
            command: octets, sequence: frame.sequence, reply: nil, end: now + OSDPDevice.reportLifetime)
        switch frame.security?.kind {
        case nil: handleInClear(frame, at: now, &effects)
        case .challenge: handleChallenge(frame, &random, &effects)
        case .serverCryptogram: handleServerCryptogram(frame, at: now, &effects)
        default: handleSealed(frame, at: now, &effects)
        }
    }

    /// Handles a frame with a valid check and an invalid header. Other damaged frames are not answered: their address
    /// may be wrong as well, and two devices would send at once.
    mutating func handle(_ fault: OSDPFault, _ octets: [UInt8], _ effects: inout [OSDPEffect]) {
        guard fault == .securityBlock || fault == .contents, octets[1] & 0x80 == 0,
            isForDevice(octets[1] & OSDPFrame.broadcast)
        else { return }
        let frame = OSDPFrame(
            address: octets[1], isReply: false, sequence: octets[4], check: octets[4] & 4 == 0 ? .checksum : .crc,
            code: 0)
        isOpened = false
        refuse(fault == .contents ? .length : .securityUnsupported, frame, keepsExchange: true, &effects)
    }

    private func isForDevice(_ address: UInt8) -> Bool { address == line.address || address == OSDPFrame.broadcast }

    /// Checks a sequence number (5.8): 0 restarts the sequence, the same number requests the last reply again, and
    /// otherwise the next of 1, 2, 3 is due.
    private mutating func follows(
        _ frame: OSDPFrame, _ octets: [UInt8], at now: Instant, _ effects: inout [OSDPEffect]
    ) -> Bool {
        if frame.sequence == 0 {
            queue.restore(at: now)
            return true
        }
        if let exchange, exchange.sequence == frame.sequence, exchange.command == octets, let reply = exchange.reply,
            now < exchange.end
        {
            effects.append(.transmit(reply, before: answerEnd))
            return false
        }
        guard let exchange, frame.sequence == exchange.sequence % 3 + 1 else {
            refuse(.sequence, frame, keepsExchange: true, &effects)
            return false
        }
        return true
    }

    // MARK: - In clear

    private mutating func handleInClear(_ frame: OSDPFrame, at now: Instant, _ effects: inout [OSDPEffect]) {
        // A restarted panel begins in clear. Commands that need the session are refused here.
        endSession(.commandInClear, &effects)
        challenged = nil
        guard let code = OSDPCommand.Code(rawValue: frame.code) else { return refuse(.unknownCommand, frame, &effects) }
        switch code {
        case .challenge, .serverCryptogram, .setKey: return refuse(.securityRequired, frame, &effects)
        case .setLine where installationEnd != nil: break
        default:
            guard takesClear || OSDPDevice.isPermittedInClear(code) else {
                return refuse(.securityRequired, frame, &effects)
            }
        }
        execute(frame, frame.data, as: takesClear ? .full : .restricted, at: now, &effects)
    }

    /// The commands that a device with a key answers without a session under it. A poll gets no report.
    private static func isPermittedInClear(_ code: OSDPCommand.Code) -> Bool {
        code == .poll || code == .identify || code == .capabilities
    }

    // MARK: - Handshake

    private mutating func handleChallenge(
        _ frame: OSDPFrame, _ random: inout some RandomSource, _ effects: inout [OSDPEffect]
    ) {
        endSession(.newHandshake, &effects)
        challenged = nil
        guard frame.code == OSDPCommand.Code.challenge.rawValue, frame.data.count == OSDPHandshake.randomCount,
            let kind = frame.security?.data, kind.count == 1, kind[0] <= 1
        else { return refuse(.length, frame, &effects) }
        let isWithWellKnownKey = kind[0] == 0
        guard let key = isWithWellKnownKey ? (installationEnd == nil ? nil : .wellKnown) : key else {
            return refuse(self.key == nil ? .securityUnsupported : .securityRequired, frame, &effects)
        }
        let deviceRandom = random.octets(OSDPHandshake.randomCount)
        guard let handshake = try? OSDPHandshake(key, panelRandom: frame.data, deviceRandom: deviceRandom) else {
            return refuse(.unable, frame, &effects)
        }
        challenged = Challenged(handshake: handshake, isWithWellKnownKey: isWithWellKnownKey)
        let reply = OSDPReply.clientCryptogram(
            identifier: configuration.identity.clientIdentifier, random: deviceRandom,
            cryptogram: handshake.clientCryptogram)
        send(reply, frame, OSDPSecurityBlock(.clientCryptogram, kind), &effects)
    }

    private mutating func handleServerCryptogram(
        _ frame: OSDPFrame, at now: Instant, _ effects: inout [OSDPEffect]
    ) {
        endSession(.newHandshake, &effects)
        guard let challenged, frame.code == OSDPCommand.Code.serverCryptogram.rawValue,
            challenged.handshake.isServerCryptogram(frame.data)
        else {
            challenged = nil
            return refuse(.securityRequired, frame, &effects)
        }
        self.challenged = nil
        let handshake = challenged.handshake
        send(.initialMAC(handshake.initialMAC), frame, OSDPSecurityBlock(.initialMAC, [1]), &effects)
        let secured = Secured(session: handshake.session, isWithWellKnownKey: challenged.isWithWellKnownKey)
        self.secured = secured
        // The cryptogram answers a random number of this handshake, so it proves as much as a MAC.
        opened(secured, at: now, &effects)
        effects.append(.notice(.secured(isWithWellKnownKey: challenged.isWithWellKnownKey)))
    }

    // MARK: - Secure session

    private mutating func handleSealed(_ frame: OSDPFrame, at now: Instant, _ effects: inout [OSDPEffect]) {
        challenged = nil
        guard var secured else { return refuse(.securityRequired, frame, &effects) }
        guard let data = try? secured.session.open(frame) else {
            endSession(.wrongMAC, &effects)
            return refuse(.securityRequired, frame, &effects)
        }
        self.secured = secured
        isOpened = true
        opened(secured, at: now, &effects)
        let isRestricted = !isTrusted(secured)
        let isClearKey = frame.code == OSDPCommand.Code.setKey.rawValue && frame.security?.kind != .encryptedCommand
        if isClearKey { return refuse(.securityRequired, frame, &effects) }
        if isRestricted, let code = OSDPCommand.Code(rawValue: frame.code), code != .setKey, code != .setLine,
            !OSDPDevice.isPermittedInClear(code)
        {
            return refuse(.securityRequired, frame, &effects)
        }
        execute(frame, data, as: isRestricted ? .restricted : .full, at: now, &effects)
    }

    /// Records a frame of the session. A frame under the well-known key proves nothing.
    private mutating func opened(_ secured: Secured, at now: Instant, _ effects: inout [OSDPEffect]) {
        lastOpened = now
        guard isTrusted(secured) else { return }
        lastTrusted = now
        prove(at: now, &effects)
    }

    // MARK: - Replies

    /// Sends a reply from the address of the command, and stores it for a repetition. Without `isTransmitted`, the
    /// reply is only stored.
    mutating func send(
        _ reply: OSDPReply, _ command: OSDPFrame, _ security: OSDPSecurityBlock? = nil, isTransmitted: Bool = true,
        _ effects: inout [OSDPEffect]
    ) {
        let (code, data) = reply.encoding
        var frame = OSDPFrame(
            address: command.address, isReply: true, sequence: command.sequence, check: command.check,
            security: security, code: code.rawValue, data: data)
        // Only replies to commands that were opened in the session are part of its MAC chain.
        if isOpened, let sealed = try? secured?.session.seal(frame) { frame = sealed }
        let octets = [OSDPFrame.mark] + frame.octets
        exchange?.reply = octets
        if let end = queue.sentEnd { exchange?.end = end }
        if isTransmitted { effects.append(.transmit(octets, before: answerEnd)) }
    }

    mutating func refuse(
        _ refusal: OSDPRefusal, _ command: OSDPFrame, isTransmitted: Bool = true, keepsExchange: Bool = false,
        _ effects: inout [OSDPEffect]
    ) {
        effects.append(.notice(.refused(code: command.code, refusal)))
        let kept = exchange
        send(.refused(refusal), command, nil, isTransmitted: isTransmitted, &effects)
        if keepsExchange { exchange = kept }
    }

    /// Handles a command while a key is being stored. A repetition of the key's command gets its reply when the result
    /// is known; other commands get osdp_BUSY, in clear and with the sequence number 0, so that the exchange stays open
    /// (7.24).
    private mutating func wait(_ command: OSDPFrame, _ octets: [UInt8], _ effects: inout [OSDPEffect]) {
        guard exchange?.command != octets else {
            pendingKey?.answerEnd = answerEnd
            return
        }
        pendingKey?.answerEnd = nil
        let frame = OSDPFrame(
            address: command.address, isReply: true, sequence: 0, check: command.check,
            code: OSDPReply.Code.busy.rawValue)
        effects.append(.transmit([OSDPFrame.mark] + frame.octets, before: answerEnd))
    }
}
