// SPDX-License-Identifier: Apache-2.0

extension WiFiBand {
    /// The name in files: `2.4`, `5` or `6`.
    public var word: String {
        switch self {
        case .band2GHz: "2.4"
        case .band5GHz: "5"
        case .band6GHz: "6"
        }
    }
}
