/// What wpa_supplicant tells without being asked, once it was told `ATTACH`: a datagram of `<PRIORITY>TEXT`.
enum SupplicantEvent: Equatable, Sendable {
    /// Why a network is left alone for a while.
    enum SuspensionReason: Equatable, Sendable {
        /// The 4-way handshake failed as it does with a wrong passphrase.
        case wrongKey
        /// Anything else.
        case other
    }

    /// A scan has begun, this one or another's.
    case scanStarted
    /// A scan has ended, and its results can be asked for.
    case scanResults
    /// A scan could not be done.
    case scanFailed
    /// None of the enabled networks is among the results that are there.
    case networkNotFound
    /// The first frame of a join is sent.
    case authenticating
    /// The second is.
    case associating
    /// The access point has taken it; keys are next, if the network has any.
    case associated
    /// The link can carry packets. `network` is the supplicant's number for it.
    case connected(network: Int?)
    /// The link is gone, or an attempt is; `reason` is the code of IEEE 802.11, 9.4.1.7.
    case disconnected(reason: Int, isLocal: Bool)
    /// The supplicant leaves the network alone for some seconds.
    case suspended(network: Int, SuspensionReason)
    /// The access point has refused the first frames; `status` is the code of IEEE 802.11, 9.4.1.9.
    case authenticationRejected(algorithm: Int, status: Int)
    /// The access point has refused the association.
    case associationRejected(status: Int)
    /// The supplicant is about to end.
    case terminating
    /// Something else.
    case other

    /// The event of a datagram; nil if it is no event but the answer to a command.
    init?(_ octets: Span<UInt8>) {
        // A priority of one digit; an answer that the station asks for never begins with this.
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

    /// One that has a name, `CTRL-EVENT-…`.
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

    /// One that is only a sentence.
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

    /// `… [id=1 id_str=]`: the last bracket, as nothing after the address is from the air.
    private static func connectedNetwork(_ octets: Span<UInt8>, _ range: Range<Int>) -> Int? {
        guard let bracket = ControlText.find("[", in: octets, range) else { return nil }
        return ControlText.number("id", in: octets, bracket.upperBound..<range.upperBound)
    }

    /// The SSID stands between the number and the reason, with its quotes escaped: the reason is what ends the text, so
    /// no SSID can pretend one.
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
