// SPDX-License-Identifier: Apache-2.0

/// The NDEF message for phones without the app (NFC Forum NDEF 1.0): a URI, and the app to open.
public enum NDEFMessage {
    /// The maximum length of a URI, well within one short record of 255 octets.
    public static let maximumURICount = 200
    /// The maximum length of a package name.
    public static let maximumPackageCount = 150

    /// A URI record first, an Android application record last, where Android expects it; empty if there is neither.
    /// Both are short records; texts above the limits are left out.
    public static func octets(uri: String?, package: String?) -> [UInt8] {
        var records: [(format: UInt8, type: [UInt8], payload: [UInt8])] = []
        if let uri, uri.utf8.count <= maximumURICount { records.append((wellKnown, [uriType], payload(uri: uri))) }
        if let package, package.utf8.count <= maximumPackageCount {
            records.append((external, Array("android.com:pkg".utf8), Array(package.utf8)))
        }
        var octets: [UInt8] = []
        for (number, record) in records.enumerated() {
            let begin: UInt8 = number == 0 ? messageBegin : 0
            let end: UInt8 = number == records.count - 1 ? messageEnd : 0
            octets.append(begin | end | shortRecord | record.format)
            octets.append(UInt8(truncatingIfNeeded: record.type.count))
            octets.append(UInt8(truncatingIfNeeded: record.payload.count))
            octets += record.type + record.payload
        }
        return octets
    }

    /// The identifier code and the rest of the URI (NFC Forum URI Record Type Definition, 3.2.2).
    private static func payload(uri: String) -> [UInt8] {
        for (code, prefix) in prefixes where uri.utf8.starts(with: prefix.utf8) {
            return [code] + Array(uri.utf8.dropFirst(prefix.utf8.count))
        }
        return [0x00] + Array(uri.utf8)
    }

    private static let prefixes: [(UInt8, String)] = [
        (0x02, "https://www."), (0x04, "https://"), (0x01, "http://www."), (0x03, "http://"),
    ]

    // NDEF 1.0, 3.2: flags, and the type name format in the low three bits.
    private static let messageBegin: UInt8 = 0x80
    private static let messageEnd: UInt8 = 0x40
    private static let shortRecord: UInt8 = 0x10
    private static let wellKnown: UInt8 = 0x01
    private static let external: UInt8 = 0x04
    private static let uriType = UInt8(ascii: "U")
}
