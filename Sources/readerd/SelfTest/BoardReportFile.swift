// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The file of a board's report. After each answer it is whole and on the disk, so that an interruption loses none.
///
/// Written in place: the process runs as the state directory's owner by then, and may be unable to create files next
/// to the report.
struct BoardReportFile {
    let path: String
    private let descriptor: CInt

    /// Creates the file, which must not exist.
    init(creating path: String) throws(ReaderdError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw .file(path, "create it", errno: errno) }
        (self.path, self.descriptor) = (path, descriptor)
    }

    /// Replaces the contents. A signal that ends the process waits for the end of it.
    func write(_ lines: [String]) throws(ReaderdError) {
        let octets = Array(lines.map { $0 + "\n" }.joined().utf8)
        var (all, former) = (sigset_t(), sigset_t())
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, &former)
        defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
        var count = 0
        while count < octets.count {
            let written = octets[count...].withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, count) }
            guard written > 0 else { throw .file(path, "write it", errno: errno) }
            count += written
        }
        guard ftruncate(descriptor, count) == 0, fsync(descriptor) == 0 else {
            throw .file(path, "write it", errno: errno)
        }
    }

    /// Ends the use of the file.
    func close() { _ = Glibc.close(descriptor) }

    /// Removes the file.
    func remove() { unlink(path) }
}
