// SPDX-License-Identifier: Apache-2.0

import Crypto
import Testing
import TestSupport
import Timekeeping
import VirtualTime

@testable import OSDP

/// A panel and a device on a line of virtual time.
struct TestPanel {
    var device: OSDPDevice
    var now = Instant.origin
    /// Everything that the device wanted besides sending.
    var effects: [OSDPEffect] = []
    var session: OSDPSession?
    var sequence: UInt8 = 0
    var check = OSDPCheck.crc
    /// The address of commands.
    var address: UInt8 = 5
    /// The address octets of all replies.
    private(set) var answered: [UInt8] = []
    /// The octets of the last command.
    private(set) var sent: [UInt8] = []
    /// The initial MAC of the last session.
    private(set) var initialMAC: [UInt8]?
    private var random = SplitMix64(seed: 7)

    static let key = OSDPKey(taking: (1...16).map { $0 * 3 })
    static let otherKey = OSDPKey(taking: (1...16).map { $0 * 5 })
    static let identity = OSDPIdentity(
        vendor: [0x0A, 0x0B, 0x0C], model: 1, version: 2, serial: 0x0605_0403, firmware: [1, 2, 3])

    init(key: OSDPKey? = nil, _ change: (inout OSDPConfiguration) -> Void = { _ in }) {
        var configuration = OSDPConfiguration(
            line: OSDPLine(address: 5, speed: 9600), identity: TestPanel.identity, inputs: 2, outputs: 2)
        change(&configuration)
        device = OSDPDevice(configuration, key: key)
    }

    var notices: [OSDPNotice] {
        effects.compactMap { if case .notice(let notice) = $0 { notice } else { nil } }
    }

    /// Lets time pass, deadline by deadline.
    mutating func wait(_ duration: Duration) {
        now = elapse(from: now, to: now + duration, deadline: { device.deadline }) {
            now = $0
            perform { device, now, _, effects in device.advance(to: now, effects: &effects) }
        }
    }

    /// Puts octets on the line, which wait for the device up to `age`; returns those of the device.
    @discardableResult mutating func put(_ octets: [UInt8], age: Duration = .zero) -> [UInt8] {
        perform { device, now, random, effects in
            device.receive(octets.span, at: now, age: age, random: &random, effects: &effects)
        }
    }

    @discardableResult mutating func perform(
        _ body: (inout OSDPDevice, Instant, inout SplitMix64, inout [OSDPEffect]) -> Void
    ) -> [UInt8] {
        var new: [OSDPEffect] = []
        body(&device, now, &random, &new)
        var octets: [UInt8] = []
        for effect in new {
            guard case .transmit(let sent, let end) = effect else {
                effects.append(effect)
                continue
            }
            #expect(end >= now && end <= now + OSDPDevice.answerTime)
            answered.append(sent[2])
            octets += sent
        }
        return octets
    }

    /// A command under the session, or in clear; its reply, opened.
    @discardableResult mutating func send(
        _ command: OSDPCommand, security: OSDPSecurityBlock? = nil, inClear: Bool = false
    ) throws -> OSDPReply? {
        try send(code: command.code.rawValue, command.data, security: security, inClear: inClear)
    }

    @discardableResult mutating func send(
        code: UInt8, _ data: [UInt8], security: OSDPSecurityBlock? = nil, inClear: Bool = false
    ) throws -> OSDPReply? {
        var frame = OSDPFrame(
            address: address, isReply: false, sequence: sequence, check: check, security: security, code: code,
            data: data)
        if !inClear, security == nil, let sealed = try session?.seal(frame) { frame = sealed }
        sequence = sequence % 3 + 1
        sent = frame.octets
        return try reply(put(frame.octets))
    }

    /// The reply in the octets of the device.
    mutating func reply(_ octets: [UInt8]) throws -> OSDPReply? {
        guard !octets.isEmpty else { return nil }
        #expect(octets[0] == OSDPFrame.mark)
        let content = Array(octets.dropFirst())
        let frame = try OSDPFrame(content.span)
        let addresses = [device.line.address, OSDPFrame.broadcast]
        #expect(frame.isReply && addresses.contains(frame.address) || frame.code == 0x54)
        var data = frame.data
        if frame.security?.kind.hasMAC == true { data = try session?.open(frame) ?? [] }
        return try OSDPReply(code: frame.code, data.span)
    }

    /// The handshake; false if the device refuses it.
    mutating func secure(_ key: OSDPKey, isWellKnown: Bool = false, spoils: Bool = false) throws -> Bool {
        session = nil
        let kind: [UInt8] = [isWellKnown ? 0 : 1]
        let panelRandom: [UInt8] = Array(0xB0...0xB7)
        guard
            case .clientCryptogram(let identifier, let deviceRandom, let cryptogram) = try send(
                .challenge(panelRandom), security: OSDPSecurityBlock(.challenge, kind))
        else { return false }
        #expect(identifier == octets("0A0B010203040506"))
        let handshake = try OSDPHandshake(key, panelRandom: panelRandom, deviceRandom: deviceRandom)
        if !spoils { #expect(handshake.isClientCryptogram(cryptogram)) }
        let answer = try send(
            .serverCryptogram(handshake.serverCryptogram), security: OSDPSecurityBlock(.serverCryptogram, kind))
        guard case .initialMAC(let mac) = answer else { return false }
        #expect(mac == handshake.initialMAC)
        initialMAC = mac
        session = handshake.session
        return true
    }
}
