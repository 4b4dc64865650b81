// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A small file that only its owner may read and write.
struct PrivateFile {
    /// The maximum of octets: a key or a line, and room for line ends.
    static let limit = 64

    let path: String

    /// The contents, which are the caller's to wipe; nil if there is no file. A link is not followed.
    func load() throws(PanelFileFault) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw fault("cannot read it", errno)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw fault("cannot read it", errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw PanelFileFault("\(path): is no file; remove it") }
        guard status.st_mode & 0o077 == 0 else {
            throw PanelFileFault("\(path): others can read or write it: chmod 600 \(path)")
        }
        var octets = [UInt8](repeating: 0, count: PrivateFile.limit + 1)
        let count = read(descriptor, &octets, octets.count)
        guard count >= 0 else { throw fault("cannot read it", errno) }
        guard count <= PrivateFile.limit else {
            throw PanelFileFault("\(path): is longer than \(PrivateFile.limit) octets; remove it")
        }
        octets.removeLast(octets.count - count)
        return octets
    }

    private func fault(_ problem: String, _ code: CInt) -> PanelFileFault {
        PanelFileFault("\(path): \(problem): \(String(cString: strerror(code))); check its owner and permissions")
    }
}
