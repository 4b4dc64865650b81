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
    let inputs: [String: String]
    let derived: [String: String]
    let apdus: [Exchange]

    func input(_ name: String) -> [UInt8] { octets(inputs[name] ?? "") }
    func key(_ name: String) -> [UInt8] { octets(derived[name] ?? "") }
}

extension AliroVector {
    static let standard = named("standard")
    static let fast = named("fast")
    static let stepUp = named("step_up")
    static let certified = named("standard_with_certificate")
    static let badSignature = named("bad_signature")
    static let wrongKind = named("wrong_kind")
    static let badTag = named("bad_tag")
    static let version = named("version")

    private static func named(_ name: String) -> AliroVector {
        guard let vector = all[name] else { fatalError("\(file.path): no \(name)") }
        return vector
    }

    /// The file, which the phone in Python also replays.
    private static let file: URL = {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<5 { root.deleteLastPathComponent() }
        return root.appendingPathComponent("Tests/Interop/contactless/aliro-vectors.json")
    }()

    private static let all: [String: AliroVector] = {
        do { return try JSONDecoder().decode([String: AliroVector].self, from: Data(contentsOf: file)) } catch {
            fatalError("\(file.path): \(error)")
        }
    }()
}
