// SPDX-License-Identifier: Apache-2.0

package import Emulation

/// The fields of an air, in the notation of `--nfc` and `--field`.
package struct FieldPlan: Equatable {
    /// A reader and the path of the pseudo-terminal to its chip; nil for the reader of this process.
    package struct Reader: Equatable {
        package let name: String
        package let path: String?
    }

    /// The maximum length of the path of a Unix socket in octets.
    private static let pathLimit = 107

    package let readers: [Reader]
    /// The path of the socket for cards.
    package let socket: String

    /// The field of a reader in this process.
    ///
    /// - Parameter field: the socket for cards, in the notation of `--field`.
    package static func ofThisProcess(_ name: String, field: String) throws(CommandFault) -> FieldPlan {
        FieldPlan(readers: [Reader(name: name, path: nil)], socket: try socketPath(field, option: "--field"))
    }

    /// Parses the options; nil if neither is given.
    package static func parse(nfc: [String], field: String?) throws(CommandFault) -> FieldPlan? {
        guard !nfc.isEmpty || field != nil else { return nil }
        guard !nfc.isEmpty else { throw CommandFault("--field needs a reader's chip: --nfc reader=pty:PATH") }
        guard let field else { throw CommandFault("--nfc needs the socket for cards: --field unix:PATH") }
        var readers: [Reader] = []
        for text in nfc {
            let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2, parts[1].hasPrefix("pty:") else {
                throw CommandFault("--nfc \(text.debugDescription): write NAME=pty:PATH")
            }
            let name = try FieldName.checked(parts[0])
            guard !readers.contains(where: { $0.name == name }) else {
                throw CommandFault("two fields are called \(name); give them different names")
            }
            readers.append(Reader(name: name, path: try path(parts[1].dropFirst(4))))
        }
        guard readers.count <= FieldSession.readerLimit else {
            throw CommandFault("--nfc is given \(readers.count) times; \(FieldSession.readerLimit) are the most")
        }
        return FieldPlan(readers: readers, socket: try socketPath(field, option: "--field"))
    }

    /// The path of a socket in the notation `unix:PATH`.
    package static func socketPath(_ text: String, option: String) throws(CommandFault) -> String {
        guard text.hasPrefix("unix:") else {
            throw CommandFault("\(option) \(text.debugDescription): write unix:PATH")
        }
        return try path(text.dropFirst("unix:".count))
    }

    private static func path(_ text: Substring) throws(CommandFault) -> String {
        guard !text.isEmpty, !text.utf8.contains(0), !text.hasPrefix("@"), text.utf8.count <= pathLimit else {
            throw CommandFault("\(String(text).debugDescription) is no path of 1 to \(pathLimit) octets")
        }
        return String(text)
    }
}
