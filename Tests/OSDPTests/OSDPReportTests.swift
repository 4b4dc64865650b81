// SPDX-License-Identifier: Apache-2.0

import CardFormats
import TestSupport
import Testing
import Timekeeping

@testable import OSDP

/// Reports to the panel, which a poll collects.
struct OSDPReportTests {
    @Test func reports() throws {
        var panel = TestPanel()
        let card = try CardFormat.bits26.card(facility: 17, number: 4711)
        panel.perform { device, now, _, effects in
            #expect(device.setInput(0, isActive: true) && !device.setInput(2, isActive: true))
            device.setTampered(true)
            #expect(device.present(card, at: now, effects: &effects))
            #expect(device.press("1*#", at: now, effects: &effects))
            #expect(!device.press("", at: now, effects: &effects) && !device.press("A", at: now, effects: &effects))
            #expect(device.report(manufacturer: [9], at: now, effects: &effects))
        }
        #expect(try panel.send(.localStatus) == .localStatus(isTampered: true, hasPowerFailure: false))
        #expect(try panel.send(.poll) == .localStatus(isTampered: true, hasPowerFailure: false))
        #expect(try panel.send(.poll) == .inputStatus([.active, .inactive]))
        #expect(try panel.send(.poll) == .readerStatus([2]))
        #expect(try panel.send(.poll) == .card(card))
        #expect(try panel.send(.poll) == .keypad(reader: 0, [0x31, 0x7F, 0x0D]))
        #expect(try panel.send(.poll) == .manufacturer(OSDPManufacturerData(vendor: [0x0A, 0x0B, 0x0C], data: [9])))
        #expect(try panel.send(.poll) == .acknowledged)
        #expect(try panel.send(.inputStatus) == .inputStatus([.active, .inactive]))
    }

    /// A report is made again if the panel begins again before it confirmed the reply.
    @Test func aLostReport() throws {
        var panel = TestPanel()
        panel.perform { device, now, _, effects in
            device.setPowerFailure(true)
            #expect(device.press("7", at: now, effects: &effects))
        }
        let status = OSDPReply.localStatus(isTampered: false, hasPowerFailure: true)
        #expect(try panel.send(.poll) == status)
        panel.sequence = 0
        #expect(try panel.send(.poll) == status)
        #expect(try panel.send(.poll) == .keypad(reader: 0, [0x37]))
        panel.sequence = 0
        #expect(try panel.send(.poll) == .keypad(reader: 0, [0x37]))
        #expect(try panel.send(.poll) == .acknowledged)
        panel.sequence = 0
        #expect(try panel.send(.poll) == .acknowledged)
    }

    /// The queue is bounded, and old reports are dropped: the holder of the card has gone.
    @Test func droppedEvents() throws {
        var panel = TestPanel()
        try panel.send(.poll)
        for key in 0..<20 {
            panel.perform { device, now, _, effects in
                #expect(device.press("\(key % 10)", at: now, effects: &effects))
            }
        }
        #expect(panel.notices.count(where: { $0 == .eventsDropped(1) }) == 4)
        #expect(try panel.send(.poll) == .keypad(reader: 0, [0x34]))
        panel.wait(OSDPDevice.reportLifetime)
        #expect(panel.notices.last == .eventsDropped(15))
        #expect(try panel.send(.poll) == .acknowledged)
    }
}
