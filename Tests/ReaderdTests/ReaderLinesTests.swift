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

    @Test(arguments: DoorInput.allCases) func anInputThatIsNotThereIsSaidWithItsKey(input: DoorInput) {
        var settings = ReaderSettings()
        let line = "gpiochip4294967295:0"
        switch input {
        case .contact: settings.gpio.contact = line
        case .exit: settings.gpio.requestToExit = line
        case .fire: settings.gpio.fire = line
        case .tamper: settings.gpio.tamper = line
        }
        do throws(ReaderdError) {
            _ = try InputLines(settings)
            Issue.record("a line of a chip that is not there was opened")
        } catch {
            #expect(
                error
                    == .failed(
                        "gpio.\(input.rawValue): GPIO line \(line): there is no such chip; "
                            + "list the chips with: gpiodetect"))
        }
    }

    @Test func withoutInputsThereIsNothingToWatch() throws {
        #expect(throws: Never.self) { _ = try InputLines(ReaderSettings()) }
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
