// SPDX-License-Identifier: Apache-2.0

import OSDP
import TestSupport
import Timekeeping

/// Octets of the line, events and time at a device of OSDP. Without the key of a device that has one nothing is ordered
/// and nothing reported; what is sent can be read and is short; what is due is done.
func fuzzOSDP(_ input: inout FuzzInput) {
    let octets = input.block()
    checkOSDPMessages(octets)
    observeOSDP(octets)
    readOSDPCapture(octets)
    var rig = OSDPRig(hasKey: input.octet() & 1 == 0)
    while let step = input.next() {
        switch step & 0x0F {
        case 0: rig.advance(by: .milliseconds(Int(input.word())))
        case 1: rig.receive(input.block(), age: .milliseconds(Int(step >> 4) * 20))
        case 2: rig.openInstallation()
        case 3: rig.present(bits: Int(input.octet()) * 3)
        case 4: rig.change(step >> 4)
        case 5: rig.answerKey(isStored: step & 0x10 == 0)
        case 6: rig.handshake(isWellKnown: step & 0x10 != 0)
        case 7: rig.receiveSealed(code: input.octet(), input.block())
        default: rig.receive(code: input.octet(), input.block(), security: step >> 4)
        }
    }
    rig.advance(by: .seconds(120))
    rig.checkEnd()
}

/// Octets of a line at an observer: what it reports as frames are octets of the line, once each.
private func observeOSDP(_ octets: [UInt8]) {
    var observer = OSDPObserver()
    var count = 0
    func add(_ observation: OSDPObservation) {
        guard observation.frame != nil else { return }
        count += observation.octets.count
    }
    observer.receive(octets.span, add)
    observer.finish(add)
    require(count <= octets.count, "an observer reports more than there was")
}

/// A message that was read is written as the same octets.
private func checkOSDPMessages(_ octets: [UInt8]) {
    guard let code = octets.first else { return }
    let data = Array(octets.dropFirst())
    if let command = try? OSDPCommand(code: code, data.span) {
        // The octet that some panels leave out is written.
        let isShort = data.isEmpty && (command == .identify || command == .capabilities)
        require(command.data == data || isShort, "a command is written as another one")
    }
    if let reply = try? OSDPReply(code: code, data.span) {
        require(reply.data == data, "a reply is written as another one")
    }
}

/// Octets of a file as a capture: whole and octet by octet they are the same records, or the same fault.
private func readOSDPCapture(_ octets: [UInt8]) {
    func records(_ pieces: [[UInt8]]) -> ([OSDPCapture.Record], OSDPCapture.Fault?) {
        var (capture, records): (OSDPCapture, [OSDPCapture.Record]) = (OSDPCapture(), [])
        do throws(OSDPCapture.Fault) {
            for piece in pieces { try capture.receive(piece) { records.append($0) } }
            try capture.finish { records.append($0) }
            return (records, nil)
        } catch { return (records, error) }
    }
    let (whole, parts) = (records([octets]), records(octets.map { [$0] }))
    require(whole.0 == parts.0 && whole.1 == parts.1, "a capture depends on its pieces")
}

/// A device, and a panel that knows only the well-known key.
private struct OSDPRig {
    private var device: OSDPDevice
    /// True until the panel sets a key of its own.
    private var isForeign: Bool
    private var random = CountingRandom()
    private var now = Instant.origin
    private var sequence: UInt8 = 0
    private var session: OSDPSession?
    private var reply: OSDPFrame?

    init(hasKey: Bool) {
        var configuration = OSDPConfiguration(
            line: OSDPLine(address: 0, speed: 9600),
            identity: OSDPIdentity(vendor: [1, 2, 3], model: 1, version: 1, serial: 1, firmware: [1, 0, 0]), inputs: 2,
            outputs: 2)
        configuration.fileLimit = 4096
        configuration.hasDisplay = true
        configuration.manufacturerOperations = [1]
        device = OSDPDevice(configuration, key: hasKey ? OSDPKey(Array(1...16)) : nil)
        isForeign = hasKey
    }

    mutating func openInstallation() { device.openInstallation(until: now + .seconds(30)) }

    mutating func change(_ what: UInt8) {
        _ = device.setInput(Int(what & 3), isActive: what & 4 == 0)
        device.setTampered(what & 8 == 0)
    }

    mutating func present(bits: Int) {
        let card = OSDPCardData(bits: (0..<bits).map { $0 % 3 == 0 })
        act { device, now, _, effects in _ = device.present(card, at: now, effects: &effects) }
    }

    mutating func answerKey(isStored: Bool) {
        act { device, now, _, effects in device.keyStored(isStored, at: now, effects: &effects) }
    }

    mutating func receive(_ octets: [UInt8], age: Duration = .zero) {
        act { device, now, random, effects in
            device.receive(octets.span, at: now, age: age, random: &random, effects: &effects)
        }
        require(age <= OSDPDevice.answerTime || reply == nil, "a late answer")
    }

    /// A frame whose header is right.
    mutating func receive(code: UInt8, _ data: [UInt8], security: UInt8) {
        let kind = OSDPSecurityBlock.Kind(rawValue: 0x11 + (security & 3) * 2)
        let block = security & 4 == 0 ? nil : kind.map { OSDPSecurityBlock($0, $0.hasMAC ? [] : [security >> 3]) }
        var frame = OSDPFrame(
            address: 0, isReply: false, sequence: sequence, check: .crc, security: block, code: code,
            data: Array(data.prefix(1024)))
        if block?.kind.hasMAC == true { frame.mac = [1, 2, 3, 4] }
        send(frame)
    }

    /// A frame under the session of the well-known key.
    mutating func receiveSealed(code: UInt8, _ data: [UInt8]) {
        let frame = OSDPFrame(
            address: 0, isReply: false, sequence: sequence, check: .crc, code: code, data: Array(data.prefix(1024)))
        guard let sealed = try? session?.seal(frame) else { return }
        send(sealed)
        if let reply { _ = try? session?.open(reply) }
    }

    /// The handshake under the well-known key, as that or as the device's own.
    mutating func handshake(isWellKnown: Bool) {
        let kind: [UInt8] = [isWellKnown ? 0 : 1]
        let panelRandom = [UInt8](repeating: 3, count: 8)
        sequence = 0
        session = nil
        send(
            OSDPFrame(
                address: 0, isReply: false, sequence: 0, check: .crc, security: OSDPSecurityBlock(.challenge, kind),
                code: 0x76, data: panelRandom))
        guard let reply, reply.code == 0x76, reply.data.count == 32 else { return }
        let handshake = certain {
            try OSDPHandshake(.wellKnown, panelRandom: panelRandom, deviceRandom: Array(reply.data[8..<16]))
        }
        send(
            OSDPFrame(
                address: 0, isReply: false, sequence: sequence, check: .crc,
                security: OSDPSecurityBlock(.serverCryptogram, kind), code: 0x77, data: handshake.serverCryptogram))
        if self.reply?.code == 0x78 { session = handshake.session }
    }

    private mutating func send(_ frame: OSDPFrame) {
        sequence = sequence % 3 + 1
        receive(frame.octets)
    }

    mutating func advance(by duration: Duration) {
        let end = now + duration
        while let deadline = device.deadline, deadline <= end {
            now = max(now, deadline)
            act { device, now, _, effects in device.advance(to: now, effects: &effects) }
            if let deadline = device.deadline { require(deadline > now, "what is due is not done") }
        }
        now = end
    }

    func checkEnd() {
        require(!device.isSecure && !device.isOnline, "a silent line is online")
        require(!device.outputStates.contains(true), "a silent panel holds an output")
        require(device.deadline == nil, "something is due after two minutes of silence")
    }

    private mutating func act(
        _ body: (inout OSDPDevice, Instant, inout CountingRandom, inout [OSDPEffect]) -> Void
    ) {
        var effects: [OSDPEffect] = []
        body(&device, now, &random, &effects)
        reply = nil
        for effect in effects {
            switch effect {
            case .transmit(let octets, let end):
                require(end >= now && end <= now + OSDPDevice.answerTime, "an answer beyond its time")
                check(octets)
            case .notice(.keyChanged): isForeign = false
            case .storeKey(let key): require(!key.isWeak, "a weak key is kept")
            case .setLine(let line): require(line.isValid, "an impossible line")
            case .notice: break
            case .output(_, let isOn): require(!isForeign || !isOn, "an output without the key")
            default: require(!isForeign || effect == .fileAborted, "an order without the key")
            }
        }
    }

    private mutating func check(_ octets: [UInt8]) {
        let content = Array(octets.dropFirst())
        require(octets.first == OSDPFrame.mark && octets.count <= 129, "a reply of \(octets.count) octets")
        let frame = certain { try OSDPFrame(content.span) }
        require(frame.isReply, "a device sends a command")
        reply = frame
        guard isForeign, !device.isSecure else { return }
        let answers: [OSDPReply.Code] = [
            .acknowledged, .refused, .identity, .capabilities, .line, .clientCryptogram, .initialMAC, .busy,
        ]
        require(answers.contains { $0.rawValue == frame.code }, "a report in clear")
    }
}
