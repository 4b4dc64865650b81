// SPDX-License-Identifier: Apache-2.0

import Crypto
import Glibc
import MatterCredentials
import System

/// The files of the lock's state directory, readable by its owner only: the label, the attestation, and the node.
struct LockFiles {
    let directory: String

    /// The maximum lengths: a label is a few hundred octets, a certificate 600, a declaration 400 (Matter Core 6.2,
    /// 6.3); a state has five fabrics with their lists.
    private static let limits = (label: 4096, certificate: 4096, state: 262_144)

    private enum Name {
        static let label = "label.json"
        static let state = "state"
        static let dac = "dac.der"
        static let pai = "pai.der"
        static let declaration = "cd.der"
        static let key = "dac-key.pem"
    }

    private func path(_ name: String) -> String { "\(directory)/\(name)" }

    // MARK: - The device

    /// The device that `init` created.
    func device() throws(LockProgram.Failure) -> LockDevice {
        guard let octets = try read(Name.label, LockFiles.limits.label) else {
            throw .failed("\(directory): holds no lock; make one with readerd-matter init")
        }
        return LockDevice(label: try LockLabel(octets, path(Name.label)), attestation: try attestation())
    }

    /// Stores a label and its attestation.
    func keep(_ label: LockLabel, attestation source: String) throws(LockProgram.Failure) {
        guard mkdir(directory, 0o700) == 0 || errno == EEXIST else { throw fault(directory, "cannot make it", errno) }
        guard access(path(Name.label), F_OK) != 0 else {
            throw .failed("\(path(Name.label)): there is a lock; remove the file for a new code, after reset")
        }
        let other = LockFiles(directory: source)
        for name in [Name.dac, Name.pai, Name.declaration, Name.key] {
            guard var octets = try other.read(name, LockFiles.limits.certificate, isPrivate: false) else {
                throw .failed("\(source)/\(name): no such file; it comes with the manufacturer's attestation")
            }
            defer { wipeSecret(&octets) }
            try replace(name, octets)
        }
        _ = try attestation()
        // The label is written last, since its file marks a complete lock.
        try replace(Name.label, Array(label.json.utf8))
    }

    private func attestation() throws(LockProgram.Failure) -> DeviceAttestation {
        func part(_ name: String) throws(LockProgram.Failure) -> [UInt8] {
            guard let octets = try read(name, LockFiles.limits.certificate) else {
                throw .failed("\(path(name)): no such file; make the lock again with readerd-matter init")
            }
            return octets
        }
        var pem = try part(Name.key)
        defer { wipeSecret(&pem) }
        guard let key = try? P256PrivateKey(pem: pem.span) else {
            throw .failed("\(path(Name.key)): is no P-256 key in PEM; take the manufacturer's")
        }
        return DeviceAttestation(
            dac: try part(Name.dac), pai: try part(Name.pai), declaration: try part(Name.declaration), key: key)
    }

    // MARK: - The node

    /// The node's state; nil for a node without a fabric.
    func state() throws(LockProgram.Failure) -> [UInt8]? { try read(Name.state, LockFiles.limits.state) }

    /// Replaces the node's state durably.
    func keep(state octets: [UInt8]) throws(LockProgram.Failure) { try replace(Name.state, octets) }

    /// Removes the node's state.
    func removeState() throws(LockProgram.Failure) {
        guard unlink(path(Name.state)) == 0 || errno == ENOENT else {
            throw fault(path(Name.state), "cannot remove it", errno)
        }
    }

    // MARK: - Octets

    private func read(_ name: String, _ limit: Int, isPrivate: Bool = true) throws(LockProgram.Failure) -> [UInt8]? {
        do throws(PrivateFileFault) {
            return try PrivateFile(path: path(name), limit: limit, mayBeShared: !isPrivate).load()
        } catch {
            throw .failed(error.description)
        }
    }

    private func replace(_ name: String, _ octets: [UInt8]) throws(LockProgram.Failure) {
        do throws(DurableFile.Failure) { try DurableFile.replace(path(name), with: octets) } catch {
            throw fault(error.path, "cannot write it", error.errno)
        }
    }

    private func fault(_ path: String, _ problem: String, _ code: CInt) -> LockProgram.Failure {
        .failed("\(path): \(problem): \(String(cString: strerror(code))); check its owner and permissions")
    }
}

/// A lock as manufactured.
struct LockDevice {
    let label: LockLabel
    let attestation: DeviceAttestation
}
