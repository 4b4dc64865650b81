// SPDX-License-Identifier: Apache-2.0

import Peripheral
import Reader
import Testing
import Timekeeping

@Suite struct AddressBackOffTests {
    func address(_ number: Int) -> BluetoothAddress { .randomStatic(from: UInt64(number)) }
    func at(_ milliseconds: Int) -> Instant { .origin + .milliseconds(milliseconds) }

    @Test func threeRefusalsAreBackedOffFrom() {
        var backOff = AddressBackOff()
        for refusal in 0..<2 { backOff.refused(address(1), at: at(refusal * 900)) }
        #expect(!backOff.isBackingOff(address(1), at: at(901)))
        backOff.refused(address(1), at: at(1800))
        #expect(backOff.isBackingOff(address(1), at: at(2799)))
        #expect(!backOff.isBackingOff(address(1), at: at(2800)))
        #expect(!backOff.isBackingOff(address(2), at: at(1801)))
    }

    @Test func itDoublesToFourSeconds() {
        var backOff = AddressBackOff()
        for _ in 0..<3 { backOff.refused(address(1), at: at(0)) }
        for wait in [1000, 2000, 4000, 4000, 4000] {
            #expect(backOff.isBackingOff(address(1), at: at(wait - 1)))
            #expect(!backOff.isBackingOff(address(1), at: at(wait)))
            backOff.refused(address(1), at: at(0))
        }
    }

    @Test func beingServedForgivesAll() {
        var backOff = AddressBackOff()
        for _ in 0..<9 { backOff.refused(address(1), at: at(0)) }
        backOff.served(address(1))
        #expect(!backOff.isBackingOff(address(1), at: at(1)))
    }

    @Test func halfAMinuteOfPeaceForgivesToo() {
        var backOff = AddressBackOff()
        for _ in 0..<9 { backOff.refused(address(1), at: at(0)) }
        backOff.refused(address(1), at: at(30_000))
        #expect(!backOff.isBackingOff(address(1), at: at(30_001)))
    }

    @Test func manyAddressesPushOutTheOldest() {
        var backOff = AddressBackOff()
        for _ in 0..<3 { backOff.refused(address(1), at: at(0)) }
        for other in 2..<65 { backOff.refused(address(other), at: at(1)) }
        #expect(backOff.isBackingOff(address(1), at: at(2)))
        backOff.refused(address(65), at: at(2))
        #expect(!backOff.isBackingOff(address(1), at: at(3)))
    }
}
