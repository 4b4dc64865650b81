// SPDX-License-Identifier: Apache-2.0

import Octets

// The order of sending: responses, then requests of this end, then credits, then data, a K-frame of each channel in
// turn.
extension LinkChannels {
    /// Appends the next complete L2CAP frame with its header to `octets`; false if no frame waits.
    public mutating func takeFrame(into octets: inout [UInt8], events: inout [ChannelEvent]) -> Bool {
        fill(events: &events)
        guard let fragment = frames.next(limit: .max) else { return false }
        octets.append(frames.octets.span.extracting(fragment.range))
        frames.drop(fragment)
        return true
    }

    /// Moves the next frame into `frames`, if that is empty.
    mutating func fill(events: inout [ChannelEvent]) {
        guard mayHaveFrames, frames.isEmpty else { return }
        unit.removeAll(keepingCapacity: true)
        if takeResponse() || takeDisconnection() || takeParameterRequest() || takeCredits() {
            frames.append(unit, channel: .signalling, isResponse: false)
        } else if !takeData(events: &events) {
            nothingToSay()
        }
    }

    private mutating func takeResponse() -> Bool {
        guard waitingResponses > 0 else { return false }
        let count = SignallingCommand.headerCount + (Int(responses[2]) | Int(responses[3]) << 8)
        unit.append(contentsOf: responses.prefix(count))
        responses.removeSubrange(..<count)
        responseTaken()
        return true
    }

    /// Disconnection Request (Core 5.4, Vol 3, Part A, 4.6): the channel ID of the other end, then of this end.
    private mutating func takeDisconnection() -> Bool {
        for index in channels.indices {
            guard case .ending(let identifier, let until, false) = channels[index].state else { continue }
            channels[index].state = .ending(identifier: identifier, until: until, isSent: true)
            unit.append(
                .disconnectionRequest, identifier, channels[index].peer, channels[index].id.endpoint.rawValue)
            return true
        }
        return false
    }

    private mutating func takeParameterRequest() -> Bool {
        guard case .waiting(let identifier, let until, .some(let wanted)) = parameters else { return false }
        parameters = .waiting(identifier: identifier, until: until, unsent: nil)
        unit.append(
            .parameterUpdateRequest, identifier, wanted.minimumInterval, wanted.maximumInterval, wanted.latency,
            wanted.supervisionTimeout)
        return true
    }

    /// Flow Control Credit (4.24), with the channel ID of this end.
    private mutating func takeCredits() -> Bool {
        for index in channels.indices {
            guard let owed = channels[index].takeOwedCredits() else { continue }
            unit.append(
                .flowControlCredit, nextIdentifier(), channels[index].id.endpoint.rawValue, UInt16(clamping: owed))
            return true
        }
        return false
    }

    private mutating func takeData(events: inout [ChannelEvent]) -> Bool {
        for step in channels.indices {
            let index = (turn + step) % channels.count
            guard channels[index].canSend else { continue }
            turn = (index + 1) % channels.count
            channels[index].appendFrame(to: &frames)
            if channels[index].takeWritable() { events.append(.writable(channels[index].id)) }
            return true
        }
        return false
    }
}
