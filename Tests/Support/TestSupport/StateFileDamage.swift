// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Damage to a file of a state directory.
public enum StateFileDamage {
    /// A change of the entry of this name in a directory; an entry that is missing may be created.
    public typealias Change = @Sendable (_ directory: String, _ name: String) throws -> Void

    /// Each damage with its name. None of them removes the file.
    public static let all: [(name: String, change: Change)] = [
        ("empty", { try rewrite($0, $1) { _ in [] } }),
        ("zeroed", { try rewrite($0, $1) { [UInt8](repeating: 0, count: $0.isEmpty ? 64 : $0.count) } }),
        ("halved", { try rewrite($0, $1) { Array($0.prefix($0.count / 2)) } }),
        ("of another version", { try rewrite($0, $1) { Array("version 99\n".utf8) + $0.dropFirst(11) } }),
        ("longer than any", { try rewrite($0, $1) { $0 + [UInt8](repeating: 0x41, count: 200_000) } }),
        (
            "a directory",
            { directory, name in
                try replace(directory, name) { mkdir($0, 0o700) == 0 ? mkdir("\($0)/inside", 0o700) : -1 }
            }
        ),
        ("a link", { directory, name in try replace(directory, name) { symlink("/etc/hostname", $0) } }),
        ("a link to nothing", { directory, name in try replace(directory, name) { symlink("nowhere", $0) } }),
        ("a FIFO", { directory, name in try replace(directory, name) { mkfifo($0, 0o600) } }),
        ("a device", { directory, name in try replace(directory, name) { symlink("/dev/zero", $0) } }),
    ]

    private static func rewrite(
        _ directory: String, _ name: String, _ change: ([UInt8]) -> [UInt8]
    ) throws {
        let path = "\(directory)/\(name)"
        let octets = (try? TestSupport.octets(ofFile: path)) ?? []
        // A file in the place of a link.
        if isLink(path) { unlink(path) }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw FileFailure(doing: "open \(name)", errno: errno) }
        defer { close(descriptor) }
        let changed = change(octets)
        guard write(descriptor, changed, changed.count) == changed.count else {
            throw FileFailure(doing: "write \(name)", errno: errno)
        }
    }

    private static func isLink(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    private static func replace(
        _ directory: String, _ name: String, _ make: (String) -> CInt
    ) throws {
        let path = "\(directory)/\(name)"
        unlink(path)
        guard make(path) == 0 else { throw FileFailure(doing: "make \(name)", errno: errno) }
    }
}
