// SPDX-License-Identifier: Apache-2.0

import Crypto
import Glibc
import Octets

/// The directory of an identity. `identity` in the state directory is a link to it, so that an identity is replaced
/// atomically: after a power cut the link leads to the complete old one or the complete new one.
enum IdentityDirectory {
    /// The link.
    static let linkName = "identity"
    /// The prefix of an identity's directory; eight hexadecimal digits follow.
    static let prefix = "identity-"
    /// The name of the new link before it is renamed.
    static let newLinkName = "identity.new"

    /// The steps of a replacement, in order.
    enum Step: Equatable {
        case made
        case wrote(IdentityFiles.File)
        case linked
        case swapped
        case removedOld
    }

    /// Called after each step. A test throws to simulate a power cut.
    typealias Watcher = (Step) throws(ReaderdError) -> Void

    /// Returns the identity's directory: the link's target, or the state directory for an identity installed by hand.
    static func current(in state: StateDirectory) throws(ReaderdError) -> StateDirectory {
        guard try state.status(of: linkName) != nil else { return state }
        // A target with any other name was not created here, and could be outside.
        guard let name = state.link(linkName), isDirectoryName(name) else {
            throw .damaged(state.file(linkName), "not made by readerd provision; move it away")
        }
        let directory: StateDirectory
        do throws(ReaderdError) { directory = try state.directory(name) } catch {
            throw .damaged(
                state.file(linkName),
                "the identity is missing (\(error)); run: readerd reset, then readerd provision")
        }
        try directory.refuseOthersWriting()
        return directory
    }

    /// Replaces the present identity, if any, with these files, and removes it.
    static func replace(
        in state: StateDirectory, with files: [(file: IdentityFiles.File, octets: [UInt8])],
        watcher: Watcher = { _ in }
    ) throws(ReaderdError) {
        try removeAllBut(current(in: state), in: state)
        let name = prefix + freshName()
        // Each file is on the disk before the link leads to it.
        let directory = try state.makeDirectory(name)
        try watcher(.made)
        for (file, octets) in files {
            try directory.replace(file.rawValue, with: octets)
            try watcher(.wrote(file))
        }
        try state.makeLink(newLinkName, to: name)
        try state.synchronize()
        try watcher(.linked)
        try state.rename(newLinkName, to: linkName)
        try state.synchronize()
        try watcher(.swapped)
        try removeAllBut(directory, in: state)
        // Files installed by hand are obsolete as well.
        for file in IdentityFiles.File.allCases { try state.wipe(file.rawValue) }
        try state.synchronize()
        try watcher(.removedOld)
    }

    /// Removes the replaced identity, and the remains of an earlier replacement.
    private static func removeAllBut(_ directory: StateDirectory, in state: StateDirectory) throws(ReaderdError) {
        for name in try state.names() where isDirectoryName(name) && state.file(name) != directory.path {
            try state.wipe(name)
        }
        try state.wipe(newLinkName)
    }

    static func isDirectoryName(_ name: String) -> Bool {
        name.hasPrefix(prefix) && Hexadecimal.octets(name.dropFirst(prefix.count))?.count == 4
    }

    private static func freshName() -> String {
        var random = SystemRandomSource()
        return Hexadecimal.text(random.octets(4))
    }
}
