// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import Timekeeping

@testable import Peripheral

/// The channels of one link on a virtual clock, with a central in hexadecimal.
final class ChannelRig {
    var channels: LinkChannels
    var security = LinkSecurityLevel()
    var now = Instant.origin
    var octets: [UInt8] = []
    private var events: [ChannelEvent] = []

    /// SPSM 0x0080: SDUs of 64 octets, K-frames of 64, four credits, three channels.
    static let small = ChannelService(spsm: 0x0080, mtu: 64, mps: 64, credits: 4, maximumPerLink: 3)

    init(_ services: [ChannelService] = [ChannelRig.small]) {
        channels = LinkChannels(services: services)
    }

    /// A rig with one channel: the central's endpoint is 0x0045, its MTU and MPS 64, and it gave so many credits.
    static func open(_ service: ChannelService = small, mtu: UInt16 = 64, mps: UInt16 = 64, credits: UInt16 = 2)
        -> (ChannelRig, ChannelID)
    {
        let rig = ChannelRig([service])
        let answer = rig.signal("14 01 0a00 8000 4500" + word(mtu) + word(mps) + word(credits))
        let id = ChannelID(endpoint: L2CAPChannelID(rawValue: 0x0040), serial: 1)
        #expect(
            answer == [
                "0e000500" + "15010a004000" + word(UInt16(service.mtu)) + word(UInt16(service.mps))
                    + word(UInt16(service.credits)) + "0000"
            ])
        #expect(
            rig.takeEvents() == [
                .opened(
                    id,
                    ChannelDescription(spsm: 0x0080, isEnhanced: false, peerMTU: Int(mtu), mtu: service.mtu))
            ])
        return (rig, id)
    }

    static func word(_ value: UInt16) -> String { hex([UInt8(value & 0xFF), UInt8(value >> 8)]) }

    /// Passes a signalling PDU; returns all subsequent frames.
    func signal(_ pdu: String) -> [String] {
        channels.receiveSignal(TestSupport.octets(pdu).span, security: security, at: now, events: &events)
        return takeFrames()
    }

    /// Passes a K-frame; false if the channel does not exist.
    func frame(_ payload: [UInt8], on endpoint: UInt16 = 0x0040) -> Bool {
        channels.receive(
            payload.span, on: L2CAPChannelID(rawValue: endpoint), at: now, octets: &octets, events: &events)
    }

    func send(_ unit: [UInt8], on channel: ChannelID) -> ChannelSendOutcome {
        channels.send(unit.span, on: channel)
    }

    func close(_ channel: ChannelID) { channels.close(channel, at: now, events: &events) }

    func closeAll() { channels.closeAll(events: &events) }

    func dropped(_ endpoint: UInt16) {
        channels.dropped(on: L2CAPChannelID(rawValue: endpoint), at: now, events: &events)
    }

    func takeFrame() -> String? {
        var frame: [UInt8] = []
        return channels.takeFrame(into: &frame, events: &events) ? hex(frame) : nil
    }

    func takeFrames() -> [String] { all(takeFrame) }

    func takeEvents() -> [ChannelEvent] { exchange(&events, with: []) }
}
