// SPDX-License-Identifier: Apache-2.0

import Testing
import Timekeeping

@testable import VirtualRadio

/// Data channels: Core 5.4, Vol 4, Part E, 7.8.19, 7.8.20; Vol 6, Part B, 4.5.8.2.
@Suite struct ChannelTests {
    @Test func theMapOfALink() {
        let pair = Linked()
        let (phone, reader) = (pair.phoneHandle.octets, pair.readerHandle.octets)
        #expect(pair.reader.send(0x2015, reader).suffix(8) == [0x00] + reader + [0xFF, 0xFF, 0xFF, 0xFF, 0x1F])
        // The central's classification counts, the peripheral's does not.
        #expect(pair.reader.status(0x2014, [0x01, 0, 0, 0, 0]) == 0)
        #expect(pair.phone.send(0x2015, phone).suffix(5) == [0xFF, 0xFF, 0xFF, 0xFF, 0x1F])
        #expect(pair.phone.status(0x2014, [0x00, 0x06, 0, 0, 0xE0]) == 0)
        #expect(pair.phone.send(0x2015, phone).suffix(5) == [0x00, 0x06, 0, 0, 0])
        #expect(pair.reader.send(0x2015, reader).suffix(5) == [0x00, 0x06, 0, 0, 0])
        #expect(pair.violations == [])
        #expect(pair.reader.status(0x2014, [0, 0, 0, 0, 0xE0]) == 0x12)
        #expect(pair.reader.send(0x2015, [0xFF, 0x0E]).suffix(8) == [0x02, 0xFF, 0x0E, 0, 0, 0, 0, 0])
    }

    @Test func badChannelsAreRemapped() {
        let map = ChannelMap(bits: 1 << 9 | 1 << 10 | 1 << 36)
        #expect((0..<37).map { map.remapped($0) }.prefix(6) == [9, 10, 36, 9, 10, 36])
        #expect(map.remapped(10) == 10 && map.remapped(36) == 36)
        #expect((0..<37).allSatisfy { ChannelMap.all.remapped($0) == $0 })
    }
}
