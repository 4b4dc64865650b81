// SPDX-License-Identifier: Apache-2.0

package import Commands
import Statistics

extension TextTable {
    /// The rounded percentile; for nil the measurements were too few.
    package static func percentile(_ value: Double?, _ decimals: Int) -> String {
        value.map { DecimalText.of($0, decimals) } ?? Quantile.tooFew
    }
}
