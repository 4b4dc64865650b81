// SPDX-License-Identifier: Apache-2.0

import TestSupport
import AccessProtocol
import Protobuf
import Reader
import Testing
import Timekeeping

@testable import ReaderTestSupport

/// Files that nobody has made with care. Their signatures are good here: a backend can err, and a key can leak.
@Suite struct HostileCredentialTests {
    private let policy = CredentialPolicy(groups: [DoorGroup(id: 7)], takesInterventionMedia: true)
    private let noon = LocalClock.certain(wednesday(12, 0))

    private func decide(_ files: CredentialFiles) throws -> CredentialDecision {
        var blacklist = Blacklist(capacity: 16)
        return policy.decide(try files.message(), clock: noon, door: .secured, blacklist: &blacklist)
    }

    @Test("each file cut at every length: it opens with all of each, or without any blacklist, and with no less")
    func truncated() throws {
        let whole = CredentialFiles()
        let files: [WritableKeyPath<CredentialFiles, [UInt8]>] = [\.info, \.data, \.extensions, \.blacklist]
        for file in files {
            for length in 0..<whole[keyPath: file].count {
                var cut = whole
                cut[keyPath: file] = Array(whole[keyPath: file][..<length])
                #expect(try decide(cut).isGranted == (file == \.blacklist && length == 0), "\(file), \(length)")
            }
        }
    }

    /// Credentials, and whether they open as they were signed. Where octets at the end of one file could be the next
    /// file's: a time of 00:02, zeros that fill a file up, and the header `0002` of an extension file that the data
    /// file does not announce.
    private var wholes: [(name: String, files: CredentialFiles, opens: Bool)] {
        let carried = CredentialFiles().blacklist
        let untilTwoPastMidnight = Array(carried.dropLast(2)) + [0, 2]
        func unannounced(_ blacklist: [UInt8], _ extensions: [UInt8], type: UInt8 = 0) -> CredentialFiles {
            var files = CredentialFiles()
            (files.info[2], files.data[11], files.blacklist, files.extensions) = (type, 0, blacklist, extensions)
            return files
        }
        var (padded, filled, begun, future) =
            (CredentialFiles(), CredentialFiles(), CredentialFiles(), CredentialFiles())
        padded.blacklist += [UInt8](repeating: 0, count: 16)
        (filled.blacklist, filled.extensions) = (untilTwoPastMidnight, filled.extensions + [0, 0, 0, 0])
        begun.extensions = octets("000a 01 06 202301010002")
        future.extensions = octets("000a 01 06 202701010002")
        var (elsewhere, ended) = (unannounced([0], [0, 2], type: 1), unannounced([0], [0, 2], type: 1))
        elsewhere.data[7] = 2
        ended.set(end: "202406051159", doors: [])
        ended.data[11] = 0
        return [
            ("announced", CredentialFiles(), true), ("announced, padded blacklist", padded, true),
            ("announced, padded extensions", filled, true), ("begun at 00:02", begun, true),
            ("begins at 00:02", future, false), ("without extensions", unannounced(carried, []), true),
            ("without both", unannounced([0], []), true), ("without both files", unannounced([], []), true),
            ("0002", unannounced(carried, [0, 2]), true), ("0002, no entry", unannounced([0], [0, 2]), true),
            ("0002, no blacklist file", unannounced([], [0, 2]), true),
            ("0002, padded blacklist", unannounced(padded.blacklist, [0, 2]), true),
            ("blacklist until 00:02", unannounced(untilTwoPastMidnight, []), true),
            ("blacklist until 00:02, 0002", unannounced(untilTwoPastMidnight, [0, 2]), true),
            ("intervention", unannounced(carried, [0, 2], type: 1), true),
            ("intervention of another site", elsewhere, false), ("intervention that has ended", ended, false),
        ]
    }

    /// The signature covers the four files joined. A phone must gain nothing from cutting them elsewhere.
    @Test("the signed octets cut into files at every other place: the same decision, or no door")
    func movedBoundaries() throws {
        for (name, whole, opens) in wholes {
            let original = try decide(whole)
            #expect(original.isGranted == opens, "\(name)")
            let signed = whole.info + whole.data + whole.blacklist + whole.extensions
            for first in 0...32 {
                // An info file of another size is refused whatever follows: there a few cuts do.
                let step = first == 15 || first == 32 ? 1 : 9
                for second in stride(from: first, through: min(first + 291, signed.count), by: step) {
                    for third in second...min(second + 257, signed.count) where signed.count - third <= 32 {
                        var files = whole
                        files.info = Array(signed[..<first])
                        files.data = Array(signed[first..<second])
                        files.blacklist = Array(signed[second..<third])
                        files.extensions = Array(signed[third...])
                        let decision = try decide(files)
                        if decision.isGranted, decision != original {
                            Issue.record("\(name): \(first), \(second), \(third)")
                        }
                    }
                }
            }
        }
    }

    @Test("every single bit turned: never anything but a decision, and the door's own only from a door's entry")
    func bitFlips() throws {
        let whole = CredentialFiles()
        var outcomes: Set<CredentialDecision.Outcome> = []
        let files: [WritableKeyPath<CredentialFiles, [UInt8]>] = [\.info, \.data, \.extensions, \.blacklist]
        for file in files {
            for bit in 0..<whole[keyPath: file].count * 8 {
                var flipped = whole
                flipped[keyPath: file][bit / 8] ^= 1 << UInt8(bit % 8)
                let decision = try decide(flipped)
                outcomes.insert(decision.outcome)
                // The blacklist's first octet is its count, and says how long the file is.
                #expect(file != \.blacklist || bit < 8 || decision.isGranted)
            }
        }
        let seen: [CredentialDecision.Outcome] = [
            .granted(.defaultTime), .granted(.extendedTime), .granted(.toggle(secures: false)), .denied(.otherSite),
            .denied(.validity), .denied(.otherDoor), .failed(.standardOfflineMajorVersion),
            .failed(.standardOfflineCredentialType), .failed(.credentialID), .failed(.standardOfflineTimestamp),
            .failed(.standardOfflineSite), .failed(.endOfFile), .failed(.standardOfflinePeriod),
            .denied(.schedule),
        ]
        for outcome in seen { #expect(outcomes.contains(outcome), "\(outcome)") }
    }

    @Test("100,000 random changes and random files: decided, each of them, the same way twice")
    func random() throws {
        var random = SplitMix64(seed: 2026)
        var granted = 0
        var failed: Set<Int16> = []
        for round in 0..<100_000 {
            var files = CredentialFiles()
            if round % 4 == 0 {
                files.info = random.octets(Int.random(in: 0...32, using: &random))
                files.data = random.octets(Int.random(in: 0...291, using: &random))
                files.blacklist = random.octets(Int.random(in: 0...257, using: &random))
                files.extensions = random.octets(Int.random(in: 0...32, using: &random))
            } else {
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    let at = Int.random(in: 0..<files.data.count, using: &random)
                    files.data[at] = UInt8(truncatingIfNeeded: random.next())
                }
                if round % 4 == 1 {
                    files.info[Int.random(in: 0..<15, using: &random)] = UInt8(truncatingIfNeeded: random.next())
                }
                if round % 4 == 2 {
                    files.extensions[Int.random(in: 0..<10, using: &random)] = UInt8(truncatingIfNeeded: random.next())
                }
            }
            let decision = try decide(files)
            if round % 16 == 0 { #expect(try decision == decide(files)) }
            if decision.isGranted { granted += 1 }
            if decision.status != .ok { failed.insert(decision.status.rawValue) }
        }
        #expect(granted > 1000)
        #expect(failed.isSuperset(of: [-6, -32, -200, -230, -231, -233, -234, -235, -237]))
    }

    @Test("100,000 random messages, at the entry that takes octets")
    func messages() throws {
        var random = SplitMix64(seed: 7)
        var whole: [UInt8] = []
        try CredentialFiles().message().encode(into: &whole)
        var decided = 0
        for round in 0..<100_000 {
            var octets = round % 3 == 0 ? random.octets(Int.random(in: 0...80, using: &random)) : whole
            if round % 3 == 1 { octets.removeLast(Int.random(in: 0..<octets.count, using: &random)) }
            if round % 3 == 2 {
                octets[Int.random(in: 0..<octets.count, using: &random)] ^= UInt8(truncatingIfNeeded: random.next())
            }
            var blacklist = Blacklist(capacity: 16)
            do throws(StatusCode) {
                _ = try policy.decide(unverified: octets.span, clock: noon, door: .secured, blacklist: &blacklist)
                decided += 1
            } catch {
                if error != .decode { Issue.record("\(error)") }
            }
        }
        #expect(decided > 10_000)
    }
}
