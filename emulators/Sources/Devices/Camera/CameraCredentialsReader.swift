// SPDX-License-Identifier: Apache-2.0

import WiFi

/// Assembles credentials from the writes of one client. The input is untrusted: its length is bounded, and any octets
/// are accepted.
///
/// As published, the fourth line of the format `lines` ends with a line feed, which completes the credentials. The
/// keyed formats have none, so that only a pause ends them: the caller waits for it and calls `finish`.
public struct CameraCredentialsReader: Sendable {
    /// The maximum length of all writes together in octets: the limit of an attribute value (Core 5.4, Vol 3, Part F,
    /// 3.2.9), and more than any format needs with all fields at their limits.
    public static let maximumCount = 512
    /// The maximum length of a user's identifier in octets: e-mail addresses and UUIDs are far shorter.
    public static let maximumUserCount = 128
    /// The maximum length of a token in octets.
    public static let maximumTokenCount = PairingToken.maximumCount

    private static let lineFeed: UInt8 = 0x0A
    private static let keys = ["SSID", "PASS", "UID", "KEY"]

    private var octets: [UInt8] = []
    private var lineFeeds = 0

    /// An empty reader.
    public init() {}

    /// True if nothing has been received since the last credentials.
    public var isEmpty: Bool { octets.isEmpty }

    /// Discards the received octets.
    public mutating func removeAll() {
        octets.removeAll()
        lineFeeds = 0
    }

    /// Adds a write.
    ///
    /// - Parameter allowsNoName: true if the first line may be empty, as for a camera with a SIM.
    /// - Returns: the credentials if the fourth line is complete; nil before.
    /// - Throws: `CameraCredentialsFault` if the octets cannot become credentials; they are discarded.
    public mutating func append(
        _ bytes: Span<UInt8>, allowsNoName: Bool = false
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
        return try CameraCredentialsReader.parse(octets.dropLast(), allowsNoName: allowsNoName)
    }

    /// Completes the credentials after the quiet time.
    ///
    /// - Parameters:
    ///   - demandsNewline: true if credentials without keys require the line feed after the fourth line, as published.
    ///   - allowsNoName: true if the first line may be empty.
    public mutating func finish(
        demandsNewline: Bool, allowsNoName: Bool = false
    ) throws(CameraCredentialsFault) -> (CameraCredentials, CameraCredentialsForm) {
        defer { removeAll() }
        let lines = lineFeeds + (octets.last == nil || octets.last == CameraCredentialsReader.lineFeed ? 0 : 1)
        guard lines == CameraCredentialsReader.keys.count else { throw .incomplete(lines: lines) }
        let result = try CameraCredentialsReader.parse(octets[...], allowsNoName: allowsNoName)
        if demandsNewline, result.1 == .lines { throw .noTrailingNewline }
        return result
    }

    // MARK: - Lines

    private static func parse(
        _ octets: ArraySlice<UInt8>, allowsNoName: Bool
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
        let name = try text(lines[0], line: 1, (allowsNoName ? 0 : 1)...WiFiName.maximumCount)
        let passphrase = try text(lines[1], line: 2, 0...WiFiPassphrase.maximumCount)
        let user = try text(lines[2], line: 3, 1...maximumUserCount)
        let token = try text(lines[3], line: 4, 1...maximumTokenCount)
        // The limits have been verified.
        guard let name = WiFiName(name), let passphrase = WiFiPassphrase(Array(passphrase.utf8)),
            let token = PairingToken(Array(token.utf8))
        else { throw .tooLong }
        return (CameraCredentials(name: name, passphrase: passphrase, userID: user, token: token), form)
    }

    /// The format of the lines. A network may be named `SSID=…`, so the keys of the first two lines decide.
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
