// SPDX-License-Identifier: Apache-2.0

import TestSupport
import AccessProtocol
import Testing

@Suite("The data file's doors and schedules, and extensions (access protocol, 7)")
struct OSSDataFileTests {
    private func status(_ hex: String, changing: (inout [UInt8]) -> Void = { _ in }) -> StatusCode? {
        var file = octets(hex)
        changing(&file)
        return thrown { () throws(StatusCode) in try OSSDataFile(header: file.span).check(file.span) }
    }

    /// A header with the given number of schedules of one day with one period each, and of doors, followed by the
    /// rest.
    private func header(schedules: Int, doors: Int) -> String {
        "203012312358 0001 00 \(schedules)0 0\(doors) 00 00000000 "
    }

    @Test("site 0 is -235, a bad end -233")
    func headers() {
        #expect(status("203012312358 0000 00 00 00 00 00000000") == .standardOfflineSite)
        #expect(status("203013312358 0001 00 00 00 00 00000000") == .standardOfflineTimestamp)
        #expect(status("000000000000 ffff 00 00 00 00 00000000") == nil)
        // Reserved octets and bits are ignored.
        #expect(status("203012312358 0001 ff 00 00 fe ffffffff") == nil)
    }

    @Test("a door's schedule has to be there (-237), also at and behind door 0, which ends the list; group 0 does not")
    func doors() {
        #expect(status(header(schedules: 1, doors: 1) + "0001 18  00 00000000") == nil)
        #expect(status(header(schedules: 1, doors: 1) + "0001 28  00 00000000") == .standardOfflineDoorSchedule)
        #expect(status(header(schedules: 0, doors: 1) + "0001 18") == .standardOfflineDoorSchedule)
        #expect(status(header(schedules: 0, doors: 2) + "0000 08 0001 f8") == .standardOfflineDoorSchedule)
        #expect(status(header(schedules: 0, doors: 1) + "0000 18") == .standardOfflineDoorSchedule)
        #expect(status(header(schedules: 1, doors: 3) + "0000 18 0000 08 0001 18  00 00000000") == nil)
        #expect(status(header(schedules: 0, doors: 2) + "0000 00 0001 f8") == .standardOfflineDoorSchedule)
        #expect(status(header(schedules: 0, doors: 1) + "0000 10") == .standardOfflineDoorSchedule)
        #expect(status(header(schedules: 0, doors: 2) + "0001 08 0002 f8") == .standardOfflineDoorSchedule)
    }

    @Test("a door entry's bits")
    func entries() throws {
        let rows: [(String, OSSDoorEntry)] = [
            ("0001 08", OSSDoorEntry(id: 1)), ("0100 00", OSSDoorEntry(id: 256, isDoor: false)),
            ("ffff 0a", OSSDoorEntry(id: 65_535, isExtended: true)), ("0001 0c", OSSDoorEntry(id: 1, toggles: true)),
            ("0001 0e", OSSDoorEntry(id: 1, toggles: true, isExtended: true)),
            ("0001 18", OSSDoorEntry(id: 1, schedule: 1)), ("0001 09", OSSDoorEntry(id: 1)),
        ]
        for (hex, entry) in rows {
            let file = octets(header(schedules: 1, doors: 1) + hex + "00 00000000")
            #expect(try OSSDataFile(header: file.span).door(0, file.span) == entry, "\(hex)")
        }
    }

    @Test("periods are checked whether or not a door uses them (-234), up to an all-zero one")
    func periods() {
        let rows: [(String, StatusCode?)] = [
            ("1f 08001800", nil), ("7f 00002400", nil), ("00 00000000", nil), ("1f 00000000", nil),
            ("1f 08001859", .standardOfflinePeriod), ("1f 08591800", .standardOfflinePeriod),
            ("1f 08002401", .standardOfflinePeriod), ("1f 24002400", .standardOfflinePeriod),
            ("1f 18000800", .standardOfflinePeriod), ("1f 08000800", .standardOfflinePeriod),
            ("1f 0a001800", .standardOfflinePeriod), ("1f 080018f0", .standardOfflinePeriod),
            ("1f 00000030", .standardOfflinePeriod),
        ]
        for (hex, expected) in rows {
            #expect(status(header(schedules: 1, doors: 0) + hex) == expected, "\(hex)")
        }
        // Two periods a day. Octets after the end of the list are ignored.
        #expect(status("203012312358 0001 00 11 00 00 00000000 1f 00000000 ffffffff") == nil)
        #expect(status("203012312358 0001 00 11 00 00 00000000 1f 08000900 ffffffff") == .standardOfflinePeriod)
    }

    @Test("the latest end of a schedule on a weekday")
    func ends() throws {
        // Schedule 1: Monday to Friday 08:00-12:00 and 13:00-17:30; Saturday 09:00-24:00. Schedule 2: Sunday.
        let file = octets(
            """
            203012312358 0001 00 25 00 00 00000000
            1f 08001200 13001730  20 09002400 00000000
            40 00002400 00000000  00 00000000 00000000
            """)
        let header = try OSSDataFile(header: file.span)
        try header.check(file.span)
        func end(_ schedule: Int, _ weekday: Int, at minute: UInt16) throws -> UInt16? {
            try header.latestEnd(schedule: schedule, weekday: weekday, file.span) { $0.contains(minute) }
        }
        #expect(try end(1, 0, at: 480) == 720)
        #expect(try end(1, 4, at: 720) == 720)
        #expect(try end(1, 0, at: 479) == nil)
        #expect(try end(1, 0, at: 721) == nil)
        #expect(try end(1, 2, at: 1050) == 1050)
        #expect(try end(1, 5, at: 1439) == 1440)
        #expect(try end(1, 6, at: 600) == nil)
        #expect(try end(2, 6, at: 0) == 1440)
        for number in [0, -1, 3, 16] {
            #expect(
                thrown { () throws(StatusCode) in
                    _ = try header.latestEnd(schedule: number, weekday: 0, file.span) { _ in true }
                } == .standardOfflineScheduleNumber)
        }
    }

    @Test("extensions: tags and lengths of one to three octets, and each fault with its code")
    func extensions() throws {
        let rows: [(String, StatusCode?)] = [
            ("0002", nil), ("0002 00 00", nil), ("0002 01", .extensionInvalidSize), ("0001", .extensionInvalidSize),
            ("0000", .extensionInvalidSize), ("0003", .endOfFile), ("", .endOfFile), ("00", .endOfFile),
            ("ffff", .extensionTooLarge), ("0233", .extensionTooLarge),
            ("0004 05 00", nil), ("0005 81 ff 00", nil), ("0006 82 ff ff 00", nil), ("0005 05 81 00", nil),
            ("0006 05 82 00 00", nil),
            ("0003 80", .extensionTag), ("0003 83", .extensionTag), ("0003 ff", .extensionTag),
            ("0003 00", .extensionTag), ("0004 00 00", .extensionTag), ("0005 81 00 00", .extensionTag),
            ("0006 82 00 00 00", .extensionTag), ("0006 05 00 00 00", .extensionTag),
            ("0003 81", .overflow), ("0004 82 01", .overflow), ("0003 05", .overflow),
            ("0004 05 80", .extensionLength), ("0004 05 83", .extensionLength), ("0004 05 ff", .extensionLength),
            ("0004 05 81", .overflow), ("0005 05 82 00", .overflow), ("0004 05 01", .overflow),
            ("0005 05 02 00", .overflow), ("0004 05 41", .extensionValueTooLarge),
            ("0006 05 82 01 00", .extensionValueTooLarge),
            ("0012 0500 0500 0500 0500 0500 0500 0500 0500", nil),
            ("0014 0500 0500 0500 0500 0500 0500 0500 0500 0500", .extensionTooManyFeatures),
        ]
        for (hex, expected) in rows {
            let file = octets(hex)
            let error = thrown { () throws(StatusCode) in _ = try OSSExtensionFile(decoding: file.span) }
            #expect(error == expected, "\(hex)")
        }
        let big = octets("0044 05 40") + [UInt8](repeating: 7, count: 64)
        #expect(try OSSExtensionFile(decoding: big.span).features == [.init(tag: 5, value: Array(big[4...]))])
    }

    @Test("the start of the validity: the latest, wherever it stands; one of another length or that is no time decides")
    func start() throws {
        func start(_ hex: String) throws(StatusCode) -> String? {
            let file = octets(hex)
            switch try OSSExtensionFile.startOfValidity(file.span) {
            case .absent: return nil
            case .unreadable: return "unreadable"
            case .at(let start): return "\(start.year)-\(start.month)-\(start.day)"
            }
        }
        #expect(try start("000a 01 06 202301010000") == "2023-1-1")
        #expect(try start("0002") == nil)
        #expect(try start("0004 05 00") == nil)
        #expect(try start("000e 05 02 0102 01 06 202403020000") == "2024-3-2")
        #expect(try start("0012 01 06 202403020000 01 06 202303020000") == "2024-3-2")
        #expect(try start("0012 01 06 202303020000 01 06 202403020000") == "2024-3-2")
        #expect(try start("000b 81 01 06 202301010000") == "2023-1-1")
        #expect(try start("0009 01 05 2023010100") == "unreadable")
        #expect(try start("0004 01 00") == "unreadable")
        #expect(try start("000a 01 06 202313010000") == "unreadable")
        #expect(try start("0012 01 06 202313010000 01 06 202303020000") == "unreadable")
        // What follows an unreadable start is read as well.
        #expect(thrown { () throws(StatusCode) in _ = try start("0008 01 00 00 00 05 00") } == .extensionTag)
    }

    @Test("contents that cannot be written")
    func contents() throws {
        let period = try OSSTimePeriod(fromHour: 8, fromMinute: 0, toHour: 9, toMinute: 0)
        let day = OSSScheduleDay(weekdays: 1, periods: [period])
        func status(_ change: (inout OSSDataContents) -> Void) -> StatusCode? {
            var contents = OSSDataContents(
                validityEnd: .unset, siteID: 1, doors: [OSSDoorEntry(id: 1, schedule: 1)], schedules: [[day]])
            change(&contents)
            var file: [UInt8] = []
            return thrown { () throws(StatusCode) in try contents.append(to: &file) }
        }
        #expect(status { _ in } == nil)
        #expect(status { $0.siteID = 0 } == .standardOfflineSite)
        #expect(status { $0.schedules = [] } == .standardOfflineDoorSchedule)
        #expect(status { $0.schedules = Array(repeating: [day], count: 16) } == .standardOfflineScheduleNumber)
        #expect(status { $0.schedules = [Array(repeating: day, count: 5)] } == .standardOfflinePeriodCount)
        #expect(status { $0.periodsPerDay = 5 } == .standardOfflinePeriodCount)
        #expect(status { $0.daysPerSchedule = 0 } == .standardOfflinePeriodCount)
        #expect(
            status { $0.schedules[0][0].periods = Array(repeating: period, count: 5) } == .standardOfflinePeriodCount)
        #expect(status { $0.doors = Array(repeating: OSSDoorEntry(id: 1), count: 256) } == .overflow)
    }

    @Test("a feature with tag 0 cannot be written")
    func tagZero() throws {
        var file = OSSExtensionFile(startOfValidity: .unset)
        file.features.append(.init(tag: 0, value: [1]))
        var octets: [UInt8] = []
        #expect(thrown { () throws(StatusCode) in try file.append(to: &octets) } == .extensionTag)
    }
}
