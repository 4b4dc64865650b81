// SPDX-License-Identifier: Apache-2.0

public import Emulation
public import JSON

/// Commands of an emulated Matter device at their times.
public typealias MatterScenario = LineScenario<MatterCommand>

extension LineScenario<MatterCommand> {
    /// Reads a scenario from a JSON text.
    public init(json: [UInt8]) throws(JSONPlaceFault) {
        try self.init(json: json) { line throws(MatterCommandFault) in try MatterCommand(line: line) }
    }
}
