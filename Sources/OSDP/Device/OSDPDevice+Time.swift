// SPDX-License-Identifier: Apache-2.0

public import Crypto
public import Timekeeping

/// Octets of the line, and time.
extension OSDPDevice {
    /// Receives octets of the line in any pieces.
    ///
    /// `age` is the longest time that they may have waited for this call, with the times between them unknown. Those
    /// older than `answerTime` are dropped, with all that follows until a pause or for that time. Of several commands
    /// the last alone is executed, and none behind which another message has begun: the panel has gone on.
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

    /// Lets time pass. To be called when the line has no octets that `receive` does not have.
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

    /// A pause: an incomplete frame was none, and the next octet may begin one.
    private mutating func endFrame() {
        decoder.discard()
        outOfStepEnd = nil
    }

    /// The time at which `advance` has something to do.
    public var deadline: Instant? {
        let pause = decoder.heldCount > 0 || outOfStepEnd != nil ? lastOctet + OSDPDevice.characterPause : nil
        let silence = isOnline ? lastProof + OSDPDevice.silence : nil
        return [pause, silence, sessionEnd, installationEnd, outputs.deadline, queue.deadline, releaseTime]
            .compactMap { $0 }.min()
    }

    /// True if a frame for the device has come within the time of silence, whoever sent it.
    public func isAddressed(at now: Instant) -> Bool {
        lastAddressed.map { now - $0 < OSDPDevice.silence } ?? false
    }

    /// The end of a session without further frames.
    private var sessionEnd: Instant? { secured == nil ? nil : lastOpened + OSDPDevice.silence }

    /// The end of the panel's power over the outputs: commands in clear do not prolong it once a key is set.
    private var releaseTime: Instant? {
        guard configuration.obeysOutputOrders, !configuration.keepsOutputsOffline, outputs.isAnyOn else { return nil }
        return (lastTrusted ?? .origin) + OSDPDevice.silence
    }

    /// Notes that the panel is there.
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
        // The person has gone; the states are still true.
        queue.clear()
        endSession(.silence, &effects)
        if transfer != nil { abortFile(&effects) }
        effects.append(.notice(.offline))
    }
}
