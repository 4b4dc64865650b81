import Glibc
import Testing

/// A directory of one test's own, gone with the value.
final class TemporaryDirectory {
    let path: String

    init() throws {
        var template = Array("/tmp/readerd-test-XXXXXX\0".utf8CString)
        let made = try #require(mkdtemp(&template))
        path = String(cString: made)
    }

    deinit { TemporaryDirectory.remove(path) }

    /// Writes a file in it; the mode is what it gets, whatever the umask.
    @discardableResult func write(_ name: String, _ octets: [UInt8], mode: mode_t = 0o644) throws -> String {
        let file = "\(path)/\(name)"
        let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        try #require(Glibc.write(descriptor, octets, octets.count) == octets.count)
        try #require(fchmod(descriptor, mode) == 0)
        return file
    }

    @discardableResult func write(_ name: String, _ text: String, mode: mode_t = 0o644) throws -> String {
        try write(name, Array(text.utf8), mode: mode)
    }

    /// The names in it.
    func names(in subdirectory: String = "") -> [String] { TemporaryDirectory.names("\(path)/\(subdirectory)") }

    /// The permission bits of what is in it.
    func mode(of name: String) -> mode_t? {
        var status = stat()
        return stat("\(path)/\(name)", &status) == 0 ? status.st_mode & 0o7777 : nil
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

    /// Removes what is at `path`.
    static func clear(_ path: String) { remove(path) }

    private static func remove(_ path: String) {
        for name in names(path) where unlink("\(path)/\(name)") != 0 { remove("\(path)/\(name)") }
        rmdir(path)
    }
}
