// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import Timekeeping

@testable import OSDP

/// Outputs: orders, timers and states of the device (6.10).
struct OSDPOutputTests {
    /// 7.8: an order that the device's program does not carry out is not acknowledged; the reply has the states.
    @Test func outputsThatMayNotBeSwitchedOn() throws {
        var panel = TestPanel()
        func answer(_ control: OSDPOutputOrder.Control) throws -> OSDPReply? {
            try panel.send(
                .outputs([OSDPOutputOrder(output: 1, control: .off), OSDPOutputOrder(output: 0, control: control)]))
        }
        panel.device.refusesSwitchingOn = true
        for control in [OSDPOutputOrder.Control.on, .onAfterTimer, .timedOn] {
            #expect(try answer(control) == .outputStatus([false, false]))
        }
        for control in [OSDPOutputOrder.Control.none, .off, .offAfterTimer, .timedOff] {
            #expect(try answer(control) == .acknowledged)
        }
        #expect(panel.device.outputStates == [false, false])
        panel.device.refusesSwitchingOn = false
        #expect(try answer(.on) == .acknowledged)
    }

    /// 6.10: permanent and timed states.
    @Test func outputs() throws {
        var panel = TestPanel { $0.keepsOutputsOffline = true }
        func order(_ control: OSDPOutputOrder.Control, _ tenths: UInt16 = 0) -> OSDPCommand {
            .outputs([OSDPOutputOrder(output: 1, control: control, tenths: tenths)])
        }
        try panel.send(order(.timedOn, 30))
        #expect(panel.device.outputStates == [false, true])
        panel.wait(.milliseconds(2999))
        #expect(panel.device.outputStates == [false, true])
        panel.wait(.milliseconds(1))
        #expect(panel.device.outputStates == [false, false])
        // Permanently on after the timer; then off at once.
        try panel.send(order(.timedOff, 10))
        try panel.send(order(.onAfterTimer))
        #expect(panel.device.outputStates == [false, false])
        panel.wait(.seconds(1))
        #expect(panel.device.outputStates == [false, true])
        try panel.send(order(.off))
        #expect(
            panel.effects.filter { if case .output = $0 { true } else { false } } == [
                .output(1, isOn: true), .output(1, isOn: false), .output(1, isOn: true), .output(1, isOn: false),
            ])
        // One wrong output: none of the orders.
        let both = [OSDPOutputOrder(output: 0, control: .on), OSDPOutputOrder(output: 9, control: .on)]
        #expect(try panel.send(.outputs(both)) == .refused(.unable))
        #expect(panel.device.outputStates == [false, false])
    }

    /// Outputs that show states of the device: no order for them, and no silence that ends them (6.10).
    @Test func outputsOfTheDevice() throws {
        var panel = TestPanel { $0.obeysOutputOrders = false }
        #expect(
            try panel.send(.outputs([OSDPOutputOrder(output: 0, control: .on)])) == .refused(.unable))
        panel.perform { device, _, _, _ in
            let answers = [device.setOutput(1, isOn: true), device.setOutput(2, isOn: true)]
            #expect(answers == [true, false])
        }
        #expect(try panel.send(.poll) == .outputStatus([false, true]))
        #expect(try panel.send(.poll) == .acknowledged)
        panel.wait(.seconds(20))
        #expect(panel.device.outputStates == [false, true])
        #expect(!panel.effects.contains(.output(1, isOn: false)))
    }

    /// A state that the device sets ends the order and its timer.
    @Test func anOrderThatTheDeviceEnds() throws {
        var panel = TestPanel()
        let order = OSDPOutputOrder(output: 0, control: .timedOn, tenths: 50)
        #expect(try panel.send(.outputs([order])) == .acknowledged)
        #expect(panel.effects.contains(.output(0, isOn: true)))
        panel.perform { device, _, _, _ in _ = device.setOutput(0, isOn: false) }
        #expect(panel.device.outputStates == [false, false] && panel.device.deadline == panel.now + .seconds(8))
        #expect(try panel.send(.outputs([order])) == .acknowledged)
        #expect(panel.device.outputStates == [true, false])
    }
}
