// SPDX-License-Identifier: Apache-2.0

import Peripheral
import Timekeeping

/// The parameters of a connection in HCI (Core 5.4, Vol 4, Part E, 7.8.12).
struct ConnectionParameters: Equatable {
    /// In units of 1.25 ms.
    var minimumInterval: UInt16
    /// In units of 1.25 ms; the interval that is used: any within the range would be valid.
    var maximumInterval: UInt16
    var latency: UInt16
    /// The supervision time-out in units of 10 ms.
    var timeout: UInt16

    var interval: Duration { .microseconds(1250 * Int64(maximumInterval)) }
    var supervisionTimeout: Duration { .milliseconds(10 * Int64(timeout)) }

    /// Reads and validates the six numbers (the last two, the connection event lengths, are not used).
    init(_ parameters: inout CommandParameters) throws(CommandRefusal) {
        minimumInterval = try parameters.u16(in: 6...3200, "connection interval minimum")
        maximumInterval = try parameters.u16(in: 6...3200, "connection interval maximum")
        latency = try parameters.u16(in: 0...499, "peripheral latency")
        timeout = try parameters.u16(in: 10...3200, "supervision time-out")
        let events = (try parameters.u16(), try parameters.u16())
        guard minimumInterval <= maximumInterval else {
            throw .violation(.invalidParameters, "connection interval minimum is above the maximum")
        }
        guard events.0 <= events.1 else {
            throw .violation(.invalidParameters, "minimum CE length is above the maximum")
        }
        // In ms: timeout · 10 > (1 + latency) · interval · 1.25 · 2.
        guard Int(timeout) * 4 > (1 + Int(latency)) * Int(maximumInterval) else {
            throw .violation(.invalidParameters, "supervision time-out is too short for interval and latency")
        }
    }
}
