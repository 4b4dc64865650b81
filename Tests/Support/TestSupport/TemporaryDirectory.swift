// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A directory for one test, removed with the value.
public final class TemporaryDirectory {
    /// The directory's path.
    public let path: String

    /// Creates the directory.
    public init() throws {
        var template = Array("/tmp/readerd-test-XXXXXX\0".utf8CString)
        guard let made = mkdtemp(&template) else { throw FileFailure(doing: "mkdtemp", errno: errno) }
        path = String(cString: made)
    }

    deinit { TemporaryDirectory.remove(path) }

    /// Writes a file in the directory, with exactly this mode whatever the umask is.
    @discardableResult public func write(_ name: String, _ octets: [UInt8], mode: UInt32 = 0o644) throws -> String {
        let file = "\(path)/\(name)"
        let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard descriptor >= 0 else { throw FileFailure(doing: "open \(name)", errno: errno) }
        defer { close(descriptor) }
        guard Glibc.write(descriptor, octets, octets.count) == octets.count, fchmod(descriptor, mode) == 0 else {
            throw FileFailure(doing: "write \(name)", errno: errno)
        }
        return file
    }

    /// Writes a text file in the directory.
    @discardableResult public func write(_ name: String, _ text: String, mode: UInt32 = 0o644) throws -> String {
        try write(name, Array(text.utf8), mode: mode)
    }

    /// The octets of a file in the directory.
    public func octets(of name: String) throws -> [UInt8] { try TestSupport.octets(ofFile: "\(path)/\(name)") }

    /// The names in the directory or in a subdirectory, sorted.
    public func names(in subdirectory: String = "") -> [String] { TemporaryDirectory.names("\(path)/\(subdirectory)") }

    /// The permission bits of a file.
    public func mode(of name: String) -> UInt32? { status(of: name).map { $0.st_mode & 0o7777 } }

    /// The size of a file in octets.
    public func size(of name: String) -> Int? { status(of: name).map { Int($0.st_size) } }

    /// Removes the file or directory at `path`, with its contents.
    public static func remove(_ path: String) {
        for name in names(path) where unlink("\(path)/\(name)") != 0 { remove("\(path)/\(name)") }
        rmdir(path)
    }

    private func status(of name: String) -> stat? {
        var status = stat()
        return stat("\(path)/\(name)", &status) == 0 ? status : nil
    }

    private static func names(_ path: String) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names.sorted()
    }
}

/// A failed system call of a test.
public struct FileFailure: Error {
    let doing: String
    let errno: Int32
}

/// The octets of the file at `path`.
public func octets(ofFile path: String) throws -> [UInt8] {
    guard let file = fopen(path, "r") else { throw FileFailure(doing: "open \(path)", errno: errno) }
    defer { fclose(file) }
    var (octets, piece): ([UInt8], [UInt8]) = ([], [UInt8](repeating: 0, count: 65_536))
    while case let count = fread(&piece, 1, piece.count, file), count > 0 { octets += piece[..<count] }
    guard ferror(file) == 0 else { throw FileFailure(doing: "read \(path)", errno: errno) }
    return octets
}
