// SPDX-License-Identifier: Apache-2.0

import Crypto
import Fleet
import Glibc
import MQTT
import System

/// `readerd-link enrol`: the link's own key, which never leaves the device, and the request for its certificate.
struct EnrolmentFiles: Equatable {
    /// The reader's identifier in topics.
    var device: String
    var key: String
    var request: String

    /// Creates both files. An existing file is preserved: a certificate may have been issued for the key.
    func make() throws(ProgramFailure) {
        guard access(key, F_OK) != 0 else {
            throw .failed("\(key): there is a key already; remove it, or name another file with --key")
        }
        var (made, request) = try Enrolment.request(name: device)
        defer { wipeSecret(&made) }
        try EnrolmentFiles.write(request, to: self.request)
        try EnrolmentFiles.write(made, to: key)
    }

    private static func write(_ octets: [UInt8], to path: String) throws(ProgramFailure) {
        do throws(DurableFile.Failure) { try DurableFile.create(path, with: octets) } catch {
            guard error.errno != EEXIST else {
                throw .failed("\(path): exists, and is not replaced; remove it, or name another file")
            }
            throw .failed("\(error.path): cannot write it: \(String(cString: strerror(error.errno)))")
        }
    }
}
