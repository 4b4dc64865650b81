// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Timekeeping

/// A compiled time zone file (RFC 8536, 3), octet by octet.
struct ZoneFileSample {
    /// A data block, and its header's counts (3.1, 3.2).
    struct Block {
        var transitions: [(time: Int64, type: UInt8)] = []
        var types: [(offset: Int32, isDaylightSaving: UInt8, name: UInt8)] = [(3600, 0, 0)]
        var names = Array("CET\0".utf8)
        var leapSeconds: [(time: Int64, correction: Int32)] = []
        var standardIndicators: [UInt8] = []
        var universalIndicators: [UInt8] = []

        func octets(version: UInt8, timeCount: Int) -> [UInt8] {
            func big(_ number: Int64, _ count: Int) -> [UInt8] {
                (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> Int64($0 * 8)) }
            }
            let counts = [
                universalIndicators.count, standardIndicators.count, leapSeconds.count, transitions.count, types.count,
                names.count,
            ]
            var octets: [UInt8] = Array("TZif".utf8) + [version] + [UInt8](repeating: 0, count: 15)
            for count in counts { octets += big(Int64(count), 4) }
            for transition in transitions { octets += big(transition.time, timeCount) }
            for transition in transitions { octets.append(transition.type) }
            for type in types { octets += big(Int64(type.offset), 4) + [type.isDaylightSaving, type.name] }
            octets += names
            for leap in leapSeconds { octets += big(leap.time, timeCount) + big(Int64(leap.correction), 4) }
            return octets + standardIndicators + universalIndicators
        }
    }

    var version = UInt8(ascii: "2")
    var first = Block()
    var second = Block()
    var footer = "\nCET-1CEST,M3.5.0,M10.5.0/3\n"

    /// The file; of version 1 without the second block and the footer.
    var octets: [UInt8] {
        let first = first.octets(version: version, timeCount: 4)
        return version == 0 ? first : first + second.octets(version: version, timeCount: 8) + Array(footer.utf8)
    }

    /// Two offsets, changes between them, and no rule for later.
    static let listed: ZoneFileSample = {
        var sample = ZoneFileSample()
        sample.footer = "\n\n"
        sample.second.types = [(3600, 0, 0), (0, 1, 0)]
        sample.second.transitions = [(1000, 1), (2000, 0), (3000, 1)]
        return sample
    }()
}

@Suite("Compiled time zone files (RFC 8536)")
struct TimeZoneFileTests {
    private func offsets(_ sample: ZoneFileSample, at times: [Int64]) throws -> [Int64] {
        let zone = try TimeZoneRule(file: sample.octets)
        return times.map { zone.offsetSeconds(at: $0) }
    }

    @Test("without transitions the footer's rule is for all times")
    func footerAlone() throws {
        let (zone, rule) = (
            try TimeZoneRule(file: ZoneFileSample().octets), try TimeZoneRule("CET-1CEST,M3.5.0,M10.5.0/3")
        )
        for time in [0, 1_806_195_599, 1_806_195_600, 1_824_944_400] as [Int64] {
            #expect(zone.offsetSeconds(at: time) == rule.offsetSeconds(at: time))
        }
    }

    @Test("3.2: type 0 before the first transition, each from its second on, and the last one's for ever")
    func transitions() throws {
        let times: [Int64] = [.min, 999, 1000, 1999, 2000, 2999, 3000, .max]
        #expect(try offsets(.listed, at: times) == [3600, 3600, 0, 0, 3600, 3600, 0, 0])
        // The empty footer leaves open what comes later.
        #expect(try TimeZoneRule(file: ZoneFileSample.listed.octets).knownUntil == 3000)
        #expect(try TimeZoneRule(file: ZoneFileSample().octets).knownUntil == nil)
    }

    @Test("3.3: the footer's rule from the last transition on, and not before")
    func ruleAfterTheLast() throws {
        var sample = ZoneFileSample.listed
        sample.footer = "\nXXX-5\n"
        #expect(try offsets(sample, at: [999, 2999, 3000, .max >> 8]) == [3600, 3600, 18_000, 18_000])
        // A last transition that changes nothing holds the rule back all the same.
        sample.second.transitions = [(1000, 1), (3000, 1)]
        #expect(try offsets(sample, at: [2999, 3000]) == [0, 18_000])
    }

    @Test("3.3.1: hours of −167 to 167 in the footer of version 3; later versions are read likewise")
    func versions() throws {
        var sample = ZoneFileSample()
        for version in UInt8(ascii: "2")...UInt8(ascii: "9") {
            (sample.version, sample.footer) = (version, "\n<-02>2<-01>,M3.5.0/-1,M10.5.0/0\n")
            #expect(try offsets(sample, at: [1_806_195_599, 1_806_195_600]) == [-7200, -3600])
        }
        for version in [1, UInt8(ascii: "0"), UInt8(ascii: "1"), UInt8(ascii: ":"), 0xFF] {
            sample.version = version
            #expect(throws: TimeZoneError.notATimeZoneFile) { try TimeZoneRule(file: sample.octets) }
        }
    }

    @Test("a file of version 1 has times of 32 bits, no footer, and the last offset for ever")
    func versionOne() throws {
        var sample = ZoneFileSample.listed
        (sample.version, sample.first) = (0, sample.second)
        sample.first.transitions.insert((-2_000_000_000, 0), at: 0)
        let times: [Int64] = [-2_000_000_001, 999, 1000, 2000, 3000, 1_900_000_000]
        #expect(try offsets(sample, at: times) == [3600, 3600, 0, 3600, 0, 0])
        let file = sample.octets
        for more in [[0x0A], [0x0A, 0x0A], ZoneFileSample().octets] as [[UInt8]] {
            #expect(throws: TimeZoneError.notATimeZoneFile) { try TimeZoneRule(file: file + more) }
        }
    }

    @Test("from version 2 on the first block does not count, whatever it says")
    func firstBlock() throws {
        var sample = ZoneFileSample.listed
        sample.first.types = [(-3600, 9, 200)]
        sample.first.transitions = [(3000, 7), (1000, 9)]
        (sample.first.names, sample.first.leapSeconds) = ([], [(-5, 3)])
        (sample.first.standardIndicators, sample.first.universalIndicators) = ([1, 2, 3], [9, 9])
        #expect(try offsets(sample, at: [999, 1000]) == [3600, 0])
    }

    @Test("3.2: times of a file with leap seconds count them; the system clock does not")
    func leapSeconds() throws {
        var sample = ZoneFileSample.listed
        sample.second.leapSeconds = [(500, 1), (1500, 2), (2500, 1)]
        let times: [Int64] = [998, 999, 1997, 1998, 2998, 2999]
        #expect(try offsets(sample, at: times) == [3600, 0, 0, 3600, 3600, 0])
        sample.second.leapSeconds = [(500, .min), (501, .max)]
        sample.second.transitions = [(.min, 1), (500, 0), (.max, 1)]
        #expect(try offsets(sample, at: [0]).count == 1)
        for broken in [[(-1, 1)], [(500, 1), (500, 2)], [(500, 1), (400, 2)]] as [[(Int64, Int32)]] {
            sample.second.leapSeconds = broken
            #expect(throws: TimeZoneError.notATimeZoneFile) { try TimeZoneRule(file: sample.octets) }
        }
    }

    @Test("standard and universal indicators are there for all types, or for none")
    func indicators() throws {
        var sample = ZoneFileSample.listed
        (sample.second.standardIndicators, sample.second.universalIndicators) = ([1, 0], [1, 0])
        #expect(try offsets(sample, at: [999, 1000]) == [3600, 0])
        sample.second.standardIndicators = [1]
        #expect(throws: TimeZoneError.notATimeZoneFile) { try TimeZoneRule(file: sample.octets) }
    }

    @Test("a block that RFC 8536 rules out", arguments: 0..<11)
    func invalid(number: Int) throws {
        let changes: [(inout ZoneFileSample.Block) -> Void] = [
            { $0.types = [] }, { $0.types = Array(repeating: (0, 0, 0), count: 257) }, { $0.names = [] },
            { $0.names = Array("CET".utf8) }, { $0.types[1].isDaylightSaving = 2 }, { $0.types[1].name = 4 },
            { $0.types[1].offset = -25 * 3600 }, { $0.types[1].offset = 26 * 3600 }, { $0.types[0].offset = .min },
            { $0.transitions[1].type = 2 }, { $0.transitions[1].time = 1000 },
        ]
        var sample = ZoneFileSample.listed
        changes[number](&sample.second)
        #expect(throws: TimeZoneError.notATimeZoneFile) { try TimeZoneRule(file: sample.octets) }
    }

    @Test("a footer that is none, and one whose rule is none")
    func footers() throws {
        var sample = ZoneFileSample()
        for footer in ["", "\n", "\nCET-1", "CET-1\n", "\nCET-1\n ", "\nCET\u{7F}-1\n"] {
            sample.footer = footer
            #expect(throws: TimeZoneError.notATimeZoneFile, "\(footer.debugDescription)") {
                try TimeZoneRule(file: sample.octets)
            }
        }
        sample.footer = "\nCET-1CEST\n"
        #expect(throws: TimeZoneError.notARule(at: 9)) { try TimeZoneRule(file: sample.octets) }
    }

    @Test("cut at every length, and longer than the limit")
    func cut() {
        var sample = ZoneFileSample.listed
        sample.second.leapSeconds = [(500, 1)]
        let file = sample.octets
        for count in 0..<file.count {
            #expect(throws: TimeZoneError.self) { try TimeZoneRule(file: Array(file.prefix(count))) }
        }
        let long = file + [UInt8](repeating: 0x0A, count: TimeZoneRule.maximumFileCount)
        #expect(throws: TimeZoneError.notATimeZoneFile) { try TimeZoneRule(file: long) }
    }

    @Test("counts far beyond the end of the file")
    func counts() {
        let second = ZoneFileSample().first.octets(version: 0x32, timeCount: 4).count
        for start in [0, second] {
            for position in start + 20..<start + 44 {
                var file = ZoneFileSample().octets
                file[position] = 0xFF
                #expect(throws: TimeZoneError.self) { try TimeZoneRule(file: file) }
            }
        }
    }

    @Test("every octet of a file with anything in its place: a zone or an error, never a trap")
    func changedOctets() throws {
        var sample = ZoneFileSample.listed
        sample.second.leapSeconds = [(500, 1)]
        let file = sample.octets
        var zones = 0
        for position in file.indices {
            for value in [0, 1, 0x0A, 0x32, 0x7F, 0x80, 0xFF] as [UInt8] {
                var changed = file
                changed[position] = value
                guard let zone = try? TimeZoneRule(file: changed) else { continue }
                zones += 1
                for time in [-(1 << 50), -1, 1000, 1 << 50] as [Int64] { _ = zone.offsetSeconds(at: time) }
            }
        }
        #expect(zones > 100)
    }
}
