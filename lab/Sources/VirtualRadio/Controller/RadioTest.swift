// SPDX-License-Identifier: Apache-2.0

import Peripheral
import Timekeeping

/// A test of a controller's radio, on one RF channel (Core 5.4, Vol 6, Part F).
struct RadioTest {
    /// A side of a test.
    enum Side {
        /// Counts packets.
        case receiver(count: UInt16)
        /// Sends packets at this interval.
        case transmitter(interval: Duration)
    }

    /// The RF channels: 2402 MHz + 2 MHz each (Part F, 3.3.2).
    static let channels: ClosedRange<UInt8> = 0x00...0x27
    /// The packet payloads that HCI knows (Core 5.4, Vol 4, Part E, 7.8.29).
    static let payloads: ClosedRange<UInt8> = 0x00...0x07

    let run: UInt64
    let channel: UInt8
    var side: Side
    let begins: Instant
    /// The number of packets sent.
    var sent = 0

    /// The interval between the starts of two packets with a payload of this length (Part F, 4.1.6).
    static func interval(length: UInt8) -> Duration {
        let airTime = 8 * (Int64(length) + 10)
        return .microseconds((airTime + 249 + 624) / 625 * 625)
    }

    /// The channel for fading: the three advertising channels are 0, 12 and 39.
    var fading: Fading.Channel {
        switch channel {
        case 0: .advertising(0)
        case 12: .advertising(1)
        case 39: .advertising(2)
        default: .data(channel < 12 ? channel - 1 : channel - 2)
        }
    }
}

/// Tests of the radio (Core 5.4, Vol 4, Part E, 7.8.28 to 7.8.30).
///
/// A test excludes advertising, scanning, initiating and links, and the reverse.
extension VirtualController {
    /// LE Receiver Test [v1].
    func testReceiver(_ parameters: inout CommandParameters) throws(CommandRefusal) {
        let channel = try parameters.u8(in: RadioTest.channels, "RX_Channel")
        try begin(.receiver(count: 0), on: channel)
    }

    /// LE Transmitter Test [v1].
    func testTransmitter(_ parameters: inout CommandParameters) throws(CommandRefusal) {
        let channel = try parameters.u8(in: RadioTest.channels, "TX_Channel")
        let length = try parameters.u8()
        _ = try parameters.u8(in: RadioTest.payloads, "Packet_Payload")
        try begin(.transmitter(interval: RadioTest.interval(length: length)), on: channel)
    }

    /// LE Transmitter Test [v4]: on the 1M PHY, without a constant tone, at the controller's only power.
    func testTransmitterAtPower(_ parameters: inout CommandParameters) throws(CommandRefusal) {
        let channel = try parameters.u8(in: RadioTest.channels, "TX_Channel")
        let length = try parameters.u8()
        _ = try parameters.u8(in: RadioTest.payloads, "Packet_Payload")
        let phy = try parameters.u8(in: 0x01...0x04, "PHY"), tone = try parameters.u8()
        _ = try parameters.u8()
        _ = try parameters.consume(Int(try parameters.u8()))
        _ = try parameters.u8()
        try parameters.finish()
        guard phy == 0x01, tone == 0 else { throw .violation(.unsupportedFeature, "PHY \(phy), CTE length \(tone)") }
        try begin(.transmitter(interval: RadioTest.interval(length: length)), on: channel)
    }

    private func begin(_ side: RadioTest.Side, on channel: UInt8) throws(CommandRefusal) {
        let isBusy =
            state.advertisers.contains { $0.run != nil } || state.scanner != nil || state.initiator != nil
            || !state.links.isEmpty
        guard state.test == nil, !isBusy else { throw .violation(.commandDisallowed, "the radio is in use") }
        // Packets before the beginning of a receiver's test do not count.
        air.transmitPendingTestPackets()
        state.test = RadioTest(run: air.nextNumber(), channel: channel, side: side, begins: air.now)
        if case .transmitter = side { air.scheduleTest(self) }
    }

    /// LE Test End: the number of packets received, 0 of a transmitter.
    func endTest() throws(CommandRefusal) -> [UInt8] {
        guard let test = state.test else { throw .violation(.commandDisallowed, "no test of the radio runs") }
        air.transmitPendingTestPackets()
        var count: UInt16 = 0
        if case .receiver(let received) = state.test?.side ?? test.side { count = received }
        state.test = nil
        return [UInt8(count & 0xFF), UInt8(count >> 8)]
    }
}
