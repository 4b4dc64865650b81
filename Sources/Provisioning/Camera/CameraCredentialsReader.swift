/// Puts credentials together from the writes of one client. What comes is untrusted: it is bounded, and any octets are
/// taken.
///
/// Published is a line feed after the fourth line of the form `lines`; with it the credentials are there at once. The
/// keyed forms have none, so the end of them is only known by silence: `finish` is for the one who has waited for that.
public struct CameraCredentialsReader: Sendable {
    /// The most octets of all writes together: as many as an attribute's value may have (Core 5.4, Vol 3, Part F,
    /// 3.2.9), and more than any of the forms needs with the fields at their limits.
    public static let maximumCount = 512
    /// The most octets of a user's identifier: e-mail addresses and UUIDs are far shorter.
    public static let maximumUserCount = 128
    /// The most octets of a token.
    public static let maximumTokenCount = PairingToken.maximumCount

    private static let lineFeed: UInt8 = 0x0A
    private static let keys = ["SSID", "PASS", "UID", "KEY"]

    private var octets: [UInt8] = []
    private var lineFeeds = 0

    /// A reader to which nothing has come.
    public init() {}

    /// Whether nothing has come since the last credentials.
    public var isEmpty: Bool { octets.isEmpty }

    /// Forgets what has come.
    public mutating func removeAll() {
        octets.removeAll()
        lineFeeds = 0
    }

    /// Takes a write. Gives credentials when the fourth line has ended, nil before; throws, and forgets everything, when
    /// there can be none any more.
    public mutating func append(
        _ bytes: Span<UInt8>
    ) throws(CameraCredentialsFault) -> (CameraCredentials, CameraCredentialsForm)? {
        guard bytes.count <= CameraCredentialsReader.maximumCount - octets.count else {
            removeAll()
            throw .tooLong
        }
        for index in 0..<bytes.count {
            let octet = bytes[index]
            if lineFeeds == CameraCredentialsReader.keys.count {
                removeAll()
                throw .trailing(count: bytes.count - index)
            }
            octets.append(octet)
            if octet == CameraCredentialsReader.lineFeed { lineFeeds += 1 }
        }
        guard lineFeeds == CameraCredentialsReader.keys.count else { return nil }
        defer { removeAll() }
        return try CameraCredentialsReader.parse(octets.dropLast())
    }

    /// Nothing more comes: what is there is all of it.
    ///
    /// - Parameter demandsNewline: whether credentials without keys need the line feed after the fourth line, as it is
    ///   published.
    public mutating func finish(
        demandsNewline: Bool
    ) throws(CameraCredentialsFault) -> (CameraCredentials, CameraCredentialsForm) {
        defer { removeAll() }
        let lines = lineFeeds + (octets.last == nil || octets.last == CameraCredentialsReader.lineFeed ? 0 : 1)
        guard lines == CameraCredentialsReader.keys.count else { throw .incomplete(lines: lines) }
        let result = try CameraCredentialsReader.parse(octets[...])
        if demandsNewline, result.1 == .lines { throw .noTrailingNewline }
        return result
    }

    // MARK: - Lines

    private static func parse(
        _ octets: ArraySlice<UInt8>
    ) throws(CameraCredentialsFault) -> (CameraCredentials, CameraCredentialsForm) {
        var lines = octets.split(separator: lineFeed, omittingEmptySubsequences: false)
        guard lines.count == keys.count else { throw .incomplete(lines: lines.count) }
        let form = form(lines)
        if form != .lines {
            let separator: UInt8 = form == .equals ? 0x3D : 0x3A
            for (index, key) in keys.enumerated() {
                let start = Array(key.utf8) + [separator]
                guard lines[index].starts(with: start) else { throw .key(line: index + 1) }
                lines[index] = lines[index].dropFirst(start.count)
            }
        }
        let name = try text(lines[0], line: 1, 1...WiFiName.maximumCount)
        let passphrase = try text(lines[1], line: 2, 0...WiFiPassphrase.maximumCount)
        let user = try text(lines[2], line: 3, 1...maximumUserCount)
        let token = try text(lines[3], line: 4, 1...maximumTokenCount)
        // The limits have been checked.
        guard let name = WiFiName(name), let passphrase = WiFiPassphrase(Array(passphrase.utf8)),
            let token = PairingToken(Array(token.utf8))
        else { throw .tooLong }
        return (CameraCredentials(name: name, passphrase: passphrase, userID: user, token: token), form)
    }

    /// A network may be called `SSID=…`: what has keys has them in the first two lines.
    private static func form(_ lines: [ArraySlice<UInt8>]) -> CameraCredentialsForm {
        for (form, separator) in [(CameraCredentialsForm.equals, "="), (.colons, ":")]
        where lines[0].starts(with: (keys[0] + separator).utf8) && lines[1].starts(with: (keys[1] + separator).utf8) {
            return form
        }
        return .lines
    }

    private static func text(
        _ octets: ArraySlice<UInt8>, line: Int, _ counts: ClosedRange<Int>
    ) throws(CameraCredentialsFault) -> String {
        guard octets.count >= counts.lowerBound else { throw .empty(line: line) }
        guard octets.count <= counts.upperBound else { throw .fieldTooLong(line: line, maximum: counts.upperBound) }
        guard let text = String(validating: octets, as: UTF8.self) else { throw .notText(line: line) }
        return text
    }
}
