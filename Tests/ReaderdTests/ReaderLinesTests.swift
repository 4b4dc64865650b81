import GPIO
import Reader
import Testing
import Timekeeping

@testable import readerd

@Suite struct ReaderLinesTests {
    @Test func outputsWithoutALineAreSimulated() throws {
        var lines = try ReaderLines(ReaderSettings())
        try lines.apply(.setLock(energised: true), at: Instant(nanoseconds: 5))
        try lines.apply(.setLock(energised: false), at: Instant(nanoseconds: 9))
        let edges = lines.record.edges
        #expect(
            edges == [
                SimulatedLines.Edge(Instant(nanoseconds: 5), .lock, true),
                SimulatedLines.Edge(Instant(nanoseconds: 9), .lock, false),
            ])
    }

    @Test func aLineThatIsNotThereIsSaidWithItsKey() {
        var settings = ReaderSettings()
        settings.gpio.buzzer = "gpiochip4294967295:0"
        do throws(ReaderdError) {
            _ = try ReaderLines(settings)
            Issue.record("a line of a chip that is not there was opened")
        } catch {
            #expect(
                error
                    == .failed(
                        "gpio.buzzer: GPIO line gpiochip4294967295:0: there is no such chip; "
                            + "list the chips with: gpiodetect"))
        }
    }
}
