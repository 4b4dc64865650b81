import Reader
import Testing
import Timekeeping

@testable import readerd

@Suite struct OpeningLatencyTests {
    private func at(_ milliseconds: Int) -> Instant { .origin + .milliseconds(milliseconds) }

    @Test func fromThePacketToTheLine() {
        var latency = OpeningLatency()
        latency.packetCame(at: at(10))
        latency.requested(.phone(1))
        // The disk takes its time, and other packets come meanwhile.
        latency.settled()
        latency.packetCame(at: at(20))
        latency.decided(.phone(1), isGranted: true)
        #expect(latency.lockMoved(at: at(25)) == .milliseconds(15))
        #expect(latency.lockMoved(at: at(26)) == nil)
    }

    @Test func whatMovesNoLineIsNotMeasured() {
        var latency = OpeningLatency()
        // Nobody asked by packet.
        latency.requested(.phone(7))
        latency.decided(.phone(7), isGranted: true)
        #expect(latency.lockMoved(at: at(1)) == nil)
        latency.packetCame(at: at(10))
        latency.requested(.phone(1))
        latency.decided(.phone(1), isGranted: false)
        #expect(latency.lockMoved(at: at(11)) == nil)
        latency.requested(.phone(2))
        latency.decided(.phone(2), isGranted: true)
        // The door was unlocked already; the line moves later, when it is secured.
        latency.settled()
        #expect(latency.lockMoved(at: at(5000)) == nil)
    }
}
