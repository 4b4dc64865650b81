// SPDX-License-Identifier: Apache-2.0

import Glibc
import Reader
import Testing
import Timekeeping

@testable import EventStore

/// Whatever is done to the policy's files: a credential that was called back stays so, or nobody is let in.
@Suite struct PolicyStoreTests {
    private func bench() throws -> PolicyBench {
        let bench = try PolicyBench()
        try bench.revoke()
        return bench
    }

    @Test func whatWasAcknowledgedIsThere() throws {
        let bench = try bench()
        try bench.expectRevoked(isKnown: true)
        #expect(try bench.octets("policy.a") == bench.octets("policy.b"))
        for name in PolicyBench.names {
            var status = stat()
            try #require(stat("\(bench.directory)/\(name)", &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600)
        }
    }

    // MARK: Damage

    /// One copy is enough, and is put in the other's place.
    @Test(arguments: ["policy.a", "policy.b"]) func theSpareTakesOver(name: String) throws {
        let bench = try bench()
        let sound = try bench.octets(name)
        for place in sound.indices {
            var octets = sound
            octets[place] ^= 1 << UInt8(place % 8)
            try bench.put(octets, name)
            guard case .known(let document, mended: name) = try bench.state() else { throw DiskFault.damaged }
            #expect(document.blacklist == [PolicyBench.revoked])
            #expect(try bench.octets(name) == sound)
        }
    }

    /// Each octet of what stands before the entries, the tag's, and a hundred at random: in both copies, and in the
    /// witness.
    @Test func damageLetsNobodyIn() throws {
        let bench = try bench()
        let sound = try bench.copy()
        var random = SystemRandomNumberGenerator()
        let places = Array(sound[0].indices) + (0..<100).map { _ in Int.random(in: sound[0].indices, using: &random) }
        for place in places {
            for count in [nil, place % sound[2].count] {
                var files = sound
                for copy in 0...1 { files[copy][place] ^= UInt8.random(in: 1...255, using: &random) }
                if let count { files[2][count] ^= 0x80 }
                try bench.put(files)
                #expect(try bench.state() == .refused(.copiesLost))
            }
        }
        for place in sound[2].indices {
            var files = sound
            files[2][place] ^= UInt8.random(in: 1...255, using: &random)
            try bench.put(files)
            #expect(try bench.state() == .refused(.countLost))
        }
    }

    /// The log and its head stand in for a damaged witness, of exactly their generation.
    @Test func aDamagedWitnessHasTwoMore() throws {
        let key = try #require(AuditKey([UInt8](repeating: 7, count: AuditKey.count)))
        let policy = try SealedPolicy(PolicyDocument(generation: 3), key: key)
        let former = try SealedPolicy(PolicyDocument(generation: 2), key: key)
        var changed = PolicyDocument(generation: 2)
        try changed.apply(.setting("a", [1]))
        let other = try SealedPolicy(changed, key: key)
        func verdict(
            _ copies: [SealedPolicy], _ count: FoundPolicy.Count = .damaged, logged: UInt64
        ) -> FoundPolicy.Verdict {
            FoundPolicy(copies: copies.map(FoundPolicy.Copy.sound), count: count).verdict(logged: logged)
        }
        #expect(verdict([policy, former], logged: 3) == .known(policy, isWhole: false))
        #expect(verdict([policy, policy], logged: 2) == .refused(.countLost))
        #expect(verdict([policy, policy], logged: 4) == .refused(.countLost))
        #expect(verdict([policy, policy], .missing, logged: 3) == .refused(.countLost))
        #expect(changed.generation == 3 && verdict([policy, other], logged: 3) == .refused(.countLost))
    }

    @Test func whatIsCutShortOrTooLongLetsNobodyIn() throws {
        let bench = try bench()
        let sound = try bench.copy()
        for length in sound[0].indices {
            let short = Array(sound[0][..<length])
            try bench.put([short, short, sound[2]])
            #expect(try bench.state() == .refused(.copiesLost))
        }
        for length in sound[2].indices {
            try bench.put([sound[0], sound[1], Array(sound[2][..<length])])
            #expect(try bench.state() == .refused(.countLost))
        }
        try bench.put([sound[0] + [0], sound[1] + [0], sound[2]])
        #expect(try bench.state() == .refused(.copiesLost))
        try bench.put([sound[0], sound[1], sound[2] + [0]])
        #expect(try bench.state() == .refused(.countLost))
    }

    /// Each set of the files, with a log that tells of them and without one.
    @Test func whatIsRemovedLetsNobodyIn() throws {
        let bench = try bench()
        let sound = try bench.copy()
        for set in 0..<8 {
            for logged: UInt64 in [0, 2] {
                try bench.put((0..<3).map { set & 1 << $0 == 0 ? sound[$0] : nil })
                try bench.expectRevoked(logged: logged, "\(set)", isKnown: [0, 1, 2].contains(set))
            }
        }
        // A link, a directory and a pipe are no copies.
        try bench.put([nil, nil, sound[2]])
        try #require(symlink("/etc/hostname", "\(bench.directory)/policy.a") == 0)
        try #require(mkfifo("\(bench.directory)/policy.b", 0o600) == 0)
        #expect(try bench.state() == .refused(.copiesLost))
    }

    @Test func anotherDevicesPolicyLetsNobodyIn() throws {
        let bench = try bench()
        let other = try #require(AuditKey([UInt8](repeating: 8, count: 32)))
        var store = PolicyStore(PolicyFiles(directory: bench.directory, key: other))
        #expect(try store.load(logged: 0) == .refused(.copiesLost))
        #expect(throws: DiskFault.damaged) { try store.make(.blacklist(.clear)) }
    }

    // MARK: Older copies

    /// Each file, each two, and all three of an earlier generation, one and several back.
    @Test(arguments: 1...4) func anOlderCopyNeverForgetsARevocation(generations: Int) throws {
        let bench = try PolicyBench()
        try PolicyFiles.markFirstStart(in: bench.directory, signs: [])
        var store = PolicyStore(bench.files())
        _ = try store.load(logged: 0)
        let older = try bench.copy()
        for _ in 1..<generations { try store.make(.setting("n", [1])) }
        try store.make(.blacklist(.put([PolicyBench.revoked])))
        let newest = try bench.copy()
        let generation = UInt64(1 + generations)
        for set in 0..<8 {
            try bench.put((0..<3).map { set & 1 << $0 == 0 ? newest[$0] : older[$0] })
            // An older witness behind the newest copies is what a cut before it is written leaves.
            let isKnown = [0, 1, 2].contains(set) || generations == 1 && [4, 5, 6].contains(set)
            try bench.expectRevoked(logged: generation, "\(set)", isKnown: isKnown)
        }
        // All three together are what they were, and only the log tells.
        try bench.put(older)
        #expect(try bench.state(logged: generation) == .refused(.rolledBack(found: 1, kept: generation)))
        try bench.put(newest)
        try bench.expectRevoked(logged: generation, isKnown: true)
    }

    /// A document that was written, and whose witness never was, does not pass for the one that was kept in its place.
    @Test func theWitnessTellsTwoOfOneGenerationApart() throws {
        let bench = try bench()
        let kept = try bench.copy()
        var cleared: [UInt8] = []
        var store = PolicyStore(
            bench.files { name throws(DiskFault) in
                guard name == "policy.b", cleared.isEmpty else { return }
                cleared = (try? bench.octets(name)) ?? []
                throw .full
            })
        _ = try store.load(logged: 0)
        #expect(throws: DiskFault.full) { try store.make(.blacklist(.clear)) }
        // What failed has been taken back.
        #expect(try bench.copy() == kept)
        try bench.put(kept)
        var sound = PolicyStore(bench.files())
        _ = try sound.load(logged: 0)
        try sound.make(.setting("n", [1]))
        try bench.put([cleared, cleared, try bench.octets("policy.count")])
        #expect(try bench.state() == .refused(.rolledBack(found: 3, kept: 3)))
    }

    /// A log that becomes readable later is asked then.
    @Test func aLogThatComesLaterIsHeard() throws {
        let bench = try bench()
        var store = PolicyStore(bench.files())
        guard case .known = try store.load(logged: 0) else { throw DiskFault.other }
        #expect(try store.load(logged: 3) == .refused(.rolledBack(found: 2, kept: 3)))
        #expect(throws: DiskFault.damaged) { try store.make(.blacklist(.clear)) }
    }

    // MARK: Power cuts and full disks

    /// The power goes behind each file, with a half-written next one beside it: what was acknowledged is there, and the
    /// store can be written again.
    @Test func aCutAtEachStepLosesNothing() throws {
        let bench = try bench()
        var cuts = [try bench.copy()]
        var store = PolicyStore(bench.files { _ in if let files = try? bench.copy() { cuts.append(files) } })
        _ = try store.load(logged: 2)
        let second = BlacklistRow(credential: "REVOKED002", until: PolicyBench.revoked.until)
        try store.make(.blacklist(.put([second])))
        try #require(cuts.count == 4)
        for (step, files) in cuts.enumerated() {
            for junk in [0, 1, 60] {
                try bench.put(files)
                for name in PolicyBench.names { try bench.put([UInt8](repeating: 0x5A, count: junk), name + ".new") }
                var next = PolicyStore(bench.files())
                guard case .known(let document, let mended) = try next.load(logged: 2) else { throw DiskFault.damaged }
                #expect(document.blacklist == (step == 0 ? [PolicyBench.revoked] : [PolicyBench.revoked, second]))
                #expect(mended == [nil, "policy.b, policy.count", "policy.count", nil][step])
                try next.make(.setting("n", [1]))
                try next.make(.setting("n", [2]))
                guard case .known(let last, nil) = try bench.state(logged: 4) else { throw DiskFault.damaged }
                #expect(last.blacklist == document.blacklist && last.settings == ["n": [2]])
            }
        }
    }

    /// A file that may not grow is as good as a full disk: in a process of its own, since the limit is the process's.
    @Test func aFullDiskTakesBackWhatItCannotKeep() throws {
        let bench = try PolicyBench()
        let limit = 2048
        let status = try EventWriter.run([bench.directory, "policy", "1000", "\(limit)"])
        #expect(status.code == 10 + DiskFault.full.rawValue)
        let acknowledged = status.numbers
        #expect(acknowledged > 50 && acknowledged * 19 < limit)
        guard case .known(let document, _) = try bench.state() else { throw DiskFault.damaged }
        // Neither less than was acknowledged, nor what failed.
        #expect(document.entryCount == acknowledged)
    }

    /// A change that failed has not happened, however far it came, and the next ones go on behind it, with the power
    /// cut at each of their steps.
    @Test func aChangeThatFailedIsTakenBack() throws {
        for step in 0..<3 {
            for next in 0..<3 {
                let bench = try bench()
                var fails = step
                var store = PolicyStore(
                    bench.files { _ throws(DiskFault) in
                        fails -= 1
                        if fails == -1 { throw .full }
                    })
                _ = try store.load(logged: 0)
                #expect(throws: DiskFault.full) { try store.make(.blacklist(.clear)) }
                #expect(store.document?.blacklist == [PolicyBench.revoked])
                fails = next
                try? store.make(.setting("n", [1]))
                #expect(store.document?.blacklist == [PolicyBench.revoked])
                // Told that it failed: a start finds what was before, or what was asked for, and never nothing.
                guard case .known = try bench.state() else { throw DiskFault.damaged }
                fails = .max
                try store.make(.setting("n", [2]))
                try bench.expectRevoked(isKnown: true)
                guard case .known(let last, nil) = try bench.state() else { throw DiskFault.damaged }
                #expect(last.settings == ["n": [2]])
            }
        }
    }

    // MARK: The first start

    /// The power goes at each step of a first start, again and again: it is a first start until all is there.
    @Test func aFirstStartThatIsCutIsOneStill() throws {
        let bench = try PolicyBench()
        try PolicyFiles.markFirstStart(in: bench.directory, signs: ["event-log-key"])
        // The key is made behind the marker.
        try bench.put([7], "event-log-key")
        for step in 0..<3 {
            try PolicyFiles.markFirstStart(in: bench.directory, signs: ["event-log-key"])
            var left = step
            var cut = PolicyStore(
                bench.files { _ throws(DiskFault) in
                    guard left > 0 else { throw .inputOutput }
                    left -= 1
                })
            // The last file is complete then, and only the marker is left.
            #expect(throws: DiskFault.inputOutput) { try cut.load(logged: 0) }
        }
        #expect(try bench.state() == .known(PolicyDocument(generation: 1), mended: nil))
        #expect(!bench.files().isFirstStart)
        // From now on it is none any more.
        for name in PolicyBench.names { try bench.put(nil, name) }
        try PolicyFiles.markFirstStart(in: bench.directory, signs: ["event-log-key"])
        #expect(try bench.state() == .refused(.copiesLost))
    }

    /// A marker beside a log that tells of a policy is none.
    @Test func aPlantedMarkerBesideALogIsNone() throws {
        let bench = try bench()
        for name in PolicyBench.names { try bench.put(nil, name) }
        try bench.put([], "policy.first")
        #expect(try bench.state(logged: 2) == .refused(.copiesLost))
    }

    @Test(arguments: ["event-log-key", "events.db", "events.head", "policy.a", "policy.count.new"])
    func anySignOfAnEarlierRunIsOne(name: String) throws {
        let bench = try PolicyBench()
        try bench.put([1], name)
        try PolicyFiles.markFirstStart(in: bench.directory, signs: ["event-log-key"])
        #expect(try bench.state() == .refused(.copiesLost))
    }

    // MARK: The way out

    /// Whatever is left, a policy that was begun holds, above all that was known.
    @Test func anOperatorBeginsAnew() throws {
        let bench = try bench()
        let former = try bench.copy()
        for set in 0..<8 {
            try bench.put((0..<3).map { set & 1 << $0 == 0 ? former[$0] : nil })
            let document = try bench.files().begin(by: "uid 0", at: 0x0102_0304, logged: 41)
            #expect(document.generation == 42 && document.blacklist == [])
            #expect(
                document.settings == [
                    PolicyDocument.begunBy: Array("uid 0".utf8), PolicyDocument.begunAt: [4, 3, 2, 1, 0, 0, 0, 0],
                ])
            #expect(try bench.state(logged: 41) == .known(document, mended: nil))
            // And what was before it does not come back.
            try bench.put(former)
            #expect(try bench.state(logged: 42) == .refused(.rolledBack(found: 2, kept: 42)))
        }
        try bench.put(former)
        #expect(try bench.files().begin(by: "uid 0", at: 0, logged: 0).generation == 3)
    }
}
