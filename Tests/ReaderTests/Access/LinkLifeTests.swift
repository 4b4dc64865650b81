import Reader
import Testing
import Timekeeping

@Suite struct LinkLifeTests {
    let start = Instant.origin
    func at(_ milliseconds: Int) -> Instant { start + .milliseconds(milliseconds) }

    func verifying(idle: Int = 3000) -> LinkLife {
        let gate = ProximityGate(configuration: .init(), connectionInterval: .milliseconds(25), at: start)
        return LinkLife(gate: gate, idle: at(idle))
    }

    @Test func aLinkWithoutAGateIsServedAtOnce() {
        var life = LinkLife(gate: nil, idle: at(3000))
        #expect(life.isServed == true)
        #expect(life.nextDeadline == at(3000))
        #expect(life.advance(to: at(2999)) == .wait)
        #expect(life.receive(.rssi(dBm: -100), at: at(30)) == .wait)
        #expect(life.advance(to: at(3000)) == .refuse(.idle))
        #expect(life.isClosing == true)
        #expect(life.isServed == false)
        #expect(life.nextDeadline == nil)
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

    @Test func silenceOfTheControllerNeverOpens() {
        var life = verifying()
        var refused: Int?
        for millisecond in 0...500 where refused == nil {
            if case .refuse(let why) = life.advance(to: at(millisecond)) {
                #expect(why == .tooFar(median: nil))
                refused = millisecond
            }
        }
        #expect(refused == 400)
    }

    @Test func onlyACompletedExchangeRenewsTheDeadline() {
        var life = LinkLife(gate: nil, idle: at(3000))
        life.exchangeBegan()
        life.answerLeft(nextIdle: nil)
        #expect(life.nextDeadline == at(3000))
        life.exchangeBegan()
        #expect(life.isServed == true)
        #expect(life.nextDeadline == at(3000))
        life.answerLeft(nextIdle: at(5500))
        #expect(life.nextDeadline == at(5500))
        life.exchangeBegan()
        #expect(life.advance(to: at(5500)) == .refuse(.idle))
    }

    @Test func theIdleDeadlineHoldsWhileVerifyingToo() {
        var life = verifying(idle: 100)
        #expect(life.advance(to: at(100)) == .refuse(.idle))
    }

    @Test func nothingRevivesAClosingLink() {
        var life = verifying()
        life.close()
        for _ in 0..<5 { #expect(life.receive(.rssi(dBm: -30), at: at(30)) == .wait) }
        life.exchangeBegan()
        life.answerLeft(nextIdle: at(9000))
        life.connectionIntervalChanged(to: .milliseconds(100))
        #expect(life.advance(to: at(10_000)) == .wait)
        #expect(life.isClosing == true)
        #expect(life.isServed == false)
    }

    @Test func aChangedConnectionIntervalChangesThePace() {
        var life = verifying()
        life.connectionIntervalChanged(to: .milliseconds(100))
        #expect(life.advance(to: at(25)) == .sample)
        #expect(life.advance(to: at(124)) == .wait)
        #expect(life.advance(to: at(125)) == .sample)
    }
}
