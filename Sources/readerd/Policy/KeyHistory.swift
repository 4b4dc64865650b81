// SPDX-License-Identifier: Apache-2.0

import Crypto
import Octets
import Reader

/// The keys that the reader has had, by their use. Part of the policy: the files of the identity are not sealed, and an
/// older copy of one must not bring back a key that was replaced.
struct KeyHistory: Equatable {
    /// The use of a key.
    enum Use: UInt8, CaseIterable {
        case terminal = 1
        case signature = 2
        case command = 3

        /// The name of the file for people.
        var file: String {
            switch self {
            case .terminal: "terminal-key.pem"
            case .signature: "signature-key.pem"
            case .command: "command-key.pem"
            }
        }
    }

    /// A key in its use.
    struct Key: Equatable {
        /// The length of an identifier in octets.
        static let idCount = 8

        var use: Use
        /// The first octets of the SHA-256 of its public point.
        var id: [UInt8]

        init(_ use: Use, _ point: P256Point) throws(CryptoError) {
            let digest = try SHA256.hash(point.octets.span)
            self.init(use, (0..<Key.idCount).map { digest[$0] })
        }

        init(_ use: Use, _ id: [UInt8]) { (self.use, self.id) = (use, id) }
    }

    /// The result of a comparison with the keys in use.
    enum Change: Equatable {
        /// They are the keys of the last run.
        case none
        /// The first ones of their use.
        case first
        /// One is new instead of another.
        case replaced
        /// One was replaced before.
        case older(Use)
    }

    /// The name of the policy's setting.
    static let setting = "key-history"
    /// The maximum number of keys of a use; the oldest are forgotten.
    static let limit = 16
    private static let version: UInt8 = 1

    /// The keys, oldest first within each use.
    private var keys: [Key] = []

    /// No keys yet.
    init() {}

    /// Compares the keys in use with the history, and adds those that are new, unless one is an older key.
    mutating func update(_ present: [Key]) -> Change {
        var (next, change) = (self, Change.none)
        for key in present {
            let former = keys.filter { $0.use == key.use }
            guard former.last != key else { continue }
            if former.contains(key) { return .older(key.use) }
            if former.count >= KeyHistory.limit, let oldest = next.keys.firstIndex(where: { $0.use == key.use }) {
                next.keys.remove(at: oldest)
            }
            next.keys.append(key)
            if change != .replaced { change = former.isEmpty ? .first : .replaced }
        }
        self = next
        return change
    }

    // MARK: - Encoding

    /// The only encoding: the version, and for each key its use and its identifier.
    var octets: [UInt8] { [KeyHistory.version] + keys.flatMap { [$0.use.rawValue] + $0.id } }

    /// Decodes a history from all of `octets`; nil for others.
    init?(_ octets: [UInt8]) {
        let span = octets.span
        var cursor = OctetCursor(span)
        do throws(OctetError) {
            guard try cursor.u8(span) == KeyHistory.version else { return nil }
            while cursor.remaining > 0 {
                guard let use = Use(rawValue: try cursor.u8(span)) else { return nil }
                keys.append(Key(use, Array(octets[try cursor.consume(Key.idCount, of: span)])))
            }
        } catch {
            return nil
        }
    }
}

extension ReaderIdentity {
    /// The keys in use.
    var keys: [KeyHistory.Key] {
        get throws(CryptoError) {
            var keys = [
                try KeyHistory.Key(.terminal, terminalKey.publicPoint),
                try KeyHistory.Key(.signature, signatureKey.point),
            ]
            // A key under replacement has an end.
            if let command = commandKeys.first(where: { $0.until == nil }) {
                keys.append(try KeyHistory.Key(.command, command.key.point))
            }
            return keys
        }
    }
}
