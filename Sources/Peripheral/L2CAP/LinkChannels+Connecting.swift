// SPDX-License-Identifier: Apache-2.0

import Octets

// Opening and reconfiguration of channels by the central (Core 5.4, Vol 3, Part A, 4.22, 4.23, 4.25 to 4.28).
extension LinkChannels {
    /// The parameters of a request, without its channel IDs.
    private struct Wish {
        var mtu: Int
        var mps: Int
        var credits: Int
    }

    // MARK: - LE Credit Based Connection Request

    mutating func connect(
        _ pdu: Span<UInt8>, _ identifier: UInt8, security: LinkSecurityLevel, events: inout [ChannelEvent]
    ) {
        let source = SignallingCommand.field(1, of: pdu)
        let wish = Wish(
            mtu: Int(SignallingCommand.field(2, of: pdu)), mps: Int(SignallingCommand.field(3, of: pdu)),
            credits: Int(SignallingCommand.field(4, of: pdu)))
        var result = ChannelResult.serviceNotSupported
        var opened: CreditBasedChannel?
        if let service = service(SignallingCommand.field(0, of: pdu), .creditBased) {
            if let refusal = service.security.refusal(at: security, isAuthorized: isAuthorized) {
                result = refusal
            } else if wish.mtu < max(ChannelLimits.least, service.minimumPeerMTU) || wish.mps < ChannelLimits.least {
                result = .unacceptableParameters
            } else {
                (opened, result) = open(service, source, wish, isEnhanced: false, events: &events)
            }
        }
        respond { response in
            response.append(.creditBasedConnectionResponse, identifier, fields: 5)
            // Only the result is valid in a refusal (4.23).
            response.append(littleEndian: opened?.id.endpoint.rawValue ?? 0)
            LinkChannels.append(opened?.service, to: &response)
            response.append(littleEndian: result.rawValue)
        }
    }

    // MARK: - Credit Based Connection Request

    /// Handles the request. The response has as many channel IDs as the request, 0 for those refused; the result is the
    /// first refusal (4.26).
    mutating func connectEnhanced(
        _ pdu: Span<UInt8>, _ identifier: UInt8, count: Int, security: LinkSecurityLevel, events: inout [ChannelEvent]
    ) {
        let wish = Wish(
            mtu: Int(SignallingCommand.field(1, of: pdu)), mps: Int(SignallingCommand.field(2, of: pdu)),
            credits: Int(SignallingCommand.field(3, of: pdu)))
        let service = service(SignallingCommand.field(0, of: pdu), .enhanced)
        let refusalOfAll = refusal(of: wish, count: count, by: service, security)
        var result = refusalOfAll ?? .success
        var serving: ChannelService?
        var endpoints = [UInt16](repeating: 0, count: min(count, ChannelLimits.perRequest))
        if let service, refusalOfAll == nil {
            for index in endpoints.indices {
                let source = SignallingCommand.field(4 + index, of: pdu)
                let (opened, outcome) = open(service, source, wish, isEnhanced: true, events: &events)
                if let opened {
                    endpoints[index] = opened.id.endpoint.rawValue
                    serving = service
                } else if result == .success {
                    result = outcome
                }
            }
        }
        respond { response in
            response.append(.enhancedConnectionResponse, identifier, fields: 4 + endpoints.count)
            LinkChannels.append(serving, to: &response)
            response.append(littleEndian: result.rawValue)
            for endpoint in endpoints { response.append(littleEndian: endpoint) }
        }
    }

    /// The reason that no channel is opened. Values below the limits of the specification are invalid, as is a number
    /// of channels other than 1 to 5; an MTU below the minimum of the service is unacceptable.
    private func refusal(
        of wish: Wish, count: Int, by service: ChannelService?, _ security: LinkSecurityLevel
    ) -> ChannelResult? {
        guard let service else { return .serviceNotSupported }
        guard (1...ChannelLimits.perRequest).contains(count), wish.mtu >= ChannelLimits.leastEnhanced,
            wish.mps >= ChannelLimits.leastEnhanced, wish.credits > 0
        else { return .invalidParameters }
        if let refusal = service.security.refusal(at: security, isAuthorized: isAuthorized) { return refusal }
        return wish.mtu < service.minimumPeerMTU ? .unacceptableParameters : nil
    }

    // MARK: - Common to both requests

    private func service(_ spsm: UInt16, _ mode: ChannelService.Modes) -> ChannelService? {
        services.first { $0.spsm == spsm && $0.modes.contains(mode) }
    }

    /// Appends MTU, MPS and credits of this end; zeros if no channel was opened.
    private static func append(_ service: ChannelService?, to response: inout [UInt8]) {
        response.append(littleEndian: UInt16(clamping: service?.mtu ?? 0))
        response.append(littleEndian: UInt16(clamping: service?.mps ?? 0))
        response.append(littleEndian: UInt16(clamping: service?.credits ?? 0))
    }

    private mutating func open(
        _ service: ChannelService, _ source: UInt16, _ wish: Wish, isEnhanced: Bool, events: inout [ChannelEvent]
    ) -> (CreditBasedChannel?, ChannelResult) {
        guard ChannelLimits.dynamic.contains(source) else { return (nil, .invalidSource) }
        guard !channels.contains(where: { $0.peer == source }) else { return (nil, .sourceInUse) }
        guard channels.count(where: { $0.service.spsm == service.spsm }) < service.maximumPerLink,
            let id = newIdentifier()
        else { return (nil, .noResources) }
        let channel = CreditBasedChannel(
            id: id, peer: source, service: service, isEnhanced: isEnhanced, peerMTU: wish.mtu, peerMPS: wish.mps,
            credits: wish.credits)
        channels.append(channel)
        events.append(.opened(id, channel.description))
        return (channel, .success)
    }

    // MARK: - Credit Based Reconfigure Request

    /// Handles a change of MTU and MPS of the central on some of its channels, named by its channel IDs: all of them
    /// change, or none.
    mutating func reconfigure(
        _ pdu: Span<UInt8>, _ identifier: UInt8, count: Int, events: inout [ChannelEvent]
    ) {
        let mtu = Int(SignallingCommand.field(0, of: pdu))
        let mps = Int(SignallingCommand.field(1, of: pdu))
        let result = reconfiguration(pdu, count: count, mtu: mtu, mps: mps)
        if result == .success {
            for index in 0..<count {
                guard let place = enhanced(SignallingCommand.field(2 + index, of: pdu)) else { continue }
                channels[place].peerMPS = mps
                guard channels[place].peerMTU != mtu else { continue }
                channels[place].peerMTU = mtu
                events.append(.reconfigured(channels[place].id, peerMTU: mtu))
            }
        }
        respond { $0.append(.reconfigureResponse, identifier, result.rawValue) }
    }

    private func reconfiguration(_ pdu: Span<UInt8>, count: Int, mtu: Int, mps: Int) -> ReconfigurationResult {
        guard (1...ChannelLimits.perRequest).contains(count), mtu >= ChannelLimits.leastEnhanced,
            mps >= ChannelLimits.leastEnhanced
        else { return .unacceptableParameters }
        var result = ReconfigurationResult.success
        for index in 0..<count {
            let endpoint = SignallingCommand.field(2 + index, of: pdu)
            for earlier in 0..<index where SignallingCommand.field(2 + earlier, of: pdu) == endpoint {
                return .invalidDestination
            }
            guard let place = enhanced(endpoint) else { return .invalidDestination }
            if mtu < channels[place].peerMTU {
                result = .mtuReduced
            } else if count > 1, mps < channels[place].peerMPS, result == .success {
                result = .mpsReduced
            }
        }
        return result
    }

    /// The index of the open enhanced channel with this channel ID of the other end.
    private func enhanced(_ peer: UInt16) -> Int? {
        channels.firstIndex { $0.peer == peer && $0.isEnhanced && $0.isOpen }
    }
}
