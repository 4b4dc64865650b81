// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

/// A transaction with all its octets, from an independent implementation whose keys other programs have reproduced.
/// Signatures are those of RFC 6979.
struct AliroVector: Decodable, Sendable {
    struct Exchange: Decodable, Sendable {
        let name: String
        let command: String
        let response: String
    }

    /// Keys and identifiers by name.
    private let inputs: [String: String]?
    let derived: [String: String]?
    let apdus: [Exchange]

    func input(_ name: String) -> [UInt8] { octets(inputs?[name] ?? "") }
    func key(_ name: String) -> [UInt8] { octets(derived?[name] ?? "") }
}

extension AliroVector {
    static let standard = all.standard
    static let fast = all.fast
    static let stepUp = all.stepUp
    static let certified = all.standardWithCertificate
    static let badSignature = failure("bad signature")
    static let wrongKind = failure("wrong kind")
    static let badTag = failure("bad tag")
    static let version = failure("version")

    private struct File: Decodable { let nfc: Transactions }

    private struct Transactions: Decodable {
        let standard, fast, stepUp, standardWithCertificate: AliroVector
        let failures: [String: AliroVector]
    }

    private static func failure(_ name: String) -> AliroVector {
        guard let vector = all.failures[name] else { fatalError("no vector \(name)") }
        return vector
    }

    /// The vectors of the file, which the phone in Python also replays.
    private static let all: Transactions = {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        do { return try decoder.decode(File.self, from: VectorFile.data("aliro")).nfc } catch {
            fatalError("aliro.json: \(error)")
        }
    }()
}
