// SPDX-License-Identifier: Apache-2.0

package import Commands
import Glibc
import System

/// The changes of files, by inotify. Their directories are watched: editors replace a file by another of its name.
package struct FileChanges {
    /// Readable when something has changed in a directory.
    package let descriptor: Int32
    private let paths: [String]
    private var contents: [[UInt8]?]

    /// Watches the files, which exist.
    package init(_ paths: [String]) throws(CommandError) {
        self.paths = paths
        contents = paths.map(FileChanges.octets)
        descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard descriptor >= 0 else { throw FileChanges.failure("inotify") }
        for directory in Set(paths.map(DurableFile.directory)) {
            let events = UInt32(IN_CLOSE_WRITE | IN_MOVED_TO)
            guard inotify_add_watch(descriptor, directory, events) >= 0 else { throw FileChanges.failure(directory) }
        }
    }

    private static func failure(_ what: String) -> CommandError {
        CommandError.failed("\(what): cannot watch it for changes: \(String(cString: strerror(errno)))")
    }

    /// The indices of the files whose content has changed since the last call. A file that is gone has not changed.
    package mutating func drain() -> [Int] {
        var events = [UInt8](repeating: 0, count: 4096)
        while read(descriptor, &events, events.count) > 0 {}
        var changed: [Int] = []
        for (index, path) in paths.enumerated() {
            guard let now = FileChanges.octets(path), now != contents[index] else { continue }
            contents[index] = now
            changed.append(index)
        }
        return changed
    }

    private static func octets(_ path: String) -> [UInt8]? {
        try? InputFile.octets(path, maximum: 1_048_576, "a file")
    }
}
