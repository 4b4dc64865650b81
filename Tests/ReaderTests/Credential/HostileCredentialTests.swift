import TestSupport
import AccessProtocol
import Protobuf
import Reader
import Testing
import Timekeeping

/// Files that nobody has made with care. Their signatures are good here: a backend can err, and a key can leak.
@Suite struct HostileCredentialTests {
    private let policy = CredentialPolicy(groups: [DoorGroup(id: 7)])
    private let noon = LocalClock.certain(wednesday(12, 0))

    private func decide(_ files: CredentialFiles) throws -> CredentialDecision {
        var blacklist = Blacklist(capacity: 16)
        return policy.decide(try files.message(), clock: noon, door: .secured, blacklist: &blacklist)
    }

    @Test("each file cut at every length: it opens with all of the first two and of the extensions, and with no less")
    func truncated() throws {
        let whole = CredentialFiles()
        let files: [(WritableKeyPath<CredentialFiles, [UInt8]>, matters: Bool)] = [
            (\.info, true), (\.data, true), (\.extensions, true), (\.blacklist, false),
        ]
        for (file, matters) in files {
            for length in 0..<whole[keyPath: file].count {
                var cut = whole
                cut[keyPath: file] = Array(whole[keyPath: file][..<length])
                #expect(try decide(cut).isGranted == !matters, "\(file), \(length)")
            }
        }
    }

    /// What is signed is the four files joined. A phone must gain nothing from cutting them elsewhere.
    @Test("the signed octets cut into files at every other place: the same decision, or no door")
    func movedBoundaries() throws {
        var (plain, empty, padded) = (CredentialFiles(), CredentialFiles(), CredentialFiles())
        (plain.data[11], plain.extensions) = (0, [])
        (empty.data[11], empty.extensions, empty.blacklist) = (0, [], [0])
        padded.blacklist += [UInt8](repeating: 0, count: 16)
        for whole in [CredentialFiles(), plain, empty, padded] {
            let original = try decide(whole)
            #expect(original.isGranted)
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
                        if decision.isGranted, decision != original { Issue.record("\(first), \(second), \(third)") }
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
                #expect(file != \.blacklist || decision.isGranted)
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
