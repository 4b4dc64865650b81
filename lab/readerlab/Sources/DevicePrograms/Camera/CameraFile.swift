// SPDX-License-Identifier: Apache-2.0

package import Commands
package import Devices
import Glibc
import System
import WiFi
import WiFiStation

/// The file in which an emulated camera stores its network, so that it remains onboarded after a restart. Only its
/// owner can read it. The token is not stored, because it is redeemed.
package struct CameraFile {
    /// The path.
    package let path: String

    /// The file of the device with this index, counted from 0, in a directory that is created if missing.
    package init(directory: String, number: Int) throws(CommandError) {
        guard mkdir(directory, 0o700) == 0 || errno == EEXIST else {
            throw .failed("\(directory): cannot make it for credentials: \(String(cString: strerror(errno)))")
        }
        path = "\(directory)/camera-\(number + 1).credentials"
    }

    /// Reads the stored credentials, or nil.
    package func load() throws(CommandError) -> CameraCredentials? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw .failed("\(path): cannot open it: \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 == 0 else {
            throw .failed("\(path): others may read the passphrase in it; do: chmod 600 \(path)")
        }
        var octets = [UInt8](repeating: 0, count: CameraCredentialsReader.maximumCount + 1)
        let count = read(descriptor, &octets, octets.count)
        guard count >= 0 else { throw .failed("\(path): cannot read it") }
        octets.removeLast(octets.count - count)
        var reader = CameraCredentialsReader()
        do throws(CameraCredentialsFault) {
            if let (credentials, _) = try reader.append(octets.span, allowsNoName: true) { return credentials }
            return try reader.finish(demandsNewline: false, allowsNoName: true).0
        } catch {
            throw .failed("\(path): no credentials: \(error); remove it, and onboard the camera again")
        }
    }

    /// Stores credentials. Returns a description of the failure, if any.
    func save(_ credentials: CameraCredentials) -> String? {
        var octets = Array("SSID=".utf8) + credentials.name.octets + Array("\nPASS=".utf8)
        credentials.passphrase.withOctets { octets += $0 }
        octets += Array("\nUID=\(credentials.userID)\nKEY=redeemed\n".utf8)
        do throws(DurableFile.Failure) {
            try DurableFile.replace(path, with: octets)
            return nil
        } catch {
            return "\(error.path): cannot keep the credentials: \(String(cString: strerror(error.errno)))"
        }
    }
}
