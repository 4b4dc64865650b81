// SPDX-License-Identifier: Apache-2.0

import GateTrial
import JSON
import Octets
import Proximity
import Reader

/// A reader's answer to a survey: the measured phones, and the gate in use.
struct SurveyAnswer {
    /// The gate in use, of `[proximity]`.
    let gate: ProximityGate.Configuration
    /// The modes with their own gate, which the configuration has to change as well.
    let ownGates: [String]
    /// The number of phones.
    let phones: Int
    /// The readings of all phones in the order of time.
    let readings: [RSSITrace.Reading]

    /// Reads an answer that was done; nil for another program's answer.
    init?(_ answer: JSONNode) {
        func number(_ node: JSONNode?, _ range: ClosedRange<Int>) -> Int? {
            node?.text.flatMap { Int($0) }.flatMap { range.contains($0) ? $0 : nil }
        }
        let gate = answer["gate"]
        guard let threshold = number(gate?["threshold-dbm"], -126 ... -1),
            let window = number(gate?["window-ms"], 1...1000), let interval = number(gate?["interval-ms"], 1...1000),
            let samples = number(gate?["samples"], 1...ProximityGate.maximumSamples), answer["readings"] != nil
        else { return nil }
        var configuration = ProximityGate.Configuration()
        (configuration.threshold, configuration.samples) = (Int8(threshold), samples)
        (configuration.window, configuration.interval) = (.milliseconds(window), .milliseconds(interval))
        var phones: Set<Int> = []
        var readings: [RSSITrace.Reading] = []
        for triple in answer["readings"]?.elements ?? [] {
            let cells = triple.elements
            guard cells.count == 3, let phone = number(cells[0], 1...SurveyRecording.maximumPhones),
                let milliseconds = number(cells[1], 0...86_400_000), let dBm = number(cells[2], -126 ... -1),
                readings.last.map({ $0.at <= .milliseconds(milliseconds) }) ?? true
            else { return nil }
            phones.insert(phone)
            readings.append(.init(at: .milliseconds(milliseconds), metres: nil, dBm: Int8(dBm)))
        }
        (self.gate, self.phones, self.readings) = (configuration, phones.count, readings)
        ownGates = (answer["own-gates"]?.elements ?? []).compactMap(\.text).map(\.printable)
    }
}
