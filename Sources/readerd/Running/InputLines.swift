// SPDX-License-Identifier: Apache-2.0

import Configuration
import GPIO
import Reader
import System

/// The lines of the door's inputs. Their events are passed to the door's owner.
struct InputLines {
    private let entries: [(input: DoorInput, line: WatchedLine)]

    /// Opens the configured lines, if they are available.
    init(_ settings: ReaderSettings) throws(ReaderdError) {
        let gpio = settings.gpio
        var entries: [(DoorInput, WatchedLine)] = []
        for input in DoorInput.allCases {
            guard let text = gpio.text(of: input) else { continue }
            let reference = try LineReference(text, key: "gpio.\(input.rawValue)")
            entries.append(
                (input, WatchedLine(reference, activeLow: gpio.isActiveLow(input), bias: gpio.bias(of: input))))
        }
        self.entries = entries
    }

    /// Reports the level of each line, and its changes.
    func start(
        _ reactor: Reactor, report: @escaping (_ input: DoorInput, _ readings: [WatchedLine.Reading]) -> Void
    ) throws(SystemError) {
        for (input, line) in entries { try line.start(reactor) { readings in report(input, readings) } }
    }

    /// Ends all watches.
    func stop() {
        for entry in entries { entry.line.stop() }
    }
}

extension ReaderSettings.GPIO {
    /// The bias of an input's line.
    func bias(of input: DoorInput) -> InputLine.Bias {
        pulledUp.contains(input) ? .pullUp : pulledDown.contains(input) ? .pullDown : .asIs
    }
}

extension LineReference {
    /// Parses the value of a key.
    init(_ text: String, key: String) throws(ReaderdError) {
        do throws(LineReferenceError) { try self.init(text) } catch { throw .failed("\(key): \(error)") }
    }
}
