// SPDX-License-Identifier: Apache-2.0

import WiFi

/// Conversions of frequencies and security between wpa_supplicant and a station.
enum SupplicantRadio {
    /// Band and channel of a frequency in MHz (IEEE 802.11-2020, Annex E); nil if it belongs to no band.
    static func channel(of frequency: Int) -> (band: WiFiBand, channel: UInt32)? {
        let (band, base): (WiFiBand, Int)
        switch frequency {
        case 2484: return (.band2GHz, 14)
        case 2412...2472: (band, base) = (.band2GHz, 2407)
        case 5000...5895: (band, base) = (.band5GHz, 5000)
        case 5955...7115: (band, base) = (.band6GHz, 5950)
        default: return nil
        }
        guard (frequency - base) % 5 == 0, let channel = UInt32(exactly: (frequency - base) / 5) else {
            return nil
        }
        return (band, channel)
    }

    /// Parses the response to `GET_CAPABILITY freq`: lines such as ` 12 = 2467 MHz (NO_IR)`, each frequency once.
    static func frequencies(_ octets: Span<UInt8>) -> [Int] {
        var frequencies: [Int] = []
        var start = 0
        while start < octets.count {
            let line = start..<ControlText.lineEnd(octets, from: start)
            start = line.upperBound + 1
            guard let equals = ControlText.find("= ", in: octets, line),
                let unit = ControlText.find(" MHz", in: octets, equals.upperBound..<line.upperBound),
                let frequency = ControlText.number(octets, equals.upperBound..<unit.lowerBound),
                !frequencies.contains(frequency)
            else { continue }
            frequencies.append(frequency)
        }
        return frequencies
    }

    /// The security of an access point with flags such as `[WPA2-PSK+SAE-CCMP][ESS]`; nil if none of its types is
    /// supported.
    static func security(_ flags: Span<UInt8>) -> WiFiSecurity? {
        var security: WiFiSecurity = []
        var isProtected = false
        var hasWEP = false
        var start = 0
        while let open = ControlText.find("[", in: flags, start..<flags.count) {
            let end = ControlText.find("]", in: flags, open.upperBound..<flags.count)?.lowerBound ?? flags.count
            let group = open.upperBound..<end
            func has(_ text: StaticString) -> Bool { ControlText.find(text, in: flags, group) != nil }
            func begins(_ text: StaticString) -> Bool {
                ControlText.find(text, in: flags, group)?.lowerBound == group.lowerBound
            }
            let isRSN = begins("WPA2-") || begins("RSN-")
            if isRSN || begins("WPA-") {
                isProtected = true
                if has("PSK") { security.insert(isRSN ? .wpa2PSK : .wpaPSK) }
                if has("SAE") { security.insert(.wpa3PSK) }
                if has("EAP") { security.insert(.wpa2Enterprise) }
            } else if begins("WEP") {
                hasWEP = true
            }
            start = end
        }
        guard isProtected else { return hasWEP ? .wep : .open }
        return security.isEmpty ? nil : security
    }

    /// The security of a link, from its `key_mgmt`, such as `WPA2-PSK`.
    static func security(keyManagement: Span<UInt8>) -> WiFiSecurity {
        func has(_ text: StaticString) -> Bool {
            ControlText.find(text, in: keyManagement, 0..<keyManagement.count) != nil
        }
        if has("SAE") { return .wpa3PSK }
        if has("PSK") { return has("WPA2") ? .wpa2PSK : .wpaPSK }
        return has("NONE") || keyManagement.isEmpty ? .open : .wpa2Enterprise
    }

    /// The security of a stored network, from its key management setting, such as `WPA-PSK SAE`; nil if unknown.
    static func security(setting: Span<UInt8>) -> WiFiSecurity? {
        func has(_ text: StaticString) -> Bool {
            ControlText.find(text, in: setting, 0..<setting.count) != nil
        }
        if has("PSK") { return .wpaWPA2PSK }
        if has("SAE") { return .wpa3PSK }
        if has("EAP") || has("IEEE8021X") { return .wpa2Enterprise }
        return has("NONE") ? .open : nil
    }
}

extension WiFiNetwork {
    /// The access point of a list entry; nil if its frequency or security is unsupported.
    init?(_ bss: SupplicantBSS) {
        guard let (band, channel) = SupplicantRadio.channel(of: bss.frequency),
            let security = SupplicantRadio.security(bss.flags.span)
        else { return nil }
        self.init(
            name: bss.name, address: bss.address, band: band, channel: channel, security: security,
            rssi: WiFiNetwork.rssi(bss.level))
    }

    /// The access point of the current link; nil if the status does not contain it.
    init?(_ status: SupplicantStatus, rssi: Int8) {
        guard let name = status.name, let address = status.accessPoint,
            let frequency = status.frequency,
            let (band, channel) = SupplicantRadio.channel(of: frequency)
        else { return nil }
        self.init(
            name: name, address: address, band: band, channel: channel,
            security: SupplicantRadio.security(keyManagement: status.keyManagement.span), rssi: rssi)
    }

    /// A level in dBm, clamped to −127 to 0.
    static func rssi(_ level: Int) -> Int8 { Int8(truncatingIfNeeded: min(max(level, -127), 0)) }
}

/// The capabilities of the interface.
struct SupplicantCapabilities: Equatable, Sendable {
    /// True if it supports SAE (WPA3).
    var hasSAE = false
    /// Its frequencies in MHz.
    var frequencies: [Int] = []

    /// The frequencies of a band or a channel, empty for any; nil if the interface has none of them.
    func frequencies(band: WiFiBand?, channel: UInt32?) -> [Int]? {
        guard band != nil || channel != nil else { return [] }
        let found = frequencies.filter { frequency in
            guard let place = SupplicantRadio.channel(of: frequency) else { return false }
            return (band ?? place.band) == place.band && (channel ?? place.channel) == place.channel
        }
        return found.isEmpty ? nil : found
    }
}
