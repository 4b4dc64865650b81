// SPDX-License-Identifier: Apache-2.0

import GateTrial

extension RSSITrace {
    /// A trace with a packet each `milliseconds`.
    static func trace(
        _ levels: [Int8], each milliseconds: Int64 = 30, metres: Double? = 1, name: String = "a",
        condition: String = "room/hand"
    ) -> RSSITrace {
        RSSITrace(
            source: "x.csv", name: name, condition: condition,
            readings: levels.enumerated().map {
                .init(at: .milliseconds(Int64($0.offset) * milliseconds), metres: metres, dBm: $0.element)
            })
    }
}
