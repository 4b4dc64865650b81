// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import Timekeeping

@testable import Peripheral

/// Signalling and credit-based channels in a complete host.
@Suite struct HostChannelTests {
    private static let service = ChannelService(spsm: 0x0080, mtu: 100, mps: 64, credits: 4, maximumPerLink: 2)
    private static let open = octets("1401" + "0a00" + "8000" + "4500" + "6400" + "4000" + "0a00")
    private static let opened = "0e000500" + "1501" + "0a00" + "4000" + "6400" + "4000" + "0400" + "0000"

    private func running(
        buffers: [UInt8] = [0xFB, 0x00, 0x08], _ services: [ChannelService] = [service]
    ) throws -> (Rig, LinkID) {
        var controller = ScriptedController.extended
        controller.leBuffers = buffers
        var configuration = HostConfiguration.unverified
        configuration.channelServices = services
        let (rig, ids) = try Rig.linked(controller, links: 1, configuration: configuration)
        return (rig, ids[0])
    }

    /// A host with a link and a channel, whose other endpoint is 0x0045.
    private func opened(buffers: [UInt8] = [0xFB, 0x00, 0x08]) throws -> (Rig, LinkID, ChannelID) {
        let (rig, link) = try running(buffers: buffers)
        rig.signal(Self.open)
        let id = ChannelID(endpoint: L2CAPChannelID(rawValue: 0x40), serial: 1)
        let description = ChannelDescription(spsm: 0x80, isEnhanced: false, peerMTU: 100, mtu: 100)
        #expect(rig.takeEvents() == [.channelOpened(link, id, description)])
        #expect(rig.takeData() == ["024000" + "1200" + Self.opened])
        rig.complete(0x40, 1)
        return (rig, link, id)
    }

    @Test func unitsComeAndGo() throws {
        let (rig, link, id) = try opened()
        rig.frame([3, 0, 7, 8, 9])
        #expect(rig.takeEvents() == [.channelReceived(link, id, value: 0..<3)])
        #expect(rig.host.eventOctets == [7, 8, 9])
        rig.frame([4, 0, 1])
        rig.frame([2, 3, 4])
        #expect(rig.takeEvents() == [.channelReceived(link, id, value: 0..<4)])
        #expect(rig.host.eventOctets == [1, 2, 3, 4])
        // Two of its four credits were left before the last frame.
        #expect(rig.takeData() == ["024000" + "0c00" + "08000500" + packed("16 01 0400 4000 0200")])
        #expect(rig.transmit(link, id, [5, 6]) == .accepted)
        #expect(rig.takeData() == ["024000" + "0800" + "04004500" + "0200" + "0506"])
        #expect(rig.transmit(link, id, [UInt8](repeating: 0, count: 101)) == .tooLong)
    }

    /// A K-frame in fragments, with events not yet taken in between.
    @Test func unitsInFragments() throws {
        let (rig, link, id) = try opened()
        rig.host.receive(octets("024020" + "0700" + "05004000" + "030007").span, at: rig.now)
        rig.host.receive(octets("024010" + "0200" + "0809").span, at: rig.now)
        rig.host.receive(octets("024020" + "0600" + "02004000" + "0000").span, at: rig.now)
        rig.send(octets("024020" + "0700" + "03004000" + "010001"))
        #expect(
            rig.takeEvents() == [
                .channelReceived(link, id, value: 0..<3), .channelReceived(link, id, value: 3..<3),
                .channelReceived(link, id, value: 3..<4),
            ])
        #expect(rig.host.eventOctets == [7, 8, 9, 1])
    }

    @Test func securityOfTheLinkIsAsked() throws {
        let (rig, _) = try running([ChannelService(spsm: 0x80, security: .authenticated)])
        func result(_ security: LinkSecurityLevel) -> String {
            rig.host.connections[0].security.level = security
            rig.signal(Self.open)
            rig.complete(0x40, 1)
            return String(rig.takeData().last?.suffix(4) ?? "")
        }
        #expect(result(LinkSecurityLevel()) == "0500")
        #expect(result(LinkSecurityLevel(isBonded: true)) == "0800")
        #expect(result(LinkSecurityLevel(isEncrypted: true)) == "0500")
        #expect(result(LinkSecurityLevel(isEncrypted: true, isAuthenticated: true)) == "0000")
    }

    @Test func authorizationIsTheDevices() throws {
        let service = ChannelService(spsm: 0x80, security: ChannelSecurity(needsAuthorization: true))
        let (rig, link) = try running([service])
        rig.signal(Self.open)
        #expect(rig.takeData().last?.suffix(4) == "0600")
        rig.host.authorizeChannels(link, true)
        rig.signal(Self.open)
        #expect(rig.takeData().last?.suffix(4) == "0000")
    }

    @Test func enhancedChannelsForATT() throws {
        let (rig, link) = try running([
            ChannelService(
                spsm: ChannelService.enhancedAttributeProtocol, modes: .enhanced, mtu: 128, maximumPerLink: 5)
        ])
        rig.signal(octets("17 01 0c00 2700 6400 4000 0400 5000 5100"))
        #expect(
            rig.takeData() == ["024000" + "1400" + "10000500" + packed("18 01 0c00 8000 f700 0800 0000 4000 4100")])
        let ids = (1...2).map { ChannelID(endpoint: L2CAPChannelID(rawValue: 0x3F + $0), serial: UInt32($0)) }
        let description = ChannelDescription(spsm: 0x27, isEnhanced: true, peerMTU: 100, mtu: 128)
        #expect(rig.takeEvents() == ids.map { .channelOpened(link, $0, description) })
        rig.signal(octets("19 02 0600 7800 4000 5100"))
        #expect(rig.takeEvents() == [.channelReconfigured(link, ids[1], peerMTU: 120)])
    }

    // MARK: - What is refused

    @Test func framesOfUnopenedChannelsAreCounted() throws {
        let (rig, _, _) = try opened()
        let before = rig.host.ignoredPackets
        for channel: UInt8 in [0x00, 0x03, 0x07, 0x41, 0x45, 0x7F] { rig.frame([1, 0, 1], channel: channel) }
        #expect(rig.host.ignoredPackets == before + 6 && rig.takeEvents() == [] && rig.takeData() == [])
    }

    /// Too long for the channel; and too long for the host, which then never sees the whole frame.
    @Test func frameLongerThanTheMPSClosesTheChannel() throws {
        for count in [65, 2000] {
            let (rig, link, id) = try opened()
            rig.frame([UInt8](repeating: 0, count: count))
            #expect(rig.takeEvents() == [.channelClosed(link, id)])
            #expect(rig.takeData() == ["024000" + "0c00" + "08000500" + packed("06 01 0400 4500 4000")])
            #expect(rig.transmit(link, id, [1]) == .gone)
        }
    }

    @Test func floodOfSignalling() throws {
        let (rig, link) = try running(buffers: [27, 0, 2])
        let request = octets("06 01 0400 4000 4500")
        for _ in 0..<9 { rig.signal(request) }
        #expect(rig.takeCommands() == [] && rig.takeData().count == 1)
        // One is with the controller, one is the frame in progress.
        for _ in 0..<2 { rig.signal(request) }
        #expect(rig.takeCommands() == ["060403" + "4000" + "14"])
        rig.disconnected(0x40, reason: 0x16)
        #expect(rig.takeEvents() == [.disconnected(link, reason: .localHostTerminated)])
    }

    // MARK: - The end

    @Test func channelEndsBeforeItsLink() throws {
        let (rig, link, id) = try opened()
        rig.disconnected(0x40)
        #expect(rig.takeEvents() == [.channelClosed(link, id), .disconnected(link, reason: .remoteUserTerminated)])
        #expect(rig.transmit(link, id, [1]) == .gone)
        // The next link in the place has nothing of it.
        rig.join()
        let before = rig.host.ignoredPackets
        rig.frame([1, 0, 1])
        #expect(rig.host.ignoredPackets == before + 1)
    }

    @Test func deviceEndsTheLink() throws {
        let (rig, link, id) = try opened()
        rig.act { $0.disconnect(link, reason: .remoteUserTerminated, at: $1) }
        #expect(rig.takeEvents() == [.channelClosed(link, id)])
        rig.frame([1, 0, 1])
        rig.disconnected(0x40, reason: 0x16)
        #expect(rig.takeEvents() == [.disconnected(link, reason: .localHostTerminated)])
    }

    @Test func lostControllerEndsTheChannels() throws {
        let (rig, link, id) = try opened()
        rig.act { $0.transportLost(at: $1) }
        #expect(
            rig.takeEvents() == [
                .channelClosed(link, id), .disconnected(link, reason: .hardwareFailure),
                .controllerFailed(.transportLost),
            ])
    }

    /// RTX: without a response the channel IDs are reserved for 30 s.
    @Test func disconnectionThatIsNotAnswered() throws {
        let (rig, link, id) = try opened()
        rig.host.closeChannel(link, id, at: rig.now)
        rig.act { $0.closeChannel(link, id, at: $1) }
        #expect(rig.takeEvents() == [.channelClosed(link, id)])
        #expect(rig.takeData() == ["024000" + "0c00" + "08000500" + packed("06 01 0400 4500 4000")])
        rig.signal(Self.open)
        #expect(rig.takeData().last?.suffix(4) == "0a00")
        rig.run(to: 30_000)
        rig.signal(Self.open)
        #expect(rig.takeData().last?.suffix(4) == "0000")
    }

    // MARK: - Turns

    /// ATT and channels alternate by frame; a frame that has begun is completed first.
    @Test func attAndChannelsTakeTurns() throws {
        let (rig, link, id) = try opened(buffers: [27, 0, 2])
        rig.att(0x40, [0x12, 0x09, 0x00, 0x01, 0x00])
        rig.complete(0x40, 1)
        _ = (rig.takeData(), rig.takeEvents())
        for value: UInt8 in 1...4 { #expect(rig.notify(link, 8, [value]) == .accepted) }
        #expect(rig.transmit(link, id, [UInt8](repeating: 7, count: 40)) == .accepted)
        #expect(rig.transmit(link, id, [8]) == .accepted)
        for _ in 0..<10 { rig.complete(0x40, 1) }
        #expect(
            rig.takeData() == [
                "024000" + "0800" + "04000400" + "1b080001",
                "024000" + "1b00" + "2a004500" + "2800" + "07".times(21),
                "024010" + "1300" + "07".times(19),
                "024000" + "0800" + "04000400" + "1b080002",
                "024000" + "0700" + "03004500" + "0100" + "08",
                "024000" + "0800" + "04000400" + "1b080003",
                "024000" + "0800" + "04000400" + "1b080004",
            ])
    }

    // MARK: - Connection parameters

    private static let request = "0c000500" + packed("12 01 0800 0c00 1800 0000 9001")

    private func connected(
        interval: UInt8 = 36, _ change: (inout ScriptedController) -> Void
    ) throws -> Rig {
        var controller = ScriptedController.extended
        controller.supported[27] = 0x04
        change(&controller)
        var configuration = HostConfiguration.unverified
        configuration.requestsDataLength = false
        let rig = try Rig(controller, sets: [Sample.set(1)], configuration: configuration).started()
        _ = rig.takeCommands()
        rig.connect(0x40, interval: interval)
        rig.terminate(set: 1, handle: 0x40)
        return rig
    }

    @Test func parametersAreAskedByL2CAPWhereTheControllerCannot() throws {
        let without = try connected { $0.features[0] = 0 }
        #expect(!without.takeOpcodes().contains(0x2013))
        #expect(without.takeData() == ["024000" + "1000" + Self.request])
        // The central refuses, and is not asked again.
        without.signal(octets("13 01 0200 0100"))
        without.run(to: 60_000)
        #expect(without.takeData() == [])
        let unlisted = try connected { $0.supported[27] = 0 }
        #expect(unlisted.takeData() == ["024000" + "1000" + Self.request])
        // It is short enough.
        let short = try connected(interval: 24) { $0.features[0] = 0 }
        #expect(short.takeData() == [])
    }

    @Test func parametersAreAskedByL2CAPWhereTheCentralCannot() throws {
        let rig = try connected { _ in }
        #expect(rig.takeOpcodes().contains(0x2013) && rig.takeData() == [])
        // LE Connection Update Complete: the central does not know the procedure.
        for _ in 0..<2 { rig.send([0x04, 0x3E, 0x0A, 0x03, 0x1A, 0x40, 0, 36, 0, 0, 0, 0x90, 0x01]) }
        #expect(rig.takeData() == ["024000" + "1000" + Self.request])
        // Any other refusal is one.
        let refused = try connected { _ in }
        refused.send([0x04, 0x3E, 0x0A, 0x03, 0x3B, 0x40, 0, 36, 0, 0, 0, 0x90, 0x01])
        #expect(refused.takeData() == [])
    }

    @Test func parametersAreAskedByL2CAPWhereTheCommandFails() throws {
        for (status, asks) in [(0x01, true), (0x11, true), (0x1A, true), (0x0C, false), (0x12, false)]
            as [(UInt8, Bool)]
        {
            let rig = try connected { $0.refused = [0x2013: status] }
            #expect(rig.takeData() == (asks ? ["024000" + "1000" + Self.request] : []), "status \(status)")
        }
        let silent = try connected { $0.silent = [0x2013] }
        #expect(silent.takeData() == [])
        silent.run(to: 2_000)
        #expect(silent.takeData() == ["024000" + "1000" + Self.request])
        // The next link is asked by L2CAP at once.
        silent.connect(0x41, interval: 36)
        #expect(silent.takeData() == ["024100" + "1000" + Self.request])
    }
}

extension Rig {
    /// A PDU of the signalling channel of link 0x40.
    func signal(_ pdu: [UInt8]) { send(ControllerPacket.data(0x40, pdu, channel: 5)) }

    /// A frame of a dynamic channel of link 0x40.
    func frame(_ payload: [UInt8], channel: UInt8 = 0x40) {
        send(ControllerPacket.data(0x40, payload, channel: channel))
    }

    func transmit(_ link: LinkID, _ channel: ChannelID, _ unit: [UInt8]) -> ChannelSendOutcome {
        act { $0.send(link, channel, unit.span, at: $1) }
    }
}
