// SPDX-License-Identifier: Apache-2.0

import Emulation
import Peripheral
import TestSupport
import Testing

@testable import DevicePrograms

/// Pairings that go wrong on command, octet for octet (Core 5.4, Vol 3, Part H, 3.5).
@Suite struct PairingTamperTests {
    /// LE Connection Complete: handle 0x0040, a random address (Core 5.4, Vol 4, Part E, 7.7.65.1).
    private static let connected =
        "043e13" + "0100" + "4000" + "01" + "01" + "5544332211c0" + "18000000" + "4800" + "00"
    /// Pairing Request on it: NoInputNoOutput, bonding, 16 octets.
    private static let request = "02" + "4020" + "0b00" + "0700" + "0600" + "01030001100000"

    private func verdict(
        _ tamper: inout PairingTamper, _ packet: String, _ faults: [Fault] = [], asked: inout [BluetoothAddress]
    ) -> PairingTamper.Verdict {
        let octets = octets(packet)
        var peers: [BluetoothAddress] = []
        defer { asked += peers }
        return tamper.receive(octets.span) {
            peers.append($0)
            return faults
        }
    }

    private func verdict(_ tamper: inout PairingTamper, _ packet: String, _ faults: [Fault] = [])
        -> PairingTamper.Verdict
    {
        var asked: [BluetoothAddress] = []
        return verdict(&tamper, packet, faults, asked: &asked)
    }

    @Test func onlyAPairingRequestAsksForFaults() {
        var tamper = PairingTamper()
        var asked: [BluetoothAddress] = []
        #expect(verdict(&tamper, Self.request, [.refuse], asked: &asked) == .passed, "of no known connection")
        #expect(verdict(&tamper, Self.connected, [.refuse], asked: &asked) == .passed)
        // A Write Request, a continuation, and a Pairing Confirm.
        for packet in [
            "02402008000400040012030001", "0240100100ff", "024020150011000600" + "03" + "00",
        ] {
            #expect(verdict(&tamper, packet, [.refuse], asked: &asked) == .passed)
        }
        #expect(asked.isEmpty)
        #expect(verdict(&tamper, Self.request, asked: &asked) == .passed)
        #expect(asked.map(\.value) == [0xC011_2233_4455])
    }

    @Test func aRefusalIsPairingNotSupported() {
        var tamper = PairingTamper()
        _ = verdict(&tamper, Self.connected)
        #expect(
            verdict(&tamper, Self.request, [.refuse])
                == .swallowed(octets("024000" + "0600" + "0200" + "0600" + "0505")))
        #expect(verdict(&tamper, Self.request) == .passed, "the next one")
    }

    @Test func aRequestWithoutAnAnswerTimesOutAtTheApp() {
        var tamper = PairingTamper()
        _ = verdict(&tamper, Self.connected)
        #expect(verdict(&tamper, Self.request, [.drop]) == .swallowed([]))
    }

    /// One bit of the host's own confirm value, once.
    @Test func aConfirmValueIsWrong() {
        var tamper = PairingTamper()
        _ = verdict(&tamper, Self.connected)
        #expect(verdict(&tamper, Self.request, [.wrongConfirm]) == .passed)
        let confirm = "02" + "4000" + "1500" + "1100" + "0600" + "03" + "00112233445566778899aabbccddeeff"
        let response = "02" + "4000" + "0b00" + "0700" + "0600" + "02030001100000"
        var packet = octets(response)
        tamper.send(&packet)
        #expect(hex(packet) == response)
        packet = octets(confirm)
        tamper.send(&packet)
        #expect(hex(packet) == confirm.dropLast(2) + "fe")
        packet = octets(confirm)
        tamper.send(&packet)
        #expect(hex(packet) == confirm)
    }
}
