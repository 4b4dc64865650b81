// SPDX-License-Identifier: Apache-2.0

import Credentials
import Glibc
import Testing
import Timekeeping

@testable import Reader

/// Door, opening, policy, clock and links, run through every sequence of their inputs.
@Suite(.serialized) struct ExplorationTests {
    /// The time limit of a usual run, which its depth bounds: a minute on a quiet machine, and 13 minutes were not
    /// enough at load 20.
    private static let usualLimit = Duration.seconds(1500)

    /// `READERD_EXPLORE_SECONDS`, which `script/explore` sets: as deep as this time allows, in all scopes together.
    private var seconds: Int? { getenv("READERD_EXPLORE_SECONDS").flatMap { Int(String(cString: $0)) } }

    @Test func everySequenceKeepsThePromises() async throws {
        let wallet = try Wallet()
        let end = ContinuousClock.now + (seconds.map { .seconds($0) } ?? ExplorationTests.usualLimit)
        for (index, scope) in Scope.all.enumerated() {
            let began = ContinuousClock.now
            // A scope that is done leaves its time to the others.
            let limit = seconds == nil ? end - began : (end - began) / (Scope.all.count - index)
            let report = try await Explorer(scope: scope, wallet: wallet).explore(
                depth: seconds == nil ? scope.usualDepth : RecordBudget.unproven.size - 1, until: began + limit)
            let milliseconds = max((ContinuousClock.now - began).wholeMilliseconds, 1)
            print(
                "explored \(scope.name): \(report); \(milliseconds) ms, \(report.transitions * 1000 / Int(milliseconds)) a second"
            )
            #expect(report.violation == nil, "\(report)")
            #expect(report.states >= scope.usualStates && report.depth >= scope.usualDepth || report.isComplete)
            #expect(report.grants > 0, "nobody was let in, so that nothing was tried")
        }
    }

    /// Each of these opens by itself once its record is stored, so that none is explored in vain.
    @Test func everyKindOpensByItself() throws {
        let wallet = try Wallet()
        let phones: [Input] = [.show(.open, 0), .show(.offline, 0), .tap(.open), .tap(.offline)]
        let links = Badge.opening.filter { $0.kind == .pkoc }.map { Input.link($0) }
        for input in phones + links + Badge.opening.map({ .present($0) }) {
            let world = try World(.everything, wallet)
            try world.apply(input)
            #expect(!world.isFree, "\(input)")
            try world.apply(.allStored)
            #expect(world.isFree, "\(input)")
        }
    }

    /// The scope of the search for each flaw, the promise that it breaks, and its greatest depth.
    static let flaws: [(Flaw, Scope, Promise, depth: Int)] = [
        (.unrecordedOpens, .door, .causeIsRecorded, 2),
        (.contactMovesLock, .door, .currentHasCause, 1),
        (.clockRunsLate, .clock, .onlyWhoMay, 1),
        (.clockInvented, .clock, .onlyWhoMay, 3),
        (.revocationForgotten, .restart, .onlyWhoMay, 5),
        (.policyPresumed, .policy, .onlyWhoMay, 2),
        (.answerLost, .links, .answeredOnce, 2),
        (.answerTwice, .links, .answeredOnce, 2),
        (.slotKept, .links, .slotReturned, 1),
        (.relaySticks, .door, .securedInTime, 2),
        (.grantForgotten, .door, .answeredOnce, 1),
        (.proofPresumed, .cards(.pkoc), .onlyWhoMay, 1),
        (.cardServedAgain, .presence, .oncePerPresence, 6),
        (.listForgotten, .cards(.pkoc), .onlyWhoMay, 2),
        (.revocationWaits, .revocation, .currentHasCause, 3),
        (.panelIgnored, .cards(.pkoc), .currentHasCause, 3),
        (.fireIgnored, .cards(.desfire), .fireReleases, 1),
    ]

    /// Each way to revoke refuses each credential that it concerns, also while the grant waits for its record, and
    /// leaves the others.
    @Test func everyRevocationEndsAGrantThatWaits() throws {
        let wallet = try Wallet()
        let tokens: [Input] = [.show(.open, 0), .show(.offline, 0), .tap(.open)]
        let listed = Badge.opening.filter { $0.nature == .listed && $0.kind != .phone }.map { Input.present($0) }
        let documented = [Input.present(Badge(kind: .aliro, nature: .documented))]
        let ways: [(revocation: Input, holders: [Input], others: [Input])] = [
            (.revoke, tokens + listed, documented), (.list(false), listed, tokens + documented),
            (.issuerRevokes, documented, tokens + listed), (.issuer(false), documented, tokens + listed),
        ]
        for (revocation, holders, others) in ways {
            for input in holders + others {
                let world = try World(.everything, wallet)
                #expect(throws: Never.self, "\(input), then \(revocation)") {
                    for step in [input, revocation, .allStored] { try world.apply(step) }
                }
                #expect(world.isFree == others.contains(input), "\(input), then \(revocation)")
            }
        }
    }

    @Test func everyPlantedFlawIsFound() async throws {
        #expect(Set(ExplorationTests.flaws.map(\.0)) == Set(Flaw.allCases))
        let wallet = try Wallet()
        for (flaw, scope, promise, depth) in ExplorationTests.flaws {
            let report = try await Explorer(scope: scope, wallet: wallet, flaw: flaw).explore(
                depth: depth, until: .now + ExplorationTests.usualLimit)
            print("planted \(flaw.rawValue): \(report)")
            #expect(report.violation?.violation.promise == promise, "\(flaw.rawValue): \(report)")
        }
    }
}
