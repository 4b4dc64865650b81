// SPDX-License-Identifier: Apache-2.0

import WiFi
import Octets

/// An access point in wpa_supplicant's list (`BSS`).
struct SupplicantBSS: Equatable, Sendable {
    /// The supplicant's identifier, assigned in ascending order.
    var number: Int
    /// Its address.
    var address: WiFiAddress
    /// Its frequency in MHz.
    var frequency: Int
    /// The signal level in dBm.
    var level: Int
    /// The time since it was received, in seconds.
    var age: Int
    /// The capabilities in the supplicant's format, such as `[WPA2-PSK-CCMP][ESS]`.
    var flags: [UInt8]
    /// The network's name; empty if hidden.
    var name: WiFiName

    /// Parses the response to `SupplicantCommand.results`, whose entries each end with a line `====`, the last with
    /// `####`. Truncated and malformed entries are omitted. `last` is the highest identifier in the response, including
    /// malformed entries.
    static func entries(_ octets: Span<UInt8>) -> (entries: [SupplicantBSS], last: Int?) {
        var entries: [SupplicantBSS] = []
        var last: Int?
        var start = 0
        var line = 0
        while line < octets.count {
            let end = ControlText.lineEnd(octets, from: line)
            // Only a whole line is a delimiter: an SSID may be "====".
            if isDelimiter(octets, line..<end), start < line {
                let entry = octets.extracting(start..<line)
                if let number = number(of: "id", in: entry), number >= 0 {
                    last = max(last ?? number, number)
                }
                if let bss = SupplicantBSS(entry) { entries.append(bss) }
                start = min(end + 1, octets.count)
            }
            line = end + 1
        }
        return (entries, last)
    }

    private static func isDelimiter(_ octets: Span<UInt8>, _ line: Range<Int>) -> Bool {
        line.count == 4
            && (ControlText.remainder(of: line, after: "====", in: octets) != nil
                || ControlText.remainder(of: line, after: "####", in: octets) != nil)
    }

    private static func number(of key: StaticString, in octets: Span<UInt8>) -> Int? {
        ControlText.value(of: key, in: octets).flatMap { ControlText.number(octets, $0) }
    }

    private init?(_ octets: Span<UInt8>) {
        guard let number = SupplicantBSS.number(of: "id", in: octets), number >= 0,
            let address = ControlText.value(of: "bssid", in: octets).flatMap({
                ControlText.address(octets, $0)
            }),
            let frequency = SupplicantBSS.number(of: "freq", in: octets),
            let level = SupplicantBSS.number(of: "level", in: octets),
            let age = SupplicantBSS.number(of: "age", in: octets),
            let flags = ControlText.value(of: "flags", in: octets),
            let name = ControlText.value(of: "ssid", in: octets).flatMap({ ControlText.name(octets, $0) })
        else { return nil }
        self.number = number
        self.address = address
        self.frequency = frequency
        self.level = level
        self.age = age
        self.flags = []
        self.flags.append(octets.extracting(flags))
        self.name = name
    }
}

/// The state of wpa_supplicant (`STATUS`).
struct SupplicantStatus: Equatable, Sendable {
    /// True if the link is established (`wpa_state=COMPLETED`).
    var isCompleted: Bool
    /// The identifier of the network, if any.
    var network: Int?
    /// The network's name.
    var name: WiFiName?
    /// The access point.
    var accessPoint: WiFiAddress?
    /// Its frequency in MHz.
    var frequency: Int?
    /// The key management, such as `WPA2-PSK`.
    var keyManagement: [UInt8]
    /// The IPv4 address of the interface, from any source.
    var ipv4: IPv4Address?
    /// This station's hardware address.
    var address: WiFiAddress?

    /// Parses the response; missing and malformed values are nil.
    init(_ octets: Span<UInt8>) {
        func value(_ key: StaticString) -> Range<Int>? { ControlText.value(of: key, in: octets) }
        func number(_ key: StaticString) -> Int? {
            value(key).flatMap { ControlText.number(octets, $0) }
        }
        isCompleted =
            value("wpa_state").flatMap { ControlText.remainder(of: $0, after: "COMPLETED", in: octets) }
            != nil
        network = number("id")
        name = value("ssid").flatMap { ControlText.name(octets, $0) }
        accessPoint = value("bssid").flatMap { ControlText.address(octets, $0) }
        frequency = number("freq")
        keyManagement = []
        if let range = value("key_mgmt") { keyManagement.append(octets.extracting(range)) }
        ipv4 = value("ip_address").flatMap { ControlText.ipv4(octets, $0) }
        address = value("address").flatMap { ControlText.address(octets, $0) }
    }
}

/// A network stored by wpa_supplicant (a line of `LIST_NETWORKS`).
struct SupplicantNetwork: Equatable, Sendable {
    /// Its identifier.
    var number: Int
    /// Its name.
    var name: WiFiName
    /// True if the supplicant may join it automatically.
    var isEnabled: Bool
    /// True if it is the current network, joined or being joined.
    var isCurrent: Bool

    /// Parses the lines of the response after its heading; malformed lines are omitted.
    static func list(_ octets: Span<UInt8>) -> [SupplicantNetwork] {
        var networks: [SupplicantNetwork] = []
        // The first line is a heading.
        var start = ControlText.lineEnd(octets, from: 0) + 1
        while start < octets.count {
            let end = ControlText.lineEnd(octets, from: start)
            if let network = SupplicantNetwork(octets, start..<end) { networks.append(network) }
            start = end + 1
        }
        return networks
    }

    /// `NUMBER TAB SSID TAB BSSID TAB FLAGS`: a tab in the SSID is escaped.
    private init?(_ octets: Span<UInt8>, _ line: Range<Int>) {
        guard let first = ControlText.find("\t", in: octets, line),
            let second = ControlText.find("\t", in: octets, first.upperBound..<line.upperBound),
            let number = ControlText.number(octets, line.lowerBound..<first.lowerBound), number >= 0,
            let name = ControlText.name(octets, first.upperBound..<second.lowerBound)
        else { return nil }
        let rest = second.upperBound..<line.upperBound
        self.number = number
        self.name = name
        // TEMP-DISABLED networks are retried.
        isEnabled = ControlText.find("[DISABLED]", in: octets, rest) == nil
        isCurrent = ControlText.find("[CURRENT]", in: octets, rest) != nil
    }
}
