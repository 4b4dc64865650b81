import Crypto
import Glibc
import Octets

/// An identity as a directory of its own: `identity` in the state directory is a link to it, so that another takes its
/// place in one step. After a power cut at any instant the link leads to the whole old one or the whole new one.
enum IdentityDirectory {
    /// The link.
    static let linkName = "identity"
    /// The prefix of directories of identities; eight hexadecimal digits follow.
    static let prefix = "identity-"
    /// The link while it is made.
    static let newLinkName = "identity.new"

    /// The steps of a replacement, in their order.
    enum Step: Equatable {
        case made
        case wrote(IdentityFiles.File)
        case linked
        case swapped
        case removedOld
    }

    /// Is told of each step that is done. A test throws in it: that is the power cut.
    typealias Watcher = (Step) throws(ReaderdError) -> Void

    /// The place of the identity: the directory that the link names, or the state directory, for one put there by hand.
    static func current(in state: StateDirectory) throws(ReaderdError) -> StateDirectory {
        guard try state.status(of: linkName) != nil else { return state }
        // A name of another kind was not made here, and could lead anywhere.
        guard let name = state.link(linkName), isDirectoryName(name) else {
            throw .failed("\(state.file(linkName)): is not what readerd provision makes; move it away")
        }
        let directory = try state.directory(name, remedy: "the identity is gone: readerd reset, and anew")
        try directory.refuseOthersWriting()
        return directory
    }

    /// Puts an identity of these files in the place of the one that is there, if any, and removes that.
    static func replace(
        in state: StateDirectory, with files: [(file: IdentityFiles.File, octets: [UInt8])],
        watcher: Watcher = { _ in }
    ) throws(ReaderdError) {
        try removeAllBut(current(in: state), in: state)
        let name = prefix + freshName()
        // The files first, each on the disk before the link leads to it.
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
        // One that was put there by hand has lost its place as well.
        for file in IdentityFiles.File.allCases { try state.wipe(file.rawValue) }
        try state.synchronize()
        try watcher(.removedOld)
    }

    /// Removes what an earlier replacement left, or this one has replaced.
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
