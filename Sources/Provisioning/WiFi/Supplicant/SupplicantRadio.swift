/// Frequencies, and what access points offer, between wpa_supplicant's terms and those of a station.
enum SupplicantRadio {
    /// Band and channel of a frequency in MHz (IEEE 802.11-2020, Annex E); nil for one of no band.
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

    /// The frequencies of the answer to `GET_CAPABILITY freq`: lines such as ` 12 = 2467 MHz (NO_IR)`, each once.
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

    /// How an access point with these flags lets stations in, such as `[WPA2-PSK-CCMP][ESS]`; nil for a way that no station here
    /// knows. One that offers several is called by the one that most stations can.
    static func security(_ flags: Span<UInt8>) -> WiFiSecurity? {
        func has(_ text: StaticString) -> Bool {
            ControlText.find(text, in: flags, 0..<flags.count) != nil
        }
        let hasRSN = has("[WPA2-") || has("[RSN-")
        let hasWPA = has("[WPA-")
        guard hasRSN || hasWPA else { return has("[WEP]") ? .wep : .open }
        if has("PSK") {
            if hasWPA { return hasRSN ? .wpaWPA2PSK : .wpaPSK }
            return .wpa2PSK
        }
        if has("SAE") { return .wpa3PSK }
        return has("EAP") ? .wpa2Enterprise : nil
    }

    /// The same of a link that is up, by `key_mgmt`, such as `WPA2-PSK`.
    static func security(keyManagement: Span<UInt8>) -> WiFiSecurity {
        func has(_ text: StaticString) -> Bool {
            ControlText.find(text, in: keyManagement, 0..<keyManagement.count) != nil
        }
        if has("SAE") { return .wpa3PSK }
        if has("PSK") { return has("WPA2") ? .wpa2PSK : .wpaPSK }
        return has("NONE") || keyManagement.isEmpty ? .open : .wpa2Enterprise
    }

    /// The same of a network that is known, by what it was told of keys, such as `WPA-PSK SAE`; nil for nothing known.
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
    /// What the supplicant knows of an access point; nil if it is in no band, or lets stations in in a way that is not known.
    init?(_ bss: SupplicantBSS) {
        guard let (band, channel) = SupplicantRadio.channel(of: bss.frequency),
            let security = SupplicantRadio.security(bss.flags.span)
        else { return nil }
        self.init(
            name: bss.name, address: bss.address, band: band, channel: channel, security: security,
            rssi: WiFiNetwork.rssi(bss.level))
    }

    /// The access point of a link that is up; nil if the supplicant does not say which.
    init?(_ status: SupplicantStatus, rssi: Int8) {
        guard let name = status.name, let address = status.accessPoint,
            let frequency = status.frequency,
            let (band, channel) = SupplicantRadio.channel(of: frequency)
        else { return nil }
        self.init(
            name: name, address: address, band: band, channel: channel,
            security: SupplicantRadio.security(keyManagement: status.keyManagement.span), rssi: rssi)
    }

    /// A level in dBm, held within −127 to 0.
    static func rssi(_ level: Int) -> Int8 { Int8(truncatingIfNeeded: min(max(level, -127), 0)) }
}

/// What the interface can.
struct SupplicantCapabilities: Equatable, Sendable {
    /// Whether it can agree on keys by SAE (WPA3).
    var hasSAE = false
    /// Its frequencies in MHz.
    var frequencies: [Int] = []

    /// Those of one band, or one channel; nil if it has none of them.
    func frequencies(band: WiFiBand?, channel: UInt32?) -> [Int]? {
        guard band != nil || channel != nil else { return [] }
        let found = frequencies.filter { frequency in
            guard let place = SupplicantRadio.channel(of: frequency) else { return false }
            return (band ?? place.band) == place.band && (channel ?? place.channel) == place.channel
        }
        return found.isEmpty ? nil : found
    }
}
