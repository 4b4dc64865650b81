// SPDX-License-Identifier: Apache-2.0

import Fleet
public import System

/// A broker, and the identity of this client towards it.
public struct Broker: Equatable, Sendable, CustomStringConvertible {
    /// The files of a TLS 1.3 connection, PEM.
    public struct TLS: Equatable, Sendable {
        /// The authorities that may have signed the broker's certificate.
        public var authorities: String
        /// The own certificate with its chain.
        public var certificate: String
        /// Its key, without a passphrase.
        public var key: String

        /// An identity in these files.
        public init(authorities: String, certificate: String, key: String) {
            self.authorities = authorities
            self.certificate = certificate
            self.key = key
        }

        /// The identity of a command line: three files, or none with `--plain`.
        ///
        /// - Throws: `ProgramFailure` of wrong usage for anything else.
        public init?(
            authorities: String?, certificate: String?, key: String?, isPlain: Bool
        ) throws(ProgramFailure) {
            let files = [authorities, certificate, key].compactMap(\.self)
            guard files.count == (isPlain ? 0 : 3) else {
                throw .usage("give --ca, --certificate and --key, or --plain without them")
            }
            guard !isPlain else { return nil }
            self.init(authorities: files[0], certificate: files[1], key: files[2])
        }
    }

    /// The name or the address, which the broker's certificate has to match.
    public var host: String
    /// The port.
    public var port: UInt16
    /// The TLS identity; nil for a connection in the clear.
    public var tls: TLS?
    /// The time in seconds after which a silent connection is probed; without an answer within 10 s it is lost. The
    /// reader's status has to agree with the broker's within 30 s.
    public var keepaliveSeconds = 15

    /// The port of MQTT with TLS, and without.
    public static let ports: (tls: UInt16, plain: UInt16) = (8883, 1883)
    /// The permitted keepalives in seconds.
    public static let keepalives: ClosedRange<UInt16> = 5...3600

    /// `host:port`
    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// Parses `HOST`, `HOST:PORT` or `[ADDRESS]:PORT`.
    ///
    /// - Throws: `ProgramFailure` of wrong usage.
    public init(_ text: String, tls: TLS?) throws(ProgramFailure) {
        self.tls = tls
        var rest = Substring(text)
        if rest.hasPrefix("["), let end = rest.firstIndex(of: "]") {
            host = String(rest[rest.index(after: rest.startIndex)..<end])
            rest = rest[rest.index(after: end)...]
        } else {
            let end = rest.firstIndex(of: ":") ?? rest.endIndex
            host = String(rest[..<end])
            rest = rest[end...]
        }
        port = tls == nil ? Broker.ports.plain : Broker.ports.tls
        if rest.hasPrefix(":"), let number = UInt16(rest.dropFirst()), number > 0 {
            port = number
        } else if !rest.isEmpty {
            host = ""
        }
        guard !host.isEmpty, host.utf8.count <= 255 else {
            throw .usage("--broker takes HOST, HOST:PORT or [ADDRESS]:PORT, not \"\(text)\"")
        }
    }
}
