// SPDX-License-Identifier: Apache-2.0

import Proximity
import Reader
import Testing
import Timekeeping

@Suite struct AccessLinkStateTests {
    let start = Instant.origin
    func at(_ milliseconds: Int) -> Instant { start + .milliseconds(milliseconds) }

    func verifying(idle: Int = 3000) -> AccessLinkState {
        let gate = ProximityGate(configuration: .init(), connectionInterval: .milliseconds(25), at: start)
        return AccessLinkState(gate: gate, idle: at(idle))
    }

    @Test func aLinkWithoutAGateIsServedAtOnce() {
        var state = AccessLinkState(gate: nil, idle: at(3000))
        #expect(state.isServed == true)
        #expect(state.nextDeadline == at(3000))
        #expect(state.advance(to: at(2999)) == .wait)
        #expect(state.receive(.rssi(dBm: -100), at: at(30)) == .wait)
        #expect(state.advance(to: at(3000)) == .refuse(.idle))
        #expect(state.isClosing == true)
        #expect(state.isServed == false)
        #expect(state.nextDeadline == nil)
    }

    @Test func nearReadingsOpenAndFarOnesRefuse() {
        var near = verifying()
        #expect(near.isServed == false)
        #expect(near.advance(to: at(25)) == .sample)
        #expect(near.receive(.rssi(dBm: -45), at: at(30)) == .wait)
        #expect(near.receive(.rssi(dBm: -45), at: at(30)) == .wait)
        #expect(near.receive(.rssi(dBm: -44), at: at(30)) == .open(median: -45))
        #expect(near.isServed == true)

        var far = verifying()
        for _ in 0..<2 { #expect(far.receive(.rssi(dBm: -85), at: at(30)) == .wait) }
        #expect(far.receive(.rssi(dBm: -85), at: at(30)) == .refuse(.wellUnder(last: -85)))
        #expect(far.isClosing == true)
    }

    /// With a limit of the path loss: a strong phone of too much loss, and one that tells no power.
    @Test(arguments: [(20, .pathLoss(median: 65)), (nil, .powerUnknown)] as [(Int8?, Refusal)])
    func pathLossRefusesAtTheEndOfTheWindow(_ power: Int8?, _ refusal: Refusal) {
        var configuration = ProximityGate.Configuration()
        configuration.maximumPathLoss = 64
        let gate = ProximityGate(configuration: configuration, connectionInterval: .milliseconds(25), at: start)
        var state = AccessLinkState(gate: gate, idle: at(3000))
        for _ in 0..<9 { #expect(state.receive(.rssi(dBm: -45, transmitPower: power), at: at(30)) == .wait) }
        #expect(state.advance(to: at(400)) == .refuse(refusal))
        #expect(state.isClosing == true)
    }

    @Test func silenceOfTheControllerNeverOpens() {
        var state = verifying()
        var refused: Int?
        for millisecond in 0...500 where refused == nil {
            if case .refuse(let why) = state.advance(to: at(millisecond)) {
                #expect(why == .tooFar(median: nil))
                refused = millisecond
            }
        }
        #expect(refused == 400)
    }

    @Test func onlyACompletedExchangeRenewsTheDeadline() {
        var state = AccessLinkState(gate: nil, idle: at(3000))
        #expect(state.advance(to: at(2999)) == .wait)
        #expect(state.nextDeadline == at(3000))
        state.renew(idle: at(5500))
        #expect(state.isServed == true)
        #expect(state.nextDeadline == at(5500))
        #expect(state.advance(to: at(5499)) == .wait)
        #expect(state.advance(to: at(5500)) == .refuse(.idle))

        var gated = verifying()
        gated.renew(idle: at(5500))
        #expect(gated.isServed == false)
        #expect(gated.advance(to: at(400)) == .refuse(.tooFar(median: nil)))
    }

    @Test func theIdleDeadlineHoldsWhileVerifyingToo() {
        var state = verifying(idle: 100)
        #expect(state.advance(to: at(100)) == .refuse(.idle))
    }

    @Test func nothingRevivesAClosingLink() {
        var state = verifying()
        state.close()
        for _ in 0..<5 { #expect(state.receive(.rssi(dBm: -30), at: at(30)) == .wait) }
        state.renew(idle: at(9000))
        state.connectionIntervalChanged(to: .milliseconds(100))
        #expect(state.advance(to: at(10_000)) == .wait)
        #expect(state.isClosing == true)
        #expect(state.isServed == false)
    }

    @Test func aChangedConnectionIntervalChangesThePace() {
        var state = verifying()
        state.connectionIntervalChanged(to: .milliseconds(100))
        #expect(state.advance(to: at(25)) == .sample)
        #expect(state.advance(to: at(124)) == .wait)
        #expect(state.advance(to: at(125)) == .sample)
    }
}

/// A link that a site survey measures.
@Suite struct SurveyedLinkTests {
    let start = Instant.origin
    func at(_ milliseconds: Int) -> Instant { start + .milliseconds(milliseconds) }

    @Test func noReadingAndNoExchangeOpensIt() {
        var state = AccessLinkState.surveyed(idle: at(3000))
        #expect(state.isServed == false)
        #expect(state.isVerifying == false)
        #expect(state.isClosing == false)
        for millisecond in stride(from: 0, to: 3000, by: 25) {
            #expect(state.receive(.rssi(dBm: -1), at: at(millisecond)) == .wait)
            #expect(state.advance(to: at(millisecond)) == .wait)
        }
        state.renew(idle: at(9000))
        #expect(state.nextDeadline == at(3000))
        #expect(state.advance(to: at(3000)) == .refuse(.surveyed))
        #expect(state.isClosing == true)
    }

    /// The phone could have been served, but for the survey: it is no reason to keep its address waiting.
    @Test func itDoesNotCountAgainstThePhone() {
        #expect(!Refusal.surveyed.countsAgainstAddress && Refusal.surveyed.name == "surveyed")
    }
}
