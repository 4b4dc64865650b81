// SPDX-License-Identifier: Apache-2.0

import Crypto
import Timekeeping

/// Frames of the panel: address, sequence, security.
extension OSDPDevice {
    /// A whole frame.
    mutating func hear(
        _ frame: OSDPFrame, _ octets: [UInt8], at now: Instant, _ random: inout some RandomSource,
        _ effects: inout [OSDPEffect]
    ) {
        guard !frame.isReply, isAddressed(frame.address) else { return }
        lastHeard = now
        if !isOnline {
            isOnline = true
            effects.append(.notice(.online))
        }
        guard pendingKey == nil else { return sendBusy(frame, &effects) }
        isOpened = false
        if takesClear { lastTrusted = now }
        guard follows(frame, octets, &effects) else { return }
        exchange = Exchange(command: octets, sequence: frame.sequence, reply: nil)
        switch frame.security?.kind {
        case nil: hearInClear(frame, at: now, &effects)
        case .challenge: hearChallenge(frame, &random, &effects)
        case .serverCryptogram: hearServerCryptogram(frame, &effects)
        default: hearSealed(frame, at: now, &effects)
        }
    }

    /// A frame whose check is right and whose contents are not. Others are not answered: their address may be wrong
    /// too, and two devices would speak at once.
    mutating func hear(_ fault: OSDPFault, _ octets: [UInt8], _ effects: inout [OSDPEffect]) {
        guard fault == .securityBlock || fault == .contents, octets[1] & 0x80 == 0,
            isAddressed(octets[1] & OSDPFrame.broadcast)
        else { return }
        let frame = OSDPFrame(
            address: octets[1], isReply: false, sequence: octets[4], check: octets[4] & 4 == 0 ? .checksum : .crc,
            code: 0)
        isOpened = false
        refuse(fault == .contents ? .length : .securityUnsupported, frame, keepsExchange: true, &effects)
    }

    private func isAddressed(_ address: UInt8) -> Bool { address == line.address || address == OSDPFrame.broadcast }

    /// 5.8: 0 begins anew; the same number asks for the last reply again; otherwise the next of 1, 2, 3 is due.
    private mutating func follows(
        _ frame: OSDPFrame, _ octets: [UInt8], _ effects: inout [OSDPEffect]
    ) -> Bool {
        if frame.sequence == 0 {
            queue.restore()
            return true
        }
        if let exchange, exchange.sequence == frame.sequence, exchange.command == octets, let reply = exchange.reply {
            effects.append(.transmit(reply))
            return false
        }
        guard let exchange, frame.sequence == exchange.sequence % 3 + 1 else {
            refuse(.sequence, frame, keepsExchange: true, &effects)
            return false
        }
        return true
    }

    // MARK: - In clear

    private mutating func hearInClear(_ frame: OSDPFrame, at now: Instant, _ effects: inout [OSDPEffect]) {
        // A panel that starts again begins so. Nothing that needs the session is taken here.
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
        obey(frame, frame.data, as: takesClear ? .clear : .restricted, at: now, &effects)
    }

    /// The commands that a device with a key answers without a session under it. A poll gets no report.
    private static func isPermittedInClear(_ code: OSDPCommand.Code) -> Bool {
        code == .poll || code == .identify || code == .capabilities
    }

    // MARK: - Handshake

    private mutating func hearChallenge(
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

    private mutating func hearServerCryptogram(_ frame: OSDPFrame, _ effects: inout [OSDPEffect]) {
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
        secured = Secured(session: handshake.session, isWithWellKnownKey: challenged.isWithWellKnownKey)
        effects.append(.notice(.secured(isWithWellKnownKey: challenged.isWithWellKnownKey)))
    }

    // MARK: - Secure session

    private mutating func hearSealed(_ frame: OSDPFrame, at now: Instant, _ effects: inout [OSDPEffect]) {
        challenged = nil
        guard var session = secured?.session else { return refuse(.securityRequired, frame, &effects) }
        guard let data = try? session.open(frame) else {
            endSession(.wrongMAC, &effects)
            return refuse(.securityRequired, frame, &effects)
        }
        secured?.session = session
        isOpened = true
        let isRestricted = secured.map { !isTrusted($0) } ?? true
        let isClearKey = frame.code == OSDPCommand.Code.setKey.rawValue && frame.security?.kind != .encryptedCommand
        if !isRestricted { lastTrusted = now }
        if isClearKey { return refuse(.securityRequired, frame, &effects) }
        if isRestricted, let code = OSDPCommand.Code(rawValue: frame.code), code != .setKey, code != .setLine,
            !OSDPDevice.isPermittedInClear(code)
        {
            return refuse(.securityRequired, frame, &effects)
        }
        obey(frame, data, as: isRestricted ? .restricted : .clear, at: now, &effects)
    }

    // MARK: - Replies

    /// Answers, and keeps the answer for a repetition.
    mutating func send(
        _ reply: OSDPReply, _ command: OSDPFrame, _ security: OSDPSecurityBlock? = nil,
        _ effects: inout [OSDPEffect]
    ) {
        let (code, data) = reply.encoding
        var frame = OSDPFrame(
            address: line.address, isReply: true, sequence: command.sequence, check: command.check, security: security,
            code: code.rawValue, data: data)
        // Only what was opened has its place in the chain.
        if isOpened, let sealed = try? secured?.session.seal(frame) { frame = sealed }
        let octets = [OSDPFrame.mark] + frame.octets
        exchange?.reply = octets
        effects.append(.transmit(octets))
    }

    mutating func refuse(
        _ refusal: OSDPReply.Refusal, _ command: OSDPFrame, keepsExchange: Bool = false,
        _ effects: inout [OSDPEffect]
    ) {
        effects.append(.notice(.refused(code: command.code, refusal)))
        let kept = exchange
        send(.refused(refusal), command, nil, &effects)
        if keepsExchange { exchange = kept }
    }

    /// 7.24: in clear, with the sequence number 0, so that the exchange stays open.
    private func sendBusy(_ command: OSDPFrame, _ effects: inout [OSDPEffect]) {
        let frame = OSDPFrame(
            address: line.address, isReply: true, sequence: 0, check: command.check,
            code: OSDPReply.Code.busy.rawValue)
        effects.append(.transmit([OSDPFrame.mark] + frame.octets))
    }
}
