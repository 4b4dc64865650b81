// SPDX-License-Identifier: Apache-2.0

import CBOR
import Contactless
@testable import Credentials
import Testing
import Timekeeping

/// Schedules, against the results of an independent implementation.
@Suite struct AliroScheduleTests {
    private typealias Case = (
        start: Int, end: Int?, duration: Int, mask: Int, pattern: Int, interval: Int, isUTC: Bool, offset: Int,
        now: Int64, isRunning: Bool
    )

    /// Pseudo-random daily (1) and weekly (2) schedules; the offset is in minutes ahead of UTC.
    private static let cases: [Case] = [
        (1640493267, 1643085267, 86400, 84, 2, 1, true, 60, 1640841706, false),
        (1736213743, nil, 3600, 5, 1, 1, true, 0, 1739592226, false),
        (1747920620, nil, 86400, 8, 1, 5, true, -300, 1748699946, false),
        (1613311529, nil, 3600, 6, 2, 5, false, 0, 1614169480, false),
        (1753253477, 1755845477, 30000, 72, 1, 1, true, 60, 1753858770, true),
        (1747034034, 1749626034, 200000, 9, 1, 5, true, 60, 1747274804, false),
        (1684328238, nil, 86400, 75, 2, 3, true, 0, 1687102210, false),
        (1621972787, nil, 100000, 39, 1, 5, false, 60, 1625866924, true),
        (1631693041, nil, 100000, 54, 1, 1, false, 60, 1634303213, true),
        (1779372829, nil, 60, 98, 1, 5, false, -300, 1783920518, false),
        (1759549948, nil, 86400, 75, 2, 3, false, 60, 1759867573, false),
        (1616285824, 1618877824, 200000, 90, 1, 2, false, 60, 1621455134, false),
        (1779490097, nil, 30000, 3, 2, 3, true, 60, 1782212746, false),
        (1658574703, nil, 30000, 17, 1, 1, false, 0, 1661653310, false),
        (1720577824, nil, 86400, 71, 1, 2, false, -300, 1721467243, true),
        (1696306900, nil, 200000, 114, 2, 3, true, 0, 1697983383, false),
        (1662265447, 1664857447, 200000, 30, 1, 1, true, 60, 1666074409, false),
        (1601098869, 1603690869, 3600, 54, 2, 5, false, 0, 1603937192, false),
        (1722579365, nil, 200000, 103, 1, 5, false, 60, 1725611677, true),
        (1729257797, nil, 200000, 52, 1, 1, true, 60, 1730597545, true),
        (1629508655, nil, 30000, 77, 1, 1, true, -300, 1630108277, false),
        (1697605794, 1700197794, 100000, 4, 1, 1, false, 0, 1699091027, true),
        (1693251671, nil, 100000, 47, 2, 3, false, 60, 1694022946, false),
        (1729878376, 1732470376, 30000, 11, 2, 1, false, -300, 1730476387, false),
        (1728479098, nil, 200000, 21, 2, 5, false, 0, 1728413638, false),
        (1741763298, 1744355298, 30000, 126, 1, 1, false, 0, 1743694491, false),
        (1659805474, 1662397474, 100000, 70, 2, 5, true, -300, 1662311704, false),
        (1664260138, 1666852138, 86400, 95, 1, 1, false, 60, 1665677971, true),
        (1607499301, 1610091301, 30000, 61, 1, 2, false, 60, 1608864512, false),
        (1697881200, nil, 60, 29, 2, 1, true, 60, 1699524920, false),
        (1729561259, nil, 100000, 127, 1, 5, false, -300, 1729318067, false),
        (1777324611, nil, 60, 117, 1, 3, true, 60, 1778737423, false),
        (1741353023, nil, 200000, 120, 1, 1, true, 0, 1744732880, true),
        (1687505166, nil, 200000, 67, 1, 5, true, -300, 1691905350, true),
        (1643343215, nil, 200000, 56, 1, 5, false, 0, 1646471416, true),
        (1785941353, nil, 30000, 6, 1, 3, false, 60, 1787236998, true),
        (1734959684, nil, 200000, 26, 2, 1, true, 60, 1738934513, true),
        (1724731985, nil, 86400, 60, 2, 1, false, 0, 1729078772, true),
        (1604698817, nil, 30000, 59, 2, 1, false, 60, 1608689441, true),
        (1792825843, nil, 86400, 47, 2, 3, false, -300, 1794228255, true),
        (1608128777, nil, 200000, 53, 2, 1, true, 60, 1613115882, true),
        (1697435169, nil, 30000, 43, 2, 5, false, 60, 1697541591, true),
        (1790527746, nil, 86400, 23, 2, 1, false, -300, 1791383653, true),
        (1666021493, 1668613493, 100000, 68, 2, 1, false, 0, 1666605704, true),
        (1679354080, 1681946080, 200000, 119, 2, 1, true, 0, 1679811444, true),
        (1663380105, nil, 200000, 26, 2, 1, false, 60, 1665862901, true),
        (1612994432, 1615586432, 200000, 98, 2, 2, false, 60, 1615426533, true),
        (1717788948, nil, 200000, 99, 2, 2, true, 60, 1722388176, true),
    ]

    private func schedule(_ item: EncodedItem) throws -> AliroSchedule {
        let octets = item.encoding
        return try AliroSchedule(try CBORNode(decoding: octets.span))
    }

    @Test("Daily and weekly recurrences, intervals, ends, UTC and local time")
    func recurrences() throws {
        for (index, value) in AliroScheduleTests.cases.enumerated() {
            var members: [(EncodedItem, EncodedItem)] = [(0, .integer(value.start))]
            if let end = value.end { members.append((1, .integer(end))) }
            // The mask is the weekly one's.
            let mask = value.pattern == 2 ? value.mask : 0
            let fields = [value.duration, mask, value.pattern, value.interval, 0]
            members.append((2, .array(fields.map { .integer($0) })))
            members.append((3, .integer(value.isUTC ? 1 : 0)))
            let isRunning = try schedule(.map(members)).isRunning(
                at: value.now, in: TimeZoneRule(utcOffsetMinutes: value.offset))
            #expect(isRunning == value.isRunning, "case \(index)")
        }
    }

    @Test("A period without a recurrence: from its start to its end, both included")
    func period() throws {
        let period = try schedule(.map([(0, 1000), (1, 2000), (3, 1)]))
        let times: [Int64] = [999, 1000, 2000, 2001]
        #expect(times.map { period.isRunning(at: $0, in: .utc) } == [false, true, true, false])
    }

    @Test("Values out of range")
    func ranges() throws {
        let items: [EncodedItem] = [
            .map([]), .map([(0, -1)]), .map([(0, 4_294_967_296)]), .map([(0, 0), (1, "end")]),
            .map([(0, 0), (2, .array([60, 0, 1]))]), .map([(0, 0), (2, .array([-1, 0, 1, 1, 0]))]),
            .map([(0, 0), (2, .array([60, 0, 1, 256, 0]))]), .map([(0, 0), (3, 2)]), .map([(0, 0), (1, 0)]), .array([]),
        ]
        for (index, item) in items.enumerated() {
            #expect(throws: AliroDocumentFault.format, "item \(index)") { try schedule(item) }
        }
    }
}
