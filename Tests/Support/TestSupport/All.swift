// SPDX-License-Identifier: Apache-2.0

/// The values that `next` gives until it gives none, in order: what a queue holds.
public func all<Value>(_ next: () throws -> Value?) rethrows -> [Value] {
    var values: [Value] = []
    while let value = try next() { values.append(value) }
    return values
}

/// The packets that `next` copies into its argument until there is none, in order.
public func allPackets(_ next: (inout [UInt8]) -> Bool) -> [[UInt8]] {
    all {
        var packet: [UInt8] = []
        return next(&packet) ? packet : nil
    }
}
