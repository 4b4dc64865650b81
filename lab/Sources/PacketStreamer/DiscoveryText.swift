// SPDX-License-Identifier: Apache-2.0

/// The contents of `netsim.ini`, by which clients find the port: lines such as `grpc.port=8554`, perhaps with a host in
/// front of the port.
public enum DiscoveryText {
    /// The maximum length of a file that is read, in octets.
    public static let maximumCount = 4096
    private static let key = "grpc.port="

    /// The contents for a port.
    public static func text(port: Int) -> String { "\(key)\(port)\n" }

    /// The port of the first such line; nil without one.
    public static func port(in text: String) -> Int? {
        let lines = text.split(whereSeparator: \.isNewline)
        guard let value = lines.first(where: { $0.hasPrefix(key) })?.dropFirst(key.count) else { return nil }
        let digits = value.lastIndex(of: ":").map { value[value.index(after: $0)...] } ?? value
        guard let port = UInt16(digits), port > 0 else { return nil }
        return Int(port)
    }
}
