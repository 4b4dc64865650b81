// SPDX-License-Identifier: Apache-2.0

import Peripheral
import Timekeeping

/// Echoes the SDUs received on a device's channels.
///
/// An SDU longer than the client's MTU is returned cut. While a channel's queue is full the client gets no more
/// credits, so that the number of queued SDUs is bounded by the credits it had.
struct DeviceChannels {
    private struct Key: Hashable {
        let link: LinkID
        let channel: ChannelID
    }

    private struct Echo {
        let spsm: UInt16
        /// The longest SDU that the client takes.
        var peerMTU: Int
        /// SDUs that could not be sent yet, oldest first.
        var waiting: [[UInt8]] = []
    }

    private var echoes: [Key: Echo] = [:]

    /// Echo services, each SPSM once. Their MTU fits a value; a client that needs more sends several SDUs.
    static func services(_ numbers: [UInt16]) -> [ChannelService] {
        var services: [ChannelService] = []
        for number in numbers where !services.contains(where: { $0.spsm == number }) {
            services.append(ChannelService(spsm: number, mtu: mtu, maximumPerLink: perLink))
        }
        return services
    }

    /// The maximum length of an echoed SDU.
    static let mtu = 2048
    /// The maximum number of channels to one service per client.
    static let perLink = 4

    /// Handles an event of a channel; false if the event concerns something else.
    mutating func receive(
        _ event: HostEvent, _ host: inout Host, _ notices: inout DeviceNotices, at now: Instant
    ) -> Bool {
        switch event {
        case .channelOpened(let link, let channel, let description):
            echoes[Key(link: link, channel: channel)] = Echo(spsm: description.spsm, peerMTU: description.peerMTU)
            notices.report(.channelOpened(link, spsm: description.spsm))
        case .channelReceived(let link, let channel, let range):
            received(Array(host.eventOctets[range]), Key(link: link, channel: channel), &host, &notices, at: now)
        case .channelWritable(let link, let channel):
            sendWaiting(Key(link: link, channel: channel), &host, at: now)
        case .channelReconfigured(let link, let channel, let peerMTU):
            echoes[Key(link: link, channel: channel)]?.peerMTU = peerMTU
        case .channelClosed(let link, let channel):
            guard let echo = echoes.removeValue(forKey: Key(link: link, channel: channel)) else { break }
            notices.report(.channelClosed(link, spsm: echo.spsm))
        default: return false
        }
        return true
    }

    private mutating func received(
        _ octets: [UInt8], _ key: Key, _ host: inout Host, _ notices: inout DeviceNotices, at now: Instant
    ) {
        guard let echo = echoes[key] else { return }
        notices.report(.channelReceived(key.link, spsm: echo.spsm, octets: octets))
        let unit = Array(octets.prefix(echo.peerMTU))
        guard echo.waiting.isEmpty, host.send(key.link, key.channel, unit.span, at: now) != .busy else {
            echoes[key]?.waiting.append(unit)
            host.pauseChannel(key.link, key.channel)
            return
        }
    }

    private mutating func sendWaiting(_ key: Key, _ host: inout Host, at now: Instant) {
        guard let waiting = echoes[key]?.waiting else { return }
        var sent = 0
        for unit in waiting {
            guard host.send(key.link, key.channel, unit.span, at: now) != .busy else { break }
            sent += 1
        }
        echoes[key]?.waiting.removeFirst(sent)
        if sent == waiting.count { host.resumeChannel(key.link, key.channel, at: now) }
    }
}
