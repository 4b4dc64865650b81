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

extension WiFiSecurity {
    /// The name in files, such as `wpa2-psk`.
    public var word: String {
        switch self {
        case .open: "open"
        case .wep: "wep"
        case .wpaPSK: "wpa-psk"
        case .wpa2PSK: "wpa2-psk"
        case .wpaWPA2PSK: "wpa-wpa2-psk"
        case .wpa2Enterprise: "wpa2-enterprise"
        case .wpa3PSK: "wpa3-psk"
        }
    }
}
