// SPDX-License-Identifier: Apache-2.0

public import Commands
import Crypto
import Glibc
import MQTT
import System

/// The certificate authority of a site: two files in one directory.
public struct FleetAuthority {
    /// The directory.
    public let directory: String

    /// The authority in a directory.
    public init(directory: String) {
        self.directory = directory
    }

    /// The path of its certificate.
    public var certificatePath: String { "\(directory)/ca.pem" }
    private var keyPath: String { "\(directory)/ca-key.pem" }

    /// Creates the authority. Throws if one exists, since replacing it would void all its certificates.
    public func make(name: String) throws(CommandError) {
        mkdir(directory, 0o700)
        for path in [certificatePath, keyPath] where access(path, F_OK) == 0 {
            throw .misuse("\(path): there is an authority already; name another directory")
        }
        var made: (key: [UInt8], certificate: [UInt8])
        do throws(ProgramFailure) { made = try Enrolment.authority(name: name) } catch {
            throw .failed(error.description)
        }
        defer { wipeSecret(&made.key) }
        try CommandError.create(keyPath, with: made.key)
        try CommandError.create(certificatePath, with: made.certificate)
        chmod(certificatePath, 0o644)
    }

    /// Issues the certificate of a client with this name, for the request in this file.
    public func issue(_ path: String, name: String) throws(CommandError) -> [UInt8] {
        let request = try FleetAuthority.read(path, isPrivate: false)
        let certificate = try FleetAuthority.read(certificatePath, isPrivate: false)
        var key = try FleetAuthority.read(keyPath, isPrivate: true)
        defer { wipeSecret(&key) }
        do throws(ProgramFailure) {
            return try Enrolment.issue(request, name: name, authority: certificate, key: key)
        } catch {
            throw .failed("\(path): \(error.description); make it by: readerd-link enrol --device \(name)")
        }
    }

    /// The octets of a file. A private file that other users can read is refused.
    public static func read(_ path: String, isPrivate: Bool) throws(CommandError) -> [UInt8] {
        do throws(PrivateFileFault) {
            let file = PrivateFile(path: path, limit: Enrolment.fileLimit, mayBeShared: !isPrivate)
            guard let octets = try file.load() else { throw PrivateFileFault("\(path): no such file") }
            return octets
        } catch {
            throw .misuse(error.description)
        }
    }
}
