import NFCTarget
import Testing

@testable import readerd

/// What is told of a chip, and how often. The chip itself is tried in `Tests/Interop`.
@Suite struct ContactlessDeskTests {
    private let desk: ContactlessDesk

    init() throws {
        desk = try ContactlessDesk(connection: "pn532_uart:/dev/no-such-port")
    }

    @Test func aFailureIsToldOnceUntilTheChipIsBack() {
        #expect(desk.state == .opening && desk.state.name == "opening")
        #expect(desk.take(.failed("gone")) == .failed("gone"))
        #expect(desk.take(.failed("still gone")) == nil)
        #expect(desk.state == .failed("still gone") && desk.state.name == "failed")
        #expect(desk.take(.opened("chip")) == .ready("chip", isBack: true))
        #expect(desk.state == .ready("chip") && desk.state.name == "ready")
        #expect(desk.take(.failed("gone again")) == .failed("gone again"))
    }

    @Test func aChipThatWorksFromTheBeginningIsNotBack() {
        #expect(desk.take(.opened("chip")) == .ready("chip", isBack: false))
    }

    @Test func phonesAreNoState() {
        for event in [FrontEndEvent.activated, .command([0], number: 1), .released] {
            #expect(desk.take(event) == nil)
        }
        #expect(desk.state == .opening)
    }

    /// Nothing is asked of the device while no command waits.
    @Test func onlyACommandThatWaitsIsAnswered() {
        func response() -> [UInt8] {
            Issue.record("nothing waits")
            return []
        }
        desk.respond(response())
        desk.awaitResponse(to: 1)
        desk.respond([])
        desk.respond([0x90, 0x00])
        desk.respond(response())
        desk.awaitResponse(to: 2)
        desk.awaitResponse(to: nil)
        desk.respond(response())
    }
}
