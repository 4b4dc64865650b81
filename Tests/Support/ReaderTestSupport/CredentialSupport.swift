// SPDX-License-Identifier: Apache-2.0

import TestSupport
import AccessProtocol
import Protobuf
import Reader
import Timekeeping

/// The files of a credential as octets, the published samples unless a test changes them (access protocol, 7).
struct CredentialFiles {
    static let sampleInfo = octets("010100 43524544303030303031 00 10")
    /// Site 1, valid to 2030-12-31 23:58, door 1 for the extended time, one unused schedule.
    static let sampleData =
        octets("203012312358 0001 00 1f 01 01 00000000 0001 0a") + [UInt8](repeating: 0, count: 68)
    static let sampleExtensions = octets("000a 01 06 202301010000")

    var info = CredentialFiles.sampleInfo
    var data = CredentialFiles.sampleData
    var blacklist = octets("01 0000000000004556494c 203001010000")
    var extensions = CredentialFiles.sampleExtensions
    var requestedEvents: UInt32?
    var supportedEvents: FixedBytes<12>?

    func message() throws -> OssSoMobile {
        OssSoMobile(
            infoFile: try BoundedBytes(info), dataFile: try BoundedBytes(data),
            blacklistFile: try BoundedBytes(blacklist), customerExtensionsFile: try BoundedBytes(extensions),
            requestedEventCount: requestedEvents, supportedEventIds: supportedEvents)
    }

    /// A data file of the header's end and site, and these doors and schedules: each schedule of one day id with one
    /// period, eight digits after its weekdays.
    mutating func set(end: String = "203012312358", site: String = "0001", doors: [String], schedules: [String] = []) {
        data = octets(
            "\(end) \(site) 00 \(String(schedules.count, radix: 16))0 0\(doors.count) 01 00000000"
                + doors.joined() + schedules.joined())
    }
}

/// 2024-06-05, a Wednesday, at a time of the day.
func wednesday(_ hour: Int, _ minute: Int, _ second: Int = 0) -> CivilTime {
    CivilTime(year: 2024, month: 6, day: 5, hour: hour, minute: minute, second: second)
}

func credentialID(_ text: String) -> OSSCredentialID {
    guard let id = OSSCredentialID(text) else { preconditionFailure("\(text) is no name") }
    return id
}

extension Blacklist {
    /// A list with one credential until a year far off.
    init(_ name: String, capacity: Int = 16) {
        self.init(capacity: capacity)
        insert(
            Entry(credentialID: credentialID(name), expiresAt: CivilTime(year: 2035, month: 1, day: 1)), at: nil)
    }
}

/// `10/2`, as the tables have it.
func events(_ decision: CredentialDecision) -> [String] {
    decision.events.map { "\($0.id.rawValue)/\($0.info)" }
}
