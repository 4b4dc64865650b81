// SPDX-License-Identifier: Apache-2.0

import CTLS
import Crypto
public import System

/// Keys, requests and certificates of a fleet's clients, on P-256 and in PEM.
public enum Enrolment {
    /// The lifetime of a client's certificate in days.
    public static let clientDays = 90
    /// The lifetime of an authority in days.
    public static let authorityDays = 3650
    /// The maximum length of a file in octets.
    public static let fileLimit = Int(READERD_PEM_SIZE)

    /// A new key and the request of a client with this name, as octets of PEM. The caller has to wipe the key.
    public static func request(name: String) throws(ProgramFailure) -> (key: [UInt8], request: [UInt8]) {
        try pair { readerd_make_request(name, $0, $1) }
    }

    /// A new key and the certificate of an authority with this name. The caller has to wipe the key.
    public static func authority(name: String) throws(ProgramFailure) -> (key: [UInt8], certificate: [UInt8]) {
        try pair { readerd_make_authority(name, CInt(authorityDays), $0, $1) }
    }

    /// The certificate of a client with this name, for its request.
    ///
    /// - Throws: `ProgramFailure` with the reason for refusing the request, without the file's name.
    public static func issue(
        _ request: [UInt8], name: String, authority: [UInt8], key: [UInt8]
    ) throws(ProgramFailure) -> [UInt8] {
        var made = readerd_pem()
        // C strings end with a zero.
        var (request, authority, key) = (request + [0], authority + [0], key + [0])
        defer { wipeSecret(&key) }
        let reason = request.withUnsafeMutableBytes { request in
            authority.withUnsafeMutableBytes { authority in
                key.withUnsafeMutableBytes { key in
                    readerd_issue(
                        request.bindMemory(to: CChar.self).baseAddress, name, CInt(clientDays),
                        authority.bindMemory(to: CChar.self).baseAddress, key.bindMemory(to: CChar.self).baseAddress,
                        &made)
                }
            }
        }
        if let reason { throw .failed(String(cString: reason)) }
        return octets(&made)
    }

    private static func pair(
        _ make: (UnsafeMutablePointer<readerd_pem>, UnsafeMutablePointer<readerd_pem>) -> Bool
    ) throws(ProgramFailure) -> ([UInt8], [UInt8]) {
        var (key, other) = (readerd_pem(), readerd_pem())
        defer { readerd_wipe_pem(&key) }
        guard make(&key, &other) else { throw .failed("OpenSSL makes no key; is memory left?") }
        return (octets(&key), octets(&other))
    }

    private static func octets(_ pem: inout readerd_pem) -> [UInt8] {
        withUnsafeBytes(of: &pem) { octets in Array(octets.prefix { $0 != 0 }) }
    }
}
