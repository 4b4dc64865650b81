// SPDX-License-Identifier: Apache-2.0

import Emulation
import OSDP
import Testing

@testable import OSDPTools

/// Typed lines and the words of a device on a panel's wire.
@Suite struct OSDPDeviceOrderTests {
    @Test func lines() throws {
        // H10301, facility code 17, number 4711.
        #expect(
            try OSDPDeviceOrder(line: "card 26 17 4711")
                == .card(OSDPCardData(format: 1, bitCount: 26, octets: [0x88, 0x89, 0x33, 0xC0])))
        #expect(
            try OSDPDeviceOrder(line: "card bits 101") == .card(OSDPCardData(format: 0, bitCount: 3, octets: [0xA0])))
        #expect(try OSDPDeviceOrder(line: "key 12#") == .keys("12#"))
        #expect(try OSDPDeviceOrder(line: "input 1 on") == .input(0, true))
        #expect(try OSDPDeviceOrder(line: "tamper off") == .tamper(false))
        #expect(try OSDPDeviceOrder(line: "power off") == .power(false))
        #expect(try OSDPDeviceOrder(line: "help") == .help)
        #expect(try OSDPDeviceOrder(line: "quit") == .quit)
    }

    @Test(arguments: [
        "", "open", "card", "card 26 17", "card 26 256 1", "card 27 1 1", "card 26 1 65536", "card 26 -1 1",
        "card bits 102", "card 37", "input 0 on", "input x on", "input 1", "tamper 1", "power fail", "help 1",
        "card 26 99999999999999999999 1", "card 26 17 4711 1",
    ]) func wrongLines(line: String) {
        #expect(throws: CommandFault.self) { _ = try OSDPDeviceOrder(line: line) }
    }

    @Test func wordsOfTheLargestFields() {
        let blinking = OSDPLightOrder.Blinking(onTenths: .max, offTenths: .max, onColor: .red)
        let order = OSDPLightOrder(temporary: .start, temporaryBlinking: blinking, temporaryTenths: .max)
        #expect(OSDPWords.text(order).hasSuffix("red 25.5 s, off 25.5 s for 6553.5 s"))
    }
}
