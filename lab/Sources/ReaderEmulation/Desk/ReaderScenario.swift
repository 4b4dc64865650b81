// SPDX-License-Identifier: Apache-2.0

public import Emulation
public import JSON

/// Orders to an emulated reader at their times.
public typealias ReaderScenario = LineScenario<ReaderOrder>

extension LineScenario<ReaderOrder> {
    /// Reads a scenario from a JSON text.
    public init(json: [UInt8]) throws(JSONPlaceFault) {
        try self.init(json: json) { line throws(ReaderOrderFault) in try ReaderOrder(line: line) }
    }
}
