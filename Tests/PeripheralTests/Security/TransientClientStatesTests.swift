// SPDX-License-Identifier: Apache-2.0

import Peripheral
import Testing

/// The state kept of bonded clients without a file.
@Suite struct TransientClientStatesTests {
    private func peer(_ number: UInt64) -> BluetoothAddress { .randomStatic(from: number) }

    @Test func keptForEachPeerAndDeviceUntilForgotten() {
        var states = TransientClientStates()
        states.save([1], of: peer(1), device: 0)
        states.save([2], of: peer(1), device: 1)
        states.save([3], of: peer(2), device: 0)
        states.save([4], of: peer(1), device: 0)
        #expect(states.clientState(of: peer(1), device: 0) == [4])
        #expect(states.clientState(of: peer(1), device: 1) == [2])
        states.removeClientStates(of: peer(1))
        #expect(states.clientState(of: peer(1), device: 0) == nil && states.clientState(of: peer(1), device: 1) == nil)
        #expect(states.clientState(of: peer(2), device: 0) == [3])
    }

    @Test func bounded() {
        var states = TransientClientStates()
        for number in 0...TransientClientStates.capacity { states.save([1], of: peer(UInt64(number) + 1), device: 0) }
        #expect(states.clientState(of: peer(UInt64(TransientClientStates.capacity)), device: 0) == [1])
        #expect(states.clientState(of: peer(UInt64(TransientClientStates.capacity) + 1), device: 0) == nil)
        states.save([2], of: peer(1), device: 0)
        #expect(states.clientState(of: peer(1), device: 0) == [2])
    }
}
