// SPDX-License-Identifier: Apache-2.0

import Crypto
import Reader
import TestSupport
import Testing
import Timekeeping

/// The state directory that `readerd provision` has left (docs/operate/provisioning.md), read apart from its own code.
struct ProvisionedReader {
    let identity: ReaderIdentity
    let siteID: Int
    let doorID: Int

    init(state: String) throws {
        func octets(_ name: String) throws -> [UInt8] { try TestSupport.octets(ofFile: "\(state)/identity/\(name)") }
        var retiring: RetiringKey?
        if let old = try? octets("signature-key-old.pem") {
            // Its first line says until when, as: accepted-until 2026-12-31T23:59
            let end = try #require(old.firstIndex(of: UInt8(ascii: "\n")))
            let until = LocalMinute.parse(String(decoding: old[..<end], as: UTF8.self).dropFirst(15))
            let octets = Array(old[(end + 1)...])
            let key = try P256PublicKey(pem: octets.span)
            retiring = RetiringKey(key, until: try #require(until))
        }
        // In variables: Swift 6.3.1 crashes on a throwing call with the span of a temporary.
        let (name, terminal) = (try octets("device-id"), try octets("terminal-key.pem"))
        let signature = try octets("signature-key.pem")
        let terminalKey = try P256PrivateKey(pem: terminal.span)
        let signatureKey = try P256PublicKey(pem: signature.span)
        identity = try ReaderIdentity(
            deviceID: String(decoding: name.prefix(8), as: UTF8.self), terminalKey: terminalKey,
            signatureKey: signatureKey, retiringSignatureKey: retiring)
        let words = String(decoding: try octets("door"), as: UTF8.self).split { $0 == " " || $0 == "\n" }
        try #require(words.count == 4 && words[0] == "site-id" && words[2] == "door-id")
        (siteID, doorID) = (try #require(Int(words[1])), try #require(Int(words[3])))
    }
}
