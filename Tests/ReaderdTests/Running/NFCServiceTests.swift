// SPDX-License-Identifier: Apache-2.0

import CardPolling
import NFC
import Testing

@testable import readerd

/// Reports about a chip, and their number. The chip itself is tried in `Tests/Interop`.
@Suite struct NFCServiceTests {
    private let service: NFCService

    init() throws {
        service = try NFCService(connection: "pn532_uart:/dev/no-such-port")
    }

    @Test func aFailureIsToldOnceUntilTheChipIsBack() {
        #expect(service.state == .opening && service.state.name == "opening")
        #expect(service.receive(.failed("gone")) == .failed("gone"))
        #expect(service.receive(.failed("still gone")) == nil)
        #expect(service.state == .failed("still gone") && service.state.name == "failed")
        #expect(service.receive(.opened("chip")) == .ready("chip", isBack: true))
        #expect(service.state == .ready("chip") && service.state.name == "ready")
        #expect(service.receive(.failed("gone again")) == .failed("gone again"))
    }

    @Test func aChipThatWorksFromTheBeginningIsNotBack() {
        #expect(service.receive(.opened("chip")) == .ready("chip", isBack: false))
    }

    @Test func phonesAreNoState() {
        for event in [NFCFrontEndEvent.activated, .command([0], number: 1), .released] {
            #expect(service.receive(event) == nil)
        }
        #expect(service.state == .opening)
    }

    /// Nothing is asked of the device while no command waits.
    @Test func onlyACommandThatWaitsIsAnswered() {
        func response() -> [UInt8] {
            Issue.record("nothing waits")
            return []
        }
        service.respond(response())
        service.awaitResponse(to: 1)
        service.respond([])
        service.respond([0x90, 0x00])
        service.respond(response())
        service.awaitResponse(to: 2)
        service.awaitResponse(to: nil)
        service.respond(response())
    }
}
