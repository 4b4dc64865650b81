// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// Resolution of a directory's path, component by component. As root it follows only links owned by root: the owner of
/// any other could change it after the check.
enum DirectoryWalk {
    /// A component of the path, as a descriptor for fstat and openat.
    struct Place: ~Copyable {
        let descriptor: Int32

        deinit { close(descriptor) }
    }

    /// The result of a walk.
    enum End: ~Copyable {
        /// The directory exists.
        case found(Place)
        /// The last component does not exist in `above`.
        case missing(above: Place, name: String)
        /// The walk failed with this errno.
        case failed(Int32)
    }

    /// The kernel's limit of links (path_resolution(7)).
    private static let linkLimit = 40

    /// Walks to `path`.
    ///
    /// - Throws: An error for a link that is not followed.
    static func walk(_ path: String) throws(ReaderdError) -> End {
        var names: [String] = []
        var links = 0
        func turn(to path: String) -> Bool {
            names += path.split(separator: "/").reversed().map(String.init)
            return path.hasPrefix("/")
        }
        guard !path.isEmpty else { return .failed(ENOENT) }
        var place = Place(descriptor: readerd_open_place(AT_FDCWD, turn(to: path) ? "/" : "."))
        while let name = names.popLast() {
            let next = readerd_open_place(place.descriptor, name)
            guard next >= 0 else {
                return next == -ENOENT && names.isEmpty ? .missing(above: place, name: name) : .failed(-next)
            }
            let reached = Place(descriptor: next)
            guard let target = try link(reached.descriptor, name, path) else {
                place = reached
                continue
            }
            links += 1
            guard links <= linkLimit else { return .failed(ELOOP) }
            if turn(to: target) { place = Place(descriptor: readerd_open_place(AT_FDCWD, "/")) }
        }
        return .found(place)
    }

    /// Returns the link's target; nil if it is not a link.
    private static func link(_ place: Int32, _ name: String, _ path: String) throws(ReaderdError) -> String? {
        let status = try StateDirectory.status(place, path)
        guard status.st_mode & S_IFMT == S_IFLNK else { return nil }
        guard geteuid() != 0 || status.st_uid == 0 else {
            throw .failed(
                "\(path): \(name) is a link of user \(status.st_uid), not followed by root; name the directory itself "
                    + "with --state, or run this as that user")
        }
        var target = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlinkat(place, "", &target, target.count)
        guard count >= 0 else { throw .file(path, "examine it", errno: errno) }
        return String(decoding: target.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

extension StateDirectory {
    /// As root, changes the process to the directory's owner, before anything in it is accessed. No effect for other
    /// users.
    static func become(
        ownerOf directory: Int32, _ path: String, keeping rights: Rights
    ) throws(ReaderdError) {
        let status = try status(directory, path)
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw .failed("\(path): not a directory; name another with --state")
        }
        guard geteuid() == 0, status.st_uid != 0 else { return }
        let result = readerd_become_user(status.st_uid, status.st_gid, rights == .networkAdministration)
        guard result == 0 else {
            throw .file(
                path, "become its owner, user \(status.st_uid)", errno: -result,
                remedy: "run this as that user")
        }
    }
}
