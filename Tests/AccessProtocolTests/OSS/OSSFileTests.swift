// SPDX-License-Identifier: Apache-2.0

import TestSupport
import AccessProtocol
import Protobuf
import Testing
import Timekeeping

/// The published samples (access protocol, 7).
enum OSSSample {
    static let info = octets("010100 43524544303030303031 00 10")
    static let data =
        octets("203012312358 0001 00 1f 01 01 00000000 0001 0a") + [UInt8](repeating: 0, count: 68)
    static let blacklist = octets("01 0000000000004556494c 203001010000")
    static let extensions = octets("000a 01 06 202301010000")
    static let secureIdentifier = octets("010000 43524544303030303031")
    /// One event from each end of the table.

    static func credential() throws -> StandardOfflineCredential {
        let end = CivilTime(year: 2030, month: 12, day: 31, hour: 23, minute: 58)
        let empty = OSSScheduleDay(weekdays: 0, periods: [])
        return StandardOfflineCredential(
            info: OSSInfoFile(credentialID: try #require(OSSCredentialID("CRED000001"))),
            data: OSSDataContents(
                validityEnd: try #require(OSSTimestamp(end)), siteID: 1,
                doors: [OSSDoorEntry(id: 1, isExtended: true)], schedules: [[empty]]),
            blacklist: OSSBlacklistFile(entries: [
                OSSBlacklistEntry(
                    credentialID: try #require(OSSCredentialID("EVIL")),
                    expiresAt: try #require(OSSTimestamp(CivilTime(year: 2030, month: 1, day: 1))))
            ]),
            extensions: OSSExtensionFile(
                startOfValidity: try #require(OSSTimestamp(CivilTime(year: 2023, month: 1, day: 1)))))
    }
}

@Suite("OSS files (access protocol, 7)")
struct OSSFileTests {
    @Test("the published samples are written octet for octet")
    func samplesWritten() throws {
        let files = try OSSSample.credential().files()
        var (info, data, blacklist, extensions) = ([UInt8](), [UInt8](), [UInt8](), [UInt8]())
        files.infoFile.append(to: &info)
        files.dataFile.append(to: &data)
        files.blacklistFile.append(to: &blacklist)
        files.customerExtensionsFile.append(to: &extensions)
        #expect(info == OSSSample.info)
        #expect(data == OSSSample.data)
        #expect(blacklist == OSSSample.blacklist)
        #expect(extensions == OSSSample.extensions)
        var signed: [UInt8] = []
        files.appendSigned(to: &signed)
        #expect(signed == OSSSample.info + OSSSample.data + OSSSample.blacklist + OSSSample.extensions)
    }

    @Test("a data file is read as it was written, days without anything left out")
    func dataFileIsReadBack() throws {
        let working = OSSScheduleDay(
            weekdays: 0b001_1111,
            periods: [
                try OSSTimePeriod(fromHour: 7, fromMinute: 0, toHour: 12, toMinute: 0),
                try OSSTimePeriod(fromHour: 13, fromMinute: 0, toHour: 24, toMinute: 0),
            ])
        let sunday = OSSScheduleDay(weekdays: 0b100_0000, periods: [])
        var contents = try OSSSample.credential().data
        (contents.schedules, contents.hasExtensions) = ([[working, sunday], [sunday]], true)
        contents.doors = [
            OSSDoorEntry(id: 7, schedule: 1), OSSDoorEntry(id: 0, isDoor: false, schedule: 2, toggles: true),
        ]
        var file: [UInt8] = []
        try contents.append(to: &file)
        #expect(try OSSDataContents(decoding: file.span) == contents)
        for count in file.indices {
            let cut = Array(file[..<count])
            #expect(throws: StatusCode.endOfFile, "\(count)") { try OSSDataContents(decoding: cut.span) }
        }
        // Cards round their files up with zeros.
        let (padded, surplus) = (file + [0], file + [1])
        #expect(try OSSDataContents(decoding: padded.span) == contents)
        #expect(throws: StatusCode.decode) { try OSSDataContents(decoding: surplus.span) }
    }

    @Test("the published samples are read")
    func samplesRead() throws {
        let sample = try OSSSample.credential()
        let (info, data, blacklist) = (OSSSample.info, OSSSample.data, OSSSample.blacklist)
        #expect(try OSSInfoFile(decoding: info.span) == sample.info)
        #expect(try OSSBlacklistFile(decoding: blacklist.span, maximum: 16) == sample.blacklist)
        let extensions = OSSSample.extensions
        #expect(try OSSExtensionFile(decoding: extensions.span) == sample.extensions)
        let start = CivilTime(year: 2023, month: 1, day: 1)
        #expect(try OSSExtensionFile.startOfValidity(extensions.span) == OSSTimestamp(start).map { .at($0) })
        let header = try OSSDataFile(header: data.span)
        #expect(header.siteID == 1 && header.scheduleCount == 1 && header.daysPerSchedule == 4)
        #expect(header.periodsPerDay == 4 && header.doorCount == 1 && header.hasExtensions)
        #expect(header.octetCount == 87)
        try header.check(data.span)
        #expect(try header.door(0, data.span) == OSSDoorEntry(id: 1, isExtended: true))
        #expect(try header.door(1, data.span) == nil)
        let identifier = OSSSample.secureIdentifier
        #expect(try OSSSecureIdentifierFile(decoding: identifier.span).credentialID.text == "CRED000001")
    }

    /// A complete sample of every file, with the function that decodes it.
    private static let readers:
        [(name: String, file: [UInt8], read: @Sendable (Span<UInt8>) throws(StatusCode) -> Void)] = [
            ("info", OSSSample.info, { (file) throws(StatusCode) in _ = try OSSInfoFile(decoding: file) }),
            (
                "SID", OSSSample.secureIdentifier,
                { (file) throws(StatusCode) in _ = try OSSSecureIdentifierFile(decoding: file) }
            ),
            ("data", OSSSample.data, { (file) throws(StatusCode) in try OSSDataFile(header: file).check(file) }),
            (
                "blacklist", OSSSample.blacklist,
                { (file) throws(StatusCode) in _ = try OSSBlacklistFile(decoding: file, maximum: 16) }
            ),
            (
                "extensions", OSSSample.extensions,
                { (file) throws(StatusCode) in _ = try OSSExtensionFile(decoding: file) }
            ),
        ]

    @Test("cut at every length: -6; no blacklist file is an empty one")
    func truncated() {
        for (name, file, read) in OSSFileTests.readers {
            for length in 0..<file.count {
                let cut = Array(file[..<length])
                let error = thrown { () throws(StatusCode) in try read(cut.span) }
                let expected: StatusCode? = name == "blacklist" && length == 0 ? nil : .endOfFile
                #expect(error == expected, "\(name), \(length) octets")
            }
            let error = thrown { () throws(StatusCode) in try read(file.span) }
            #expect(error == nil, "\(name)")
        }
    }

    @Test("zeros may follow, as on a card; any other octet is -32 (-244 in the extension file)")
    func trailing() {
        for (name, file, read) in OSSFileTests.readers {
            for count in 1...40 {
                for position in [0, count - 1] {
                    var rest = [UInt8](repeating: 0, count: count)
                    rest[position] = 0x20
                    let long = file + rest
                    let error = thrown { () throws(StatusCode) in try read(long.span) }
                    #expect(error == (name == "extensions" ? .extensionInvalidSize : .decode), "\(name), \(count)")
                }
                let padded = file + [UInt8](repeating: 0, count: count)
                let error = thrown { () throws(StatusCode) in try read(padded.span) }
                // An info file has its own size or the card's; no field in it states the length.
                let mayBePadded = !["info", "SID"].contains(name) || padded.count == 32
                #expect(error == (mayBePadded ? nil : .decode), "\(name), \(count) zeros")
            }
        }
    }

    @Test("info: major 0 and 1 are read, any minor; above 1 is -230 and -280 before anything else")
    func versions() {
        for (major, good) in [(0, true), (1, true), (2, false), (0xFF, false)] as [(UInt8, Bool)] {
            for minor in [0, 1, 9, 0xFF] as [UInt8] {
                let info = [major, minor] + OSSSample.info[2...]
                let error = thrown { () throws(StatusCode) in _ = try OSSInfoFile(decoding: info.span) }
                #expect(error == (good ? nil : .standardOfflineMajorVersion), "\(major).\(minor)")
                let identifier = [major, minor] + OSSSample.secureIdentifier[2...]
                let other = thrown { () throws(StatusCode) in
                    _ = try OSSSecureIdentifierFile(decoding: identifier.span)
                }
                #expect(other == (good ? nil : .siteIDMajorVersion), "\(major).\(minor)")
            }
        }
        let cut: [UInt8] = [2]
        #expect(
            thrown { () throws(StatusCode) in _ = try OSSInfoFile(decoding: cut.span) } == .standardOfflineMajorVersion)
    }

    @Test("a blacklist of more entries than the info file has room for is -250")
    func blacklistLimit() {
        let file = OSSSample.blacklist
        #expect(
            thrown { () throws(StatusCode) in _ = try OSSBlacklistFile(decoding: file.span, maximum: 0) }
                == .tooManyBlacklistEntries)
        let none: [UInt8] = [0]
        #expect(thrown { () throws(StatusCode) in _ = try OSSBlacklistFile(decoding: none.span, maximum: 0) } == nil)
    }

    @Test("what does not fit over the air is not made")
    func mobileLimits() throws {
        var credential = try OSSSample.credential()
        let entry = credential.blacklist.entries[0]
        credential.blacklist.entries = Array(repeating: entry, count: 16)
        #expect(try credential.files().blacklistFile.count == 257)
        credential.blacklist.entries.append(entry)
        #expect(thrown { () throws(StatusCode) in _ = try credential.files() } == .tooManyBlacklistEntries)
        credential.blacklist.entries = []
        credential.extensions?.features.append(.init(tag: 5, value: [UInt8](repeating: 1, count: 21)))
        #expect(thrown { () throws(StatusCode) in _ = try credential.files() } == .extensionTooLarge)
        credential.extensions = nil
        credential.data.doors = Array(repeating: OSSDoorEntry(id: 1), count: 70)
        #expect(thrown { () throws(StatusCode) in _ = try credential.files() } == .overflow)
    }
}
