// SPDX-License-Identifier: Apache-2.0

import TapBench
import Testing

/// Times in the field by octets and bit rate (ISO/IEC 14443-2 to -4), and on the line to a PN532.
@Suite struct ContactlessClockTests {
    /// 17 and 8 octets with PCB and CRC, nine bits each and two delimiters, and a frame delay of 91 µs.
    @Test(arguments: [(ContactlessClock.BitRate.kbit106, 2_252_801), (.kbit424, 631_562)])
    func anExchangeHasItsOctetsAndTheFrameDelay(_ rate: ContactlessClock.BitRate, _ time: Int) {
        #expect(ContactlessClock(rate).exchange(command: 14, response: 5, work: 0) == time)
    }

    /// Two blocks, the first of them acknowledged.
    @Test func aLongResponseIsChained() {
        let clock = ContactlessClock()
        let time = clock.exchange(command: 14, response: 400, work: 0)
        #expect(time == 36_535_397)
        #expect(
            clock.exchange(command: 14, response: 253, work: 0) < clock.exchange(command: 14, response: 254, work: 0))
    }

    /// 50 ms exceed the frame waiting time of 38.7 ms.
    @Test func aCardThatWorksLongerExtendsTheWaitingTime() {
        let clock = ContactlessClock()
        let short = clock.exchange(command: 14, response: 5, work: 38_000_000)
        #expect(short == 2_161_651 + 38_000_000)
        #expect(clock.exchange(command: 14, response: 5, work: 50_000_000) == 53_056_636)
    }

    @Test func theLineHasEnvelopesAndAcknowledgements() {
        #expect(ContactlessClock().line(command: 14, response: 5) == 3_906_250)
        #expect(ContactlessClock(lineRate: 1_152_000).line(command: 14, response: 5) == 390_625)
    }
}
