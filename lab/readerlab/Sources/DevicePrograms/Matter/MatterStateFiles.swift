// SPDX-License-Identifier: Apache-2.0

import Commands
import Console
import Crypto
import Devices
import Glibc
import Octets
import System

/// The files of a node's state directory, readable by their owner only.
struct MatterStateFiles {
    /// The maximum length of the node's state in octets: five fabrics with their lists.
    private static let maximumCount = 262_144

    let directory: String
    /// The authority of device attestation, created once.
    let authority: AttestationAuthority

    /// Opens this directory, which is created if missing (mode 0700).
    init(directory: String) throws(CommandError) {
        self.directory = directory
        for path in [directory, "\(directory)/paa"] { try MatterStateFiles.make(path) }
        authority = try MatterStateFiles.authority(in: directory)
    }

    /// Creates a directory durably, unless it exists.
    private static func make(_ path: String) throws(CommandError) {
        guard mkdir(path, 0o700) == 0 else {
            guard errno != EEXIST else { return }
            throw .misuse("\(path): cannot make it: \(String(cString: strerror(errno))); name a directory")
        }
        do throws(DurableFile.Failure) {
            try DurableFile.synchronize(directory: DurableFile.directory(of: path))
        } catch {
            throw .failed("\(error.path): cannot synchronize it: \(String(cString: strerror(error.errno)))")
        }
    }

    /// The path of the node's state.
    var statePath: String { "\(directory)/matter-state" }

    /// The path of the test authority's certificate, for the trust stores of apps.
    var authorityPath: String { MatterStateFiles.authorityPath(directory) }

    private static func authorityPath(_ directory: String) -> String { "\(directory)/paa/readerlab-paa.der" }

    /// Reads the node's state; nil for a node without one, as delivered.
    func load() throws(CommandError) -> [UInt8]? {
        guard access(statePath, F_OK) == 0 else { return nil }
        return try InputFile.octets(
            statePath, maximum: MatterStateFiles.maximumCount, "a state that this program has written")
    }

    /// Replaces the node's state.
    func save(_ octets: [UInt8]) throws(CommandError) { try MatterStateFiles.replace(statePath, octets) }

    /// The octets that distinguish this node from others, created once.
    func identity(_ random: inout some RandomSource) throws(CommandError) -> [UInt8] {
        let path = "\(directory)/identity"
        if access(path, F_OK) == 0 {
            let text = try InputFile.octets(path, maximum: 64, "an identity that this program has written")
            guard let octets = Hexadecimal.octets(String(decoding: text, as: UTF8.self)), octets.count == 16 else {
                throw .misuse("\(path): is no identity of 32 digits; remove the file")
            }
            return octets
        }
        let octets = random.octets(16)
        try MatterStateFiles.replace(path, Array(Hexadecimal.text(octets).utf8))
        return octets
    }

    private static func authority(in directory: String) throws(CommandError) -> AttestationAuthority {
        let path = "\(directory)/paa-key.pem"
        if access(path, F_OK) != 0 { try replace(path, newKey()) }
        let pem = try InputFile.octets(path, maximum: 4096, "a key that this program has written")
        guard let key = try? P256PrivateKey(pem: pem.span), let authority = try? AttestationAuthority(key: key) else {
            throw .misuse("\(path): is no key; remove the file and \(authorityPath(directory))")
        }
        // A power cut may have separated the two files.
        if access(authorityPath(directory), F_OK) != 0 {
            try replace(authorityPath(directory), authority.certificate)
        }
        return authority
    }

    private static func newKey() throws(CommandError) -> [UInt8] {
        do throws(CryptoError) { return try P256PrivateKey.generate().pem() } catch {
            throw .failed("cannot make keys: \(error)")
        }
    }

    private static func replace(_ path: String, _ octets: [UInt8]) throws(CommandError) {
        try CommandError.replace(path, with: octets, remedy: "see to the directory")
    }
}
