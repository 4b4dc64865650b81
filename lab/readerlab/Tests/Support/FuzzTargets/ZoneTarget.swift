// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// A compiled time zone file: what is read has an offset that a file may have at any time of a clock, and the local
/// time is that far from UTC.
func fuzzZone(_ input: inout FuzzInput) {
    let octets = input.rest()
    do throws(TimeZoneError) {
        let zone = try TimeZoneRule(file: octets)
        // 1970 to 2100 in steps that no period of a calendar shares, and times beyond every file.
        let times = Array(stride(from: Int64(0), to: 4_102_444_800, by: 40_009_001)) + [-1 << 40, 1 << 40]
        for time in times {
            let offset = zone.offsetSeconds(at: time)
            require((-25 * 3600..<26 * 3600).contains(offset), "\(offset) s ahead of UTC at \(time)")
            let local = zone.civilTime(at: time)
            require(local.isValid && local.epochSeconds == time + offset, "\(local) at \(time)")
        }
    } catch {
        if case .notARule(let position) = error {
            require((0...TimeZoneRule.maximumRuleCount).contains(position), "a fault at octet \(position) of a rule")
        }
    }
}
