import DurableFile
import Glibc

/// The directory in which a reader keeps what must outlive it.
struct StateDirectory {
    /// Its path, without a slash at the end.
    let path: String

    /// The directory at `path`, of a reader that has run; nothing is made.
    init(existing path: String) throws(ReaderdError) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw .file(path, "examine it", errno: errno, remedy: "name the state directory with --state")
        }
        self.path = path
    }

    /// The directory at `path`; it is made, for its owner only, if it is missing and the one above is there.
    init(_ path: String) throws(ReaderdError) {
        var trimmed = path[...]
        while trimmed.count > 1, trimmed.hasSuffix("/") { trimmed.removeLast() }
        self.path = String(trimmed)
        if mkdir(self.path, 0o700) != 0 && errno != EEXIST {
            let remedy = "make it for readerd's user, or name another with --state"
            throw .file(self.path, "make the state directory", errno: errno, remedy: remedy)
        }
        var status = stat()
        guard stat(self.path, &status) == 0 else { throw .file(self.path, "examine it", errno: errno) }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw .failed("\(path): is not a directory; name another with --state")
        }
        // Whoever may write here may put another key in the backend's place.
        guard status.st_mode & 0o022 == 0 else {
            throw .failed("\(path): others may write to the state directory; do: chmod go-w \(path)")
        }
    }

    /// The path of a file in it.
    func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Puts `octets` in the file's place, for its owner only: after a power cut it has either its old content or
    /// all of the new.
    func replace(_ name: String, with octets: [UInt8]) throws(ReaderdError) {
        do throws(DurableFile.Failure) { try DurableFile.replace(file(name), with: octets) } catch {
            throw StateDirectory.fault(error)
        }
    }

    /// Makes what was renamed or removed durable.
    func synchronize() throws(ReaderdError) {
        do throws(DurableFile.Failure) { try DurableFile.synchronize(directory: path) } catch {
            throw StateDirectory.fault(error)
        }
    }

    private static func fault(_ failure: DurableFile.Failure) -> ReaderdError {
        let remedy = "is the file system writable, and not full?"
        return switch failure.step {
        case .create: .file(failure.path, "create it", errno: failure.errno, remedy: remedy)
        case .write: .file(failure.path, "write it", errno: failure.errno, remedy: remedy)
        case .replace: .file(failure.path, "replace it", errno: failure.errno, remedy: remedy)
        case .openDirectory: .file(failure.path, "open it", errno: failure.errno)
        case .synchronizeDirectory: .file(failure.path, "synchronize it", errno: failure.errno)
        }
    }
}
