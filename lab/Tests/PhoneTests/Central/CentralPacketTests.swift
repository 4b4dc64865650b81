// SPDX-License-Identifier: Apache-2.0

import Octets
import Peripheral
import TestSupport
import Testing
import Timekeeping

@testable import Phone

/// The central at the level of octets, without air: the packets that it sends, and its handling of invalid packets.
@Suite struct CentralPacketTests {
    private func packets(_ central: inout Central) -> [[UInt8]] { allPackets { central.popPacket(into: &$0) } }

    private func events(_ central: inout Central) -> [CentralEvent] { all { central.popEvent() } }

    private func feed(_ central: inout Central, _ packet: [UInt8]) {
        central.receive(packet.span, at: .origin)
    }

    /// A started central on a controller with these commands.
    private func started(
        _ features: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0], commands: [Int: UInt8] = [:], acl: [UInt8] = [27, 0, 2]
    ) -> Central {
        var central = Central(address: BluetoothAddress(kind: .random, value: 0xC605_0403_0201))
        central.start(at: .origin)
        var supported = [UInt8](repeating: 0, count: 64)
        for (octet, bits) in commands { supported[octet] = bits }
        var guardrail = 0
        while let packet = packets(&central).first, guardrail < 20 {
            guardrail += 1
            var returned: [UInt8] = []
            switch (packet[2], packet[1]) {
            case (0x10, 0x02): returned = supported
            case (0x20, 0x03): returned = features
            case (0x20, 0x02): returned = acl
            case (0x10, 0x09): returned = [1, 2, 3, 4, 5, 6]
            default: break
            }
            feed(&central, [0x04, 0x0E, UInt8(4 + returned.count), 1, packet[1], packet[2], 0] + returned)
        }
        return central
    }

    @Test func startSendsTheseOctets() {
        var central = Central(address: BluetoothAddress(kind: .random, value: 0xC605_0403_0201))
        central.start(at: .origin)
        var sent: [[UInt8]] = []
        let answers: [[UInt8]] = [
            [], [UInt8](repeating: 0xFF, count: 64), [0x20, 0x10, 0, 0, 0, 0, 0, 0], [], [], [0, 0, 0],
            [27, 0, 0, 4, 0, 0, 0], [1, 2, 3, 4, 5, 6], [], [],
        ]
        for answer in answers {
            let next = packets(&central)
            #expect(next.count == 1)
            guard let packet = next.first else { return }
            sent.append(packet)
            feed(&central, [0x04, 0x0E, UInt8(4 + answer.count), 1, packet[1], packet[2], 0] + answer)
        }
        #expect(
            sent == [
                [0x01, 0x03, 0x0C, 0x00], [0x01, 0x02, 0x10, 0x00], [0x01, 0x03, 0x20, 0x00],
                [0x01, 0x01, 0x0C, 0x08, 0x10, 0x80, 0x00, 0x00, 0x00, 0x00, 0x00, 0x20],
                [0x01, 0x01, 0x20, 0x08, 0x67, 0x12, 0, 0, 0, 0, 0, 0], [0x01, 0x02, 0x20, 0x00],
                [0x01, 0x05, 0x10, 0x00], [0x01, 0x09, 0x10, 0x00],
                [0x01, 0x05, 0x20, 0x06, 0x01, 0x02, 0x03, 0x04, 0x05, 0xC6],
                [0x01, 0x24, 0x20, 0x04, 0xFB, 0x00, 0x48, 0x08],
            ])
        #expect(events(&central) == [.ready(BluetoothAddress(kind: .random, value: 0xC605_0403_0201))])
        #expect(central.freePackets == 4)
    }

    @Test func refusedAndShortAnswersAtTheStart() {
        var refused = Central()
        refused.start(at: .origin)
        feed(&refused, [0x04, 0x0E, 0x04, 1, 0x03, 0x0C, 0x0C])
        #expect(events(&refused) == [.failed(.commandRefused(opcode: 0x0C03, .commandDisallowed))])
        var short = Central()
        short.start(at: .origin)
        feed(&short, [0x04, 0x0E, 0x04, 1, 0x03, 0x0C, 0x00])
        feed(&short, [0x04, 0x0E, 0x44, 1, 0x02, 0x10, 0x00] + [UInt8](repeating: 0, count: 64))
        feed(&short, [0x04, 0x0E, 0x0B, 1, 0x03, 0x20, 0x00] + [UInt8](repeating: 0, count: 7))
        #expect(events(&short) == [.failed(.unsuitable("answer to command 8195 is too short"))])
        var poor = started(acl: [26, 0, 1])
        #expect(events(&poor) == [.failed(.unsuitable("the controller has no usable ACL buffers"))])
    }

    @Test func scanAndConnectOctets() throws {
        let peer = BluetoothAddress(kind: .public, value: 0xA1B2_C3D4_E5F6)
        var legacy = started()
        try legacy.startScanning(at: .origin)
        #expect(packets(&legacy) == [[0x01, 0x0B, 0x20, 0x07, 0x01, 0x30, 0x00, 0x30, 0x00, 0x01, 0x00]])
        feed(&legacy, [0x04, 0x0E, 0x04, 1, 0x0B, 0x20, 0x00])
        #expect(packets(&legacy) == [[0x01, 0x0C, 0x20, 0x02, 0x01, 0x00]])
        feed(&legacy, [0x04, 0x0E, 0x04, 1, 0x0C, 0x20, 0x0C])
        #expect(events(&legacy).last == .scanRefused(.commandDisallowed))
        #expect(!legacy.isScanning)
        try legacy.connect(to: peer, at: .origin)
        #expect(
            packets(&legacy) == [
                [
                    0x01, 0x0D, 0x20, 0x19, 0x30, 0x00, 0x30, 0x00, 0x00, 0x00, 0xF6, 0xE5, 0xD4, 0xC3, 0xB2, 0xA1,
                    0x01,
                    0x18, 0x00, 0x18, 0x00, 0x00, 0x00, 0xC8, 0x00, 0, 0, 0, 0,
                ]
            ])
        feed(&legacy, [0x04, 0x0F, 0x04, 0x09, 1, 0x0D, 0x20])
        #expect(events(&legacy) == [.connectionFailed(peer, .connectionLimitExceeded)])
        var extended = started([0, 0x10, 0, 0, 0, 0, 0, 0], commands: [37: 0xE0])
        try extended.startScanning(at: .origin)
        #expect(packets(&extended) == [[0x01, 0x41, 0x20, 0x08, 0x01, 0x00, 0x01, 0x01, 0x30, 0x00, 0x30, 0x00]])
        feed(&extended, [0x04, 0x0E, 0x04, 1, 0x41, 0x20, 0x00])
        #expect(packets(&extended) == [[0x01, 0x42, 0x20, 0x06, 1, 0, 0, 0, 0, 0]])
        feed(&extended, [0x04, 0x0E, 0x04, 1, 0x42, 0x20, 0x00])
        try extended.connect(to: peer, at: .origin)
        #expect(
            packets(&extended) == [
                [
                    0x01, 0x43, 0x20, 0x1A, 0x00, 0x01, 0x00, 0xF6, 0xE5, 0xD4, 0xC3, 0xB2, 0xA1, 0x01, 0x30, 0x00,
                    0x30, 0x00, 0x18, 0x00, 0x18, 0x00, 0x00, 0x00, 0xC8, 0x00, 0, 0, 0, 0,
                ]
            ])
    }

    @Test func settingsStayWithinWhatHCISays() {
        func units(_ settings: ConnectionSettings) -> [UInt16] {
            let parameters = settings.parameters
            #expect(parameters.minimumInterval == parameters.maximumInterval)
            return [parameters.maximumInterval, parameters.latency, parameters.supervisionTimeout]
        }
        #expect(units(ConnectionSettings(interval: .zero, supervisionTimeout: .zero)) == [6, 0, 10])
        let most = ConnectionSettings(interval: .seconds(9), latency: 600, supervisionTimeout: .seconds(99))
        #expect(units(most) == [3200, 499, 3200])
        // 2 · 100 ms of silence need more than 200 ms.
        #expect(units(ConnectionSettings(interval: .milliseconds(100), supervisionTimeout: .zero)) == [80, 0, 21])
    }

    /// A link, 0x0040, to F6:…; with two buffers of 27 octets.
    private func linked() -> (Central, LinkID) {
        var central = started()
        _ = events(&central)
        feed(&central, CentralPacketTests.complete)
        return (central, LinkID(slot: 0, generation: 1))
    }

    private static let complete: [UInt8] = [
        0x04, 0x3E, 0x13, 0x01, 0x00, 0x40, 0x00, 0x00, 0x00, 1, 2, 3, 4, 5, 6, 24, 0, 0, 0, 200, 0, 0,
    ]

    @Test func fragmentsAndCredits() throws {
        var (central, link) = linked()
        #expect(
            events(&central) == [
                .connected(link, BluetoothAddress(kind: .public, value: 0x0605_0403_0201), interval: .milliseconds(30))
            ])
        let pdu = (0..<60).map { UInt8($0) }
        try central.sendAttribute(link, pdu.span)
        let first = packets(&central)
        #expect(first.count == 2)
        #expect(first[0] == [0x02, 0x40, 0x00, 27, 0, 60, 0, 4, 0] + pdu[..<23])
        #expect(first[1] == [0x02, 0x40, 0x10, 27, 0] + pdu[23..<50])
        #expect(central.pendingPackets(link) == 3)
        feed(&central, [0x04, 0x13, 5, 1, 0x40, 0, 1, 0])
        #expect(packets(&central) == [[0x02, 0x40, 0x10, 10, 0] + pdu[50...]])
        // Completed packets may not exceed those in the controller, nor name an unknown link.
        feed(&central, [0x04, 0x13, 9, 2, 0x41, 0, 9, 0, 0x40, 0, 9, 0])
        #expect(central.freePackets == 2 && central.pendingPackets(link) == 0)
        // A link that ends returns its buffers.
        try central.sendAttribute(link, pdu.span)
        #expect(packets(&central).count == 2 && central.freePackets == 0)
        feed(&central, [0x04, 0x05, 4, 0, 0x40, 0, 0x13])
        #expect(central.freePackets == 2)
        #expect(events(&central) == [.disconnected(link, reason: .remoteUserTerminated)])
    }

    @Test func limits() throws {
        var (central, link) = linked()
        let long = [UInt8](repeating: 0, count: 518)
        #expect(throws: CentralRefusal.tooLong) { try central.sendAttribute(link, long.span) }
        let whole = Array(long.dropLast())
        #expect(throws: CentralRefusal.busy) {
            for _ in 0..<1000 { try central.sendAttribute(link, whole.span) }
        }
        #expect(central.pendingPackets(link) < CentralLink.maximumWaiting + 22)
    }

    /// Frames in fragments: every division of the octets, and fragments that do not fit.
    @Test func reassembly() {
        let frame: [UInt8] = [3, 0, 4, 0, 0xA, 0xB, 0xC]
        for cut in 1..<frame.count {
            var (central, link) = linked()
            _ = events(&central)
            feed(&central, [0x02, 0x40, 0x20, UInt8(cut), 0] + frame[..<cut])
            #expect(events(&central) == [])
            feed(&central, [0x02, 0x40, 0x10, UInt8(frame.count - cut), 0] + frame[cut...])
            #expect(events(&central) == [.attribute(link, [0xA, 0xB, 0xC])])
            #expect(central.malformedPackets == 0)
        }
        let bad: [[[UInt8]]] = [
            // A continuation without a start; no octets; longer than its header says; longer than any ATT PDU.
            [[0x02, 0x40, 0x10, 1, 0, 1]], [[0x02, 0x40, 0x20, 0, 0]], [[0x02, 0x40, 0x20, 6, 0, 1, 0, 4, 0, 1, 2]],
            [[0x02, 0x40, 0x20, 4, 0, 6, 2, 4, 0]],
            // A start within a frame; an unknown link; an unknown channel.
            [[0x02, 0x40, 0x20, 5, 0, 9, 0, 4, 0, 1], [0x02, 0x40, 0x20, 5, 0, 9, 0, 4, 0, 1]],
            [[0x02, 0x41, 0x20, 5, 0, 1, 0, 4, 0, 1]], [[0x02, 0x40, 0x20, 5, 0, 1, 0, 0x40, 0, 1]],
            // A length that does not fit; an invalid packet type.
            [[0x02, 0x40, 0x20, 6, 0, 1, 0, 4, 0, 1]], [[0x03, 0, 0]], [[]],
        ]
        for packets in bad {
            var (central, _) = linked()
            _ = events(&central)
            for packet in packets { feed(&central, packet) }
            #expect(central.malformedPackets == 1, "\(packets)")
            #expect(events(&central) == [])
        }
    }

    /// Every event, truncated at every length and with one octet too many, is counted and changes nothing.
    @Test(
        arguments: [
            complete, [0x04, 0x05, 4, 0, 0x40, 0, 0x13], [0x04, 0x13, 5, 1, 0x40, 0, 1, 0],
            [0x04, 0x3E, 0x0D, 0x02, 1, 0, 0, 1, 2, 3, 4, 5, 6, 1, 9, 0xC4],
            [
                0x04, 0x3E, 0x1B, 0x0D, 1, 0x13, 0, 0, 1, 2, 3, 4, 5, 6, 1, 0, 0xFF, 0x7F, 0xC4, 0, 0, 0, 0, 0, 0, 0, 0,
                0, 1, 9,
            ],
            [0x04, 0x3E, 0x0B, 0x06, 0x40, 0, 6, 0, 6, 0, 0, 0, 200, 0],
        ] as [[UInt8]])
    func truncatedEvents(event: [UInt8]) {
        for count in 0..<event.count {
            // Truncated with the header's length unchanged, and with a length that fits.
            for fits in [false, true] {
                var central = started()
                _ = events(&central)
                var cut = Array(event[..<count])
                if fits, count > 3 { cut[2] = UInt8(count - 3) }
                feed(&central, cut)
                #expect(central.malformedPackets == 1, "\(count) \(fits)")
                #expect(events(&central) == [])
            }
        }
        var central = started()
        _ = events(&central)
        feed(&central, event + [0])
        #expect(central.malformedPackets == 1 && events(&central) == [])
    }

    /// Octets after the last field of an event are ignored, as newer versions append fields (Core 5.4, Vol 4, Part E,
    /// 7.7.65.10); the fields before them hold.
    @Test func appendedFields() {
        let link = LinkID(slot: 0, generation: 1)
        let peer = BluetoothAddress(kind: .public, value: 0x0605_0403_0201)
        let samples: [([UInt8], CentralEvent)] = [
            (CentralPacketTests.complete, .connected(link, peer, interval: .milliseconds(30))),
            (
                [0x04, 0x3E, 10, 0x03, 0x00, 0x40, 0, 12, 0, 0, 0, 200, 0],
                .intervalChanged(link, .milliseconds(15))
            ),
            ([0x04, 0x05, 4, 0, 0x40, 0, 0x13], .disconnected(link, reason: .remoteUserTerminated)),
        ]
        var central = started()
        _ = events(&central)
        for (event, outcome) in samples {
            feed(&central, event[..<2] + [event[2] + 2] + event[3...] + [0xAA, 0xBB])
            #expect(events(&central) == [outcome] && central.malformedPackets == 0)
        }
    }

    /// Core 5.4, Vol 3, Part A, 4.1: a command that the central does not have is rejected, also one without a response
    /// (Flow Control Credit, 0x16: there are no channels); a response is not, and neither is a Command Reject.
    @Test func signallingCodes() {
        let responses: Set<UInt8> = [0x01, 0x03, 0x05, 0x07, 0x09, 0x0B, 0x0D, 0x0F, 0x11, 0x13, 0x15, 0x18, 0x1A]
        for code in UInt8.min...UInt8.max where code != 0x12 {
            var (central, _) = linked()
            _ = packets(&central)
            feed(&central, [0x02, 0x40, 0x20, 8, 0, 4, 0, 5, 0, code, 7, 0, 0])
            let reject: [UInt8] = [0x02, 0x40, 0x00, 10, 0, 6, 0, 5, 0, 0x01, 7, 2, 0, 0, 0]
            #expect(packets(&central) == (responses.contains(code) ? [] : [reject]), "code \(code)")
            #expect(central.malformedPackets == 0)
        }
    }

    @Test func reportsToTheOctet() {
        var central = started()
        _ = events(&central)
        let address = BluetoothAddress(kind: .random, value: 0x0605_0403_0201)
        feed(
            &central,
            [0x04, 0x3E, 0x19, 0x02, 2, 2, 1, 1, 2, 3, 4, 5, 6, 1, 9, 0xC4, 4, 1, 1, 2, 3, 4, 5, 6, 2, 7, 8, 0x7F])
        #expect(
            events(&central) == [
                .report(
                    AdvertisementReport(
                        address: address, rssi: -60, isScanResponse: false, isConnectable: false, data: [9],
                        scanResponse: nil)),
                .report(
                    AdvertisementReport(
                        address: address, rssi: nil, isScanResponse: true, isConnectable: false, data: [9],
                        scanResponse: [7, 8])),
            ])
    }

    /// A controller may send arbitrary packets.
    @Test func hostilePackets() {
        var random = SplitMix64(seed: 42)
        func next() -> UInt8 { UInt8(truncatingIfNeeded: random.next()) }
        let codes: [UInt8] = [0x05, 0x0E, 0x0F, 0x13, 0x3E, 0x3E, 0x3E]
        let subevents: [UInt8] = [0x01, 0x02, 0x03, 0x06, 0x07, 0x0A, 0x0D]
        var (central, _) = linked()
        for _ in 0..<100_000 {
            let count = next() % 40
            var packet: [UInt8] = [0x04, codes[Int(next()) % codes.count], count]
            if next() % 4 == 0 { packet = [0x02, 0x40, next() & 0x30, count, 0] }
            for index in 0..<count { packet.append(index > 0 && next() % 2 == 0 ? next() % 4 : next()) }
            if packet[0] == 0x04, packet[1] == 0x3E, packet.count > 3 {
                packet[3] = subevents[Int(next()) % subevents.count]
            }
            feed(&central, packet)
            if central.links.count > 16 || !central.isReady { (central, _) = linked() }
            _ = events(&central)
            _ = packets(&central)
        }
        #expect(central.freePackets >= 0)
    }
}
