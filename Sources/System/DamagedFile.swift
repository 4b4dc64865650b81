// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Renaming of entries that cannot be used, so that nothing in them is lost and a new file can take their place:
/// `NAME.damaged-1`, `NAME.damaged-2` and so on.
public enum DamagedFile {
    /// The maximum number of entries kept for one name. The oldest is removed, so that a failing disk does not fill.
    public static let limit = 8

    /// Returns the next free name for `name` in an open directory, and removes the oldest ones beyond the limit.
    /// `reason` is the word in the name.
    public static func freeName(for name: String, _ reason: String = "damaged", in directory: Int32) -> String {
        let prefix = "\(name).\(reason)-"
        let names = DirectoryNames.list(openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) ?? []
        // The companions of a database have the same number, and a suffix behind it.
        func number(_ entry: String) -> Int? {
            entry.hasPrefix(prefix) ? Int(entry.dropFirst(prefix.count).prefix { $0.isNumber }) : nil
        }
        let numbers = Set(names.compactMap(number)).sorted()
        for old in numbers.dropLast(limit - 1) {
            for entry in names where number(entry) == old { unlinkat(directory, entry, 0) }
        }
        return prefix + "\((numbers.last ?? 0) + 1)"
    }

    /// Renames the entry `name` of an open directory. Returns its new name; nil with errno if that fails.
    public static func putAside(_ name: String, in directory: Int32) -> String? {
        let other = freeName(for: name, in: directory)
        return renameat(directory, name, directory, other) == 0 ? other : nil
    }

    /// True if `name` is no entry of an open directory, or a regular file that this process may read and write.
    public static func isUsable(_ name: String, in directory: Int32) -> Bool {
        let descriptor = openat(directory, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            // Other errors, such as disk errors, are no fault of the entry.
            return ![EACCES, EPERM, EISDIR, ELOOP, ENXIO].contains(errno)
        }
        defer { close(descriptor) }
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }
}
