// SPDX-License-Identifier: Apache-2.0

import CTLS
import Crypto
import Glibc
public import System

/// A TLS identity towards a broker, read from its files. It remains usable after the files are replaced.
public final class TLSIdentity {
    /// The maximum length of a key file in octets: a key in PEM is shorter.
    private static let keyLimit = 16_384

    let context: OpaquePointer
    /// The end of the own certificate in seconds since 1970.
    public let end: Int64

    /// Reads the identity of a broker's client; nil for a broker in the clear.
    ///
    /// - Throws: `ProgramFailure` if a file cannot be used, or if users other than its owner may read the key.
    public convenience init?(_ broker: Broker) throws(ProgramFailure) {
        guard let files = broker.tls else { return nil }
        try self.init(files, host: broker.host)
    }

    private init(_ files: Broker.TLS, host: String) throws(ProgramFailure) {
        var key = try TLSIdentity.key(files.key)
        defer { wipeSecret(&key) }
        var problem = [CChar](repeating: 0, count: 256)
        var created: OpaquePointer?
        withCStrings([host, files.authorities, files.certificate, files.key]) { texts in
            key.withUnsafeBufferPointer { key in
                var options = readerd_tls_options()
                (options.name, options.authorities) = (texts[0], texts[1])
                (options.certificate, options.key_path) = (texts[2], texts[3])
                (options.key, options.key_count) = (key.baseAddress, key.count)
                created = readerd_tls_create(&options, &problem, problem.count)
            }
        }
        guard let created else { throw .failed(string(of: problem)) }
        context = created
        end = readerd_tls_end(created)
    }

    deinit { readerd_tls_destroy(context) }

    private static func key(_ path: String) throws(ProgramFailure) -> [UInt8] {
        do throws(PrivateFileFault) {
            guard let octets = try PrivateFile(path: path, limit: keyLimit).load() else {
                throw PrivateFileFault("\(path): no such file; make the key, or name its file with --key")
            }
            return octets
        } catch {
            throw .failed(error.description)
        }
    }
}

/// The text in a buffer that a C function has filled.
private func string(of buffer: [CChar]) -> String {
    String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

/// Calls `body` with C strings that are valid during the call.
private func withCStrings(_ texts: [String], _ body: ([UnsafePointer<CChar>?]) -> Void) {
    let copies = texts.map { strdup($0) }
    body(copies.map { copy in copy.flatMap { UnsafePointer($0) } })
    for copy in copies { free(copy) }
}
