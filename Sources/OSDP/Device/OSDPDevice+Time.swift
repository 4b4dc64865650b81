// SPDX-License-Identifier: Apache-2.0

public import Crypto
public import Timekeeping

/// Octets of the line, and time.
extension OSDPDevice {
    /// Receives octets of the line in any pieces.
    ///
    /// `age` is the longest time that they may have waited for this call; the times between them are unknown. Octets
    /// older than `answerTime` are dropped, with all that follow until a pause, or for `answerTime`. Only the last of
    /// several commands is executed, and not if another message has begun after it: the panel no longer waits for the
    /// reply.
    public mutating func receive(
        _ octets: Span<UInt8>, at now: Instant, age: Duration = .zero, random: inout some RandomSource,
        effects: inout [OSDPEffect]
    ) {
        elapse(to: now, &effects)
        let since = now + (.zero - age)
        if since - lastOctet > OSDPDevice.characterPause { endFrame() }
        lastOctet = now
        if age > OSDPDevice.answerTime {
            decoder.discard()
            if outOfStepEnd == nil { effects.append(.notice(.late(age))) }
            outOfStepEnd = now + OSDPDevice.answerTime
        }
        if let end = outOfStepEnd {
            guard end <= now else { return }
            outOfStepEnd = nil
        }
        guard let item = lastMessage(octets) else { return }
        answerEnd = since + OSDPDevice.answerTime
        switch item {
        case .frame(let frame, let octets, _): handle(frame, octets, at: now, &random, &effects)
        case .damaged(let fault, let octets, _): handle(fault, octets, &effects)
        case .noise: break
        }
        reportDropped(&effects)
    }

    /// The message that ends the octets, if nothing but noise follows it.
    private mutating func lastMessage(_ octets: Span<UInt8>) -> OSDPFrameDecoder.Item? {
        var last: OSDPFrameDecoder.Item?
        for index in octets.indices {
            decoder.receive(octets[index]) { item in
                switch item {
                case .frame(_, _, let isFollowed), .damaged(_, _, let isFollowed): last = isFollowed ? nil : item
                case .noise: break
                }
            }
        }
        return decoder.heldCount == 0 ? last : nil
    }

    /// Advances to a time. Call it only after all octets of the line were passed to `receive`.
    public mutating func advance(to now: Instant, effects: inout [OSDPEffect]) {
        if now - lastOctet >= OSDPDevice.characterPause { endFrame() }
        elapse(to: now, &effects)
    }

    private mutating func elapse(to now: Instant, _ effects: inout [OSDPEffect]) {
        if let end = installationEnd, end <= now { closeInstallation(effects: &effects) }
        switchOutputs(&effects) { $0.advance(to: now) }
        queue.advance(to: now)
        if isOnline, now - lastProof >= OSDPDevice.silence { goOffline(at: now, &effects) }
        if let end = sessionEnd, end <= now {
            exchange = nil
            endSession(.silence, &effects)
        }
        if let end = releaseTime, end <= now { switchOutputs(&effects) { $0.release() } }
        reportDropped(&effects)
    }

    /// Handles a pause: drops an incomplete frame, so that the next octet may begin a new one.
    private mutating func endFrame() {
        decoder.discard()
        outOfStepEnd = nil
    }

    /// The time at which `advance` is due.
    public var deadline: Instant? {
        let pause = decoder.heldCount > 0 || outOfStepEnd != nil ? lastOctet + OSDPDevice.characterPause : nil
        let silence = isOnline ? lastProof + OSDPDevice.silence : nil
        return [pause, silence, sessionEnd, installationEnd, outputs.deadline, queue.deadline, releaseTime]
            .compactMap { $0 }.min()
    }

    /// True if a frame for the device was received within the time of silence, from any sender.
    public func isAddressed(at now: Instant) -> Bool {
        lastAddressed.map { now - $0 < OSDPDevice.silence } ?? false
    }

    /// The time at which the session ends unless another frame arrives.
    private var sessionEnd: Instant? { secured == nil ? nil : lastOpened + OSDPDevice.silence }

    /// The time at which the outputs are switched off because the panel is silent. Once a key is set, commands in clear
    /// do not postpone it.
    private var releaseTime: Instant? {
        guard configuration.obeysOutputOrders, !configuration.keepsOutputsOffline, outputs.isAnyOn else { return nil }
        return (lastTrusted ?? .origin) + OSDPDevice.silence
    }

    /// Records that the panel is online.
    mutating func prove(at now: Instant, _ effects: inout [OSDPEffect]) {
        lastProof = now
        guard !isOnline else { return }
        isOnline = true
        effects.append(.notice(.online))
    }

    private mutating func goOffline(at now: Instant, _ effects: inout [OSDPEffect]) {
        isOnline = false
        exchange = nil
        challenged = nil
        queue.restore(at: now)
        // The cardholder has left; the states are still valid.
        queue.clear()
        endSession(.silence, &effects)
        if transfer != nil { abortFile(&effects) }
        effects.append(.notice(.offline))
    }
}
