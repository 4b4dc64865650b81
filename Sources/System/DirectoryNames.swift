// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The names in a directory.
public enum DirectoryNames {
    /// Returns the names of the entries of the directory just opened, sorted, and closes it; nil with errno for a
    /// failure. For a negative descriptor, errno states the error.
    public static func list(_ descriptor: Int32) -> [String]? {
        guard descriptor >= 0 else { return nil }
        guard let directory = fdopendir(descriptor) else {
            let code = errno
            close(descriptor)
            errno = code
            return nil
        }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: pointer.pointee)) {
                    String(cString: $0)
                }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names.sorted()
    }
}
