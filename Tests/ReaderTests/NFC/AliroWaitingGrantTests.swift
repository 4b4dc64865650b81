// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Contactless
import TestSupport
import Testing
import Timekeeping

@testable import Credentials
@testable import Reader
@testable import ReaderTestSupport

/// Aliro's grants that wait for their record: phones of the list, of the store, and with a document of that touch.
@Suite struct AliroWaitingGrantTests {
    enum Proof: CaseIterable { case listed, stored, shown }
    enum Change: CaseIterable {
        case none, blacklist, list, unreadableList, issuer, anchor, user, reader, end, clock, listedMeanwhile
    }

    private static func audited(_ configuration: inout AccessConfiguration) { configuration.isAudited = true }

    /// The outcome of a change; the door opens only by a grant.
    private static func outcome(_ proof: Proof, _ change: Change) -> CredentialDecision.Outcome {
        let granted = CredentialDecision.Outcome.granted(.defaultTime)
        return switch change {
        case .none: granted
        case .blacklist, .issuer: .denied(.blacklisted)
        case .list: proof == .listed ? .denied(.notListed) : granted
        case .unreadableList, .reader: .failed(.unavailable)
        case .anchor: proof == .listed ? granted : .denied(.notListed)
        // A phone that shows its document is let in again.
        case .user: proof == .stored ? .denied(.notListed) : granted
        case .end: proof == .listed ? granted : .denied(.validity)
        case .clock: .denied(proof == .listed ? .clockUnset : .validity)
        case .listedMeanwhile: proof == .listed ? granted : .denied(.notListed)
        }
    }

    private static func decide(_ bench: inout AliroBench) throws {
        let waiting = try #require(bench.bench.reader.openRequests.first)
        bench.bench.reader.decideOpening(waiting.token, .ok, port: &bench.bench.port, at: bench.bench.moment)
    }

    /// As Matter changes its keys.
    private static func trust(_ bench: inout AliroBench, _ anchors: [AliroAnchor], keeping granted: Set<[UInt8]>?) {
        bench.bench.reader.endAliroTransactions()
        var door = bench.bench.reader.aliro
        bench.bench.reader.aliro = nil
        _ = door?.trust(anchors, keeping: granted)
        bench.bench.reader.aliro = door
    }

    private static func apply(_ change: Change, _ phone: AliroPhone, _ bench: inout AliroBench) throws {
        let name = try #require(OSSCredentialID(unlisted: phone.point))
        let anchors = bench.store?.anchors ?? []
        switch change {
        case .none: break
        case .blacklist:
            for id in [name, credentialID("PHONE00001")] {
                bench.bench.reader.blacklist.insert(Blacklist.Entry(credentialID: id, expiresAt: nil), at: nil)
            }
        case .list: bench.bench.reader.cardList = CardList()
        case .unreadableList: bench.bench.reader.cardList = nil
        case .issuer: bench.bench.reader.apply([try AliroReaderTests.revocation(bench, of: phone)])
        case .anchor: trust(&bench, [], keeping: nil)
        case .user: trust(&bench, anchors, keeping: [])
        case .reader: bench.bench.reader.aliro = nil
        case .end: bench.bench.epochSeconds = 1_795_262_400 + 86_400
        case .clock: bench.bench.epochSeconds = nil
        case .listedMeanwhile:
            bench.leave()
            bench.bench.reader.cardList = CardList([AliroBench.listed(phone)])
            bench.bench.reader.followPolicy()
        }
    }

    @Test(arguments: Proof.allCases, Change.allCases) func change(proof: Proof, change: Change) throws {
        var phone = try AliroBench.phone()
        var bench = try AliroBench(proof == .listed ? [AliroBench.listed(phone)] : [], Self.audited)
        if proof != .listed {
            try bench.issue(to: &phone) {
                $0.validUntil = "2026-11-21T13:00:00Z"
                $0.needsTime = true
            }
        }
        if proof == .stored {
            _ = try bench.touch(&phone)
            try Self.decide(&bench)
            _ = try bench.goOn(&phone)
            #expect(bench.store?.credentials.map(\.isEvictable) == [true])
            bench.leave()
        }
        _ = bench.takeEffects()
        #expect(try bench.touch(&phone) == nil)
        try Self.apply(change, phone, &bench)
        _ = bench.takeEffects()
        try Self.decide(&bench)
        let effects = bench.takeEffects()
        let expected = Self.outcome(proof, change)
        #expect(effects.outcomes == [expected])
        #expect(effects.opensLock == (expected == .granted(.defaultTime)))
        #expect(effects.records.contains { $0.kind == .withdrawn } != effects.opensLock)
    }
}
