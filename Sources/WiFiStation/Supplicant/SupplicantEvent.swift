// SPDX-License-Identifier: Apache-2.0

/// An unsolicited event of wpa_supplicant, sent after `ATTACH`: a datagram of the form `<PRIORITY>TEXT`.
enum SupplicantEvent: Equatable, Sendable {
    /// The reason why a network is temporarily disabled.
    enum SuspensionReason: Equatable, Sendable {
        /// The 4-way handshake failed as with a wrong passphrase.
        case wrongKey
        /// Anything else.
        case other
    }

    /// A scan has begun, requested by any client of the supplicant.
    case scanStarted
    /// A scan has ended; its results are available.
    case scanResults
    /// A scan failed.
    case scanFailed
    /// No enabled network is in the scan results.
    case networkNotFound
    /// The first authentication frame of a join is being sent.
    case authenticating
    /// The association request is being sent.
    case associating
    /// The access point has accepted the association; the key exchange follows, if any.
    case associated
    /// The link is established. `network` is the supplicant's identifier.
    case connected(network: Int?)
    /// The link or an attempt has ended; `reason` is the reason code (IEEE 802.11, 9.4.1.7).
    case disconnected(reason: Int, isLocal: Bool)
    /// The supplicant disables the network for some seconds.
    case suspended(network: Int, SuspensionReason)
    /// The access point has refused authentication; `status` is the status code (IEEE 802.11, 9.4.1.9).
    case authenticationRejected(algorithm: Int, status: Int)
    /// The access point has refused the association.
    case associationRejected(status: Int)
    /// The supplicant terminates.
    case terminating
    /// Something else.
    case other

    /// Parses an event; nil if the datagram is a response to a command.
    init?(_ octets: Span<UInt8>) {
        // A priority of one digit; no expected response begins like this.
        guard octets.count >= 3, octets[0] == UInt8(ascii: "<"),
            ControlText.digit(octets[1], base: 10) != nil,
            octets[2] == UInt8(ascii: ">")
        else { return nil }
        let text = 3..<octets.count
        if let rest = ControlText.remainder(of: text, after: "CTRL-EVENT-", in: octets) {
            self = SupplicantEvent(named: octets, rest)
        } else {
            self = SupplicantEvent(told: octets, text)
        }
    }

    /// Parses a named event, `CTRL-EVENT-…`.
    private init(named octets: Span<UInt8>, _ text: Range<Int>) {
        func rest(_ name: StaticString) -> Range<Int>? {
            ControlText.remainder(of: text, after: name, in: octets)
        }
        func number(_ key: StaticString, _ range: Range<Int>) -> Int? {
            ControlText.number(key, in: octets, range)
        }

        if rest("SCAN-STARTED") != nil {
            self = .scanStarted
        } else if rest("SCAN-RESULTS") != nil {
            self = .scanResults
        } else if rest("SCAN-FAILED") != nil {
            self = .scanFailed
        } else if rest("NETWORK-NOT-FOUND") != nil {
            self = .networkNotFound
        } else if let rest = rest("CONNECTED") {
            self = .connected(network: SupplicantEvent.connectedNetwork(octets, rest))
        } else if let rest = rest("DISCONNECTED") {
            self = .disconnected(
                reason: number("reason", rest) ?? 0, isLocal: number("locally_generated", rest) == 1)
        } else if let rest = rest("SSID-TEMP-DISABLED"), let network = number("id", rest) {
            self = .suspended(network: network, SupplicantEvent.suspensionReason(octets, rest))
        } else if let rest = rest("AUTH-REJECT") {
            self = .authenticationRejected(
                algorithm: number("auth_type", rest) ?? 0, status: number("status_code", rest) ?? 0)
        } else if let rest = rest("ASSOC-REJECT") {
            self = .associationRejected(status: number("status_code", rest) ?? 0)
        } else if rest("TERMINATING") != nil {
            self = .terminating
        } else {
            self = .other
        }
    }

    /// Parses an event that is a sentence.
    private init(told octets: Span<UInt8>, _ text: Range<Int>) {
        func begins(_ words: StaticString) -> Bool {
            ControlText.remainder(of: text, after: words, in: octets) != nil
        }

        if begins("SME: Trying to authenticate with ") {
            self = .authenticating
        } else if begins("Trying to associate with ") {
            self = .associating
        } else if begins("Associated with ") {
            self = .associated
        } else {
            self = .other
        }
    }

    /// Parses the identifier in `… [id=1 id_str=]`: nothing after the address originates from the air.
    private static func connectedNetwork(_ octets: Span<UInt8>, _ range: Range<Int>) -> Int? {
        guard let bracket = ControlText.find("[", in: octets, range) else { return nil }
        return ControlText.number("id", in: octets, bracket.upperBound..<range.upperBound)
    }

    /// Parses the reason. The SSID precedes it with its quotation marks escaped; since the reason ends the text, no
    /// SSID can imitate one.
    private static func suspensionReason(_ octets: Span<UInt8>, _ range: Range<Int>)
        -> SuspensionReason
    {
        let wrongKey: StaticString = " reason=WRONG_KEY"
        let start = range.upperBound - wrongKey.utf8CodeUnitCount
        guard start >= range.lowerBound else { return .other }
        return ControlText.remainder(of: start..<range.upperBound, after: wrongKey, in: octets) == nil
            ? .other : .wrongKey
    }
}
