// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Protobuf
import Timekeeping

/// The files of an OSS Standard Offline credential as octets, good or not: a sound credential that the input changes,
/// or files cut out of the input as they are.
struct ForgedCredential {
    var info: [UInt8]
    var data: [UInt8]
    var blacklist: [UInt8]
    var extensions: [UInt8]
    var requestedEvents: UInt32?

    /// Names that credentials, blacklists and commands share, so that they meet.
    static let names = ["CRED000001", "CRED000002", "EVIL", "A"]
    /// The files' limits on the air (access protocol, 7).
    static let limits = (info: 32, data: 291, blacklist: 257, extensions: 32)

    /// The credential that the input describes.
    init(_ input: inout FuzzInput) {
        let choice = input.octet()
        if choice & 0x80 == 0 {
            self = ForgedCredential.sound[Int(choice) % ForgedCredential.sound.count]
            for _ in 0..<input.number(below: 4) { change(&input) }
        } else {
            (info, data) = (input.block(), input.block())
            (blacklist, extensions) = (input.block(), input.block())
        }
        requestedEvents = choice & 0x40 == 0 ? nil : UInt32(input.octet())
    }

    private init(_ credential: StandardOfflineCredential) {
        (info, data, blacklist, extensions) = ([], [], [], [])
        credential.info.append(to: &info)
        certain { try credential.data.append(to: &data) }
        certain { try credential.blacklist.append(to: &blacklist) }
        certain { try credential.extensions?.append(to: &extensions) }
    }

    /// An octet changed, octets put at the end, or the file cut.
    private mutating func change(_ input: inout FuzzInput) {
        let choice = input.octet()
        switch choice & 3 {
        case 0: ForgedCredential.change(&info, choice >> 2, &input)
        case 1: ForgedCredential.change(&data, choice >> 2, &input)
        case 2: ForgedCredential.change(&blacklist, choice >> 2, &input)
        default: ForgedCredential.change(&extensions, choice >> 2, &input)
        }
    }

    private static func change(_ file: inout [UInt8], _ choice: UInt8, _ input: inout FuzzInput) {
        switch choice & 3 {
        case 0: file += input.block()
        case 1: file.removeLast(min(file.count, Int(input.octet())))
        default:
            let place = Int(input.word())
            let octet = input.octet()
            if !file.isEmpty { file[place % file.count] = octet }
        }
    }

    /// The message, of which the signature covers the files; nil if one is longer than it may be.
    var message: OssSoMobile? {
        guard let info = BoundedBytes<32>(copying: info.span), let data = BoundedBytes<291>(copying: data.span),
            let blacklist = BoundedBytes<257>(copying: blacklist.span),
            let extensions = BoundedBytes<32>(copying: extensions.span)
        else { return nil }
        return OssSoMobile(
            infoFile: info, dataFile: data, blacklistFile: blacklist, customerExtensionsFile: extensions,
            requestedEventCount: requestedEvents)
    }

    /// The same, decoded by nobody: what has no message is not shown.
    func withFile(_ number: Int, plus octet: UInt8) -> ForgedCredential {
        var changed = self
        switch number {
        case 0: changed.info.append(octet)
        case 1: changed.data.append(octet)
        case 2: changed.blacklist.append(octet)
        default: changed.extensions.append(octet)
        }
        return changed
    }

    // MARK: Sound ones, for site 1, of which door 1 is also in group 7

    /// The plainest.
    static let plain = make([OSSDoorEntry(id: 1)])

    private static let sound: [ForgedCredential] = [
        plain,
        make([OSSDoorEntry(id: 1, isExtended: true)], carrying: ["EVIL"]),
        make([OSSDoorEntry(id: 1, toggles: true)], name: 1),
        make([OSSDoorEntry(id: 7, isDoor: false)], start: (2020, 1, 1)),
        make([OSSDoorEntry(id: 1, schedule: 1)], schedules: [weekdays]),
        make([OSSDoorEntry(id: 9), OSSDoorEntry(id: 1, schedule: 2)], name: 3, schedules: [weekdays, always]),
        make([OSSDoorEntry(id: 1)], site: 2),
        make([OSSDoorEntry(id: 1)], type: .interventionMedia, name: 2),
        make([OSSDoorEntry(id: 1)], carrying: names),
        make([OSSDoorEntry(id: 1)], endYear: 2020),
        make([OSSDoorEntry(id: 0, isDoor: false, schedule: 1), OSSDoorEntry(id: 1)], schedules: [weekdays]),
        asTheClientWritesIt(make([OSSDoorEntry(id: 1)], carrying: ["EVIL"])),
    ]

    /// With the header of an extension file that the data file does not announce.
    private static func asTheClientWritesIt(_ credential: ForgedCredential) -> ForgedCredential {
        var credential = credential
        credential.extensions = [0, 2]
        return credential
    }

    private static let weekdays = [OSSScheduleDay(weekdays: 0x1F, periods: [period(8, 17)])]
    private static let always = [OSSScheduleDay(weekdays: 0x7F, periods: [period(0, 24)])]

    private static func period(_ from: UInt8, _ to: UInt8) -> OSSTimePeriod {
        certain { try OSSTimePeriod(fromHour: from, fromMinute: 0, toHour: to, toMinute: 0) }
    }

    private static func minute(_ year: Int, _ month: Int, _ day: Int) -> OSSTimestamp {
        guard let minute = OSSTimestamp(CivilTime(year: year, month: month, day: day)) else { finding("no time") }
        return minute
    }

    private static func name(_ number: Int) -> OSSCredentialID {
        guard let name = OSSCredentialID(names[number]) else { finding("no name") }
        return name
    }

    private static func make(
        _ doors: [OSSDoorEntry], type: OSSCredentialType = .standard, name number: Int = 0, site: UInt16 = 1,
        schedules: [[OSSScheduleDay]] = [], carrying: [String] = [], start: (Int, Int, Int)? = nil,
        endYear: Int = 2030
    ) -> ForgedCredential {
        let carried = carrying.compactMap { OSSCredentialID($0) }.map {
            OSSBlacklistEntry(credentialID: $0, expiresAt: minute(2029, 1, 1))
        }
        return ForgedCredential(
            StandardOfflineCredential(
                info: OSSInfoFile(type: type, credentialID: name(number)),
                data: OSSDataContents(
                    validityEnd: minute(endYear, 12, 31), siteID: site, doors: doors, schedules: schedules),
                blacklist: OSSBlacklistFile(entries: carried),
                extensions: start.map { OSSExtensionFile(startOfValidity: minute($0.0, $0.1, $0.2)) }))
    }
}
