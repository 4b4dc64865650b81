// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Reader
import Timekeeping

/// The conditions for a credential to open a door, read from its octets and the published layout alone (access
/// protocol, 7 and 7.1), with none of the decoders that are tried.
struct CredentialOracle {
    var files: ForgedCredential
    var clock: CivilTime?
    /// The latest time that the clock has shown, by which it has ended; nil for a clock that nobody has moved.
    var latest: CivilTime?
    var site: UInt16
    var door: UInt16
    var groups: Set<UInt16>
    var takesMasterGroup: Bool
    var takesInterventionMedia: Bool
    /// The names that are refused at the earliest time that it can be.
    var refused: Set<String>

    /// The reason for which the credential must not open; nil if nothing here forbids it.
    var reason: String? {
        guard let name else { return "it has no name" }
        if files.info[0] > 1 { return "its major version" }
        if refused.contains(name) { return "it is blacklisted" }
        let isIntervention = files.info[2] == 1
        guard files.info[2] == 0 || isIntervention && takesInterventionMedia else { return "its type" }
        guard let clock, let now = CredentialOracle.digits(clock) else { return "there is no time" }
        if let limits = reasonOfLengths { return limits }
        if isIntervention, files.data.isEmpty { return nil }
        guard files.data.count >= 16 else { return "its data file is cut" }
        if UInt16(files.data[6]) << 8 | UInt16(files.data[7]) != site { return "its site" }
        let end = files.data[..<6]
        // Of the end's minute second 00 counts; an intervention medium may have no end.
        if !isIntervention || end.contains(where: { $0 != 0 }) {
            if isOver(end, at: clock, now) { return "it is over" }
            if let latest, let then = CredentialOracle.digits(latest), isOver(end, at: latest, then) {
                return "it had ended before the clock was put back"
            }
        }
        if let start, now.lexicographicallyPrecedes(start) { return "it has not begun" }
        return isIntervention || namesDoor ? nil : "it names neither the door nor a group of it"
    }

    private func isOver(_ end: ArraySlice<UInt8>, at time: CivilTime, _ digits: [UInt8]) -> Bool {
        end.lexicographicallyPrecedes(digits) || time.second > 0 && end.elementsEqual(digits)
    }

    /// The reason for which a phone could have cut the signed octets into other files than they were signed as.
    private var reasonOfLengths: String? {
        if let count = files.blacklist.first.map({ 1 + 16 * Int($0) }) {
            guard files.blacklist.count >= count, files.blacklist[count...].allSatisfy({ $0 == 0 }) else {
                return "its blacklist has another length than it says"
            }
        }
        guard files.data.count > 11, files.data[11] & 1 == 1 else {
            return [[], [0, 2]].contains(files.extensions) ? nil : "it has extensions that it does not have"
        }
        guard files.extensions.count >= 2 else { return "its extensions are cut" }
        let size = Int(files.extensions[0]) << 8 | Int(files.extensions[1])
        guard 2...files.extensions.count ~= size, files.extensions[size...].allSatisfy({ $0 == 0 }) else {
            return "its extensions have another length than they say"
        }
        return nil
    }

    /// The name in the info file, which has 15 octets, or zeros after them up to 32.
    private var name: String? {
        guard files.info.count == 15 || files.info.count == 32, files.info[15...].allSatisfy({ $0 == 0 }) else {
            return nil
        }
        let characters = files.info[3..<13].drop { $0 == 0 }
        guard !characters.isEmpty, characters.allSatisfy({ 1..<0x80 ~= $0 }) else { return nil }
        return String(decoding: characters, as: UTF8.self)
    }

    private var namesDoor: Bool {
        var place = 16
        for _ in 0..<Int(files.data[10]) {
            guard place + 3 <= files.data.count else { return false }
            let id = UInt16(files.data[place]) << 8 | UInt16(files.data[place + 1])
            let isDoor = files.data[place + 2] & 8 != 0
            if id == 0, isDoor { return false }
            if isDoor ? id == door : id == 0 ? takesMasterGroup : groups.contains(id) { return true }
            place += 3
        }
        return false
    }

    /// The latest start of validity among the extensions, as far as they can be read.
    private var start: ArraySlice<UInt8>? {
        guard files.data[11] & 1 == 1, files.extensions.count >= 2 else { return nil }
        var rest = files.extensions[2...]
        var latest: ArraySlice<UInt8>?
        while let tag = CredentialOracle.number(&rest), let length = CredentialOracle.number(&rest),
            length <= rest.count
        {
            let value = rest.prefix(length)
            rest = rest.dropFirst(length)
            guard tag == 1, length == 6 else { continue }
            if latest.map({ $0.lexicographicallyPrecedes(value) }) ?? true { latest = value }
        }
        return latest
    }

    private static func number(_ rest: inout ArraySlice<UInt8>) -> Int? {
        guard let first = rest.popFirst() else { return nil }
        switch first {
        case ...0x7F: return Int(first)
        case 0x81: return rest.popFirst().map { Int($0) }
        case 0x82:
            guard let high = rest.popFirst(), let low = rest.popFirst() else { return nil }
            return Int(high) << 8 | Int(low)
        default: return nil
        }
    }

    /// The six octets of a time, two decimal digits in each.
    private static func digits(_ time: CivilTime) -> [UInt8]? {
        guard 0...9999 ~= time.year else { return nil }
        let numbers = [time.year / 100, time.year % 100, time.month, time.day, time.hour, time.minute]
        return numbers.map { UInt8(($0 / 10) << 4 | $0 % 10) }
    }
}
