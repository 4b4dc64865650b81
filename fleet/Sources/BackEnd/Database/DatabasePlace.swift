// SPDX-License-Identifier: Apache-2.0

import CPostgreSQL
public import Commands

/// The place of a fleet's database: a file of SQLite, or a server of PostgreSQL.
public enum DatabasePlace: Equatable, CustomStringConvertible {
    /// The path of a file.
    case file(String)
    /// A connection URI without a password (PostgreSQL, "Connection URIs").
    case server(String)

    /// The words at the beginning of a connection URI.
    private static let schemes = ["postgresql://", "postgres://"]
    /// The parameters of a connection that are secret.
    private static let secrets: Set = ["password", "sslpassword"]

    /// The place that a command line names. Every user of the machine can read it, so a password is refused.
    public init(_ text: String) throws(CommandError) {
        guard DatabasePlace.schemes.contains(where: text.hasPrefix) else {
            self = .file(text)
            return
        }
        // The library's error messages quote parts of the URI, which may be a password.
        guard let options = PQconninfoParse(text, nil) else {
            throw .misuse("--database: is no connection URI: postgresql://[USER@][HOST][:PORT]/[DATABASE]")
        }
        defer { PQconninfoFree(options) }
        var option = options
        while let keyword = option.pointee.keyword {
            if option.pointee.val != nil, DatabasePlace.secrets.contains(String(cString: keyword)) {
                throw .misuse(
                    "--database: a password does not belong on a command line, which every user can read; write it "
                        + "into ~/.pgpass, or into a service file: postgresql:///?service=NAME")
            }
            option += 1
        }
        self = .server(text)
    }

    /// The path or the address.
    public var description: String {
        switch self {
        case .file(let path): path
        case .server(let uri): uri
        }
    }

    /// Connects to the database.
    ///
    /// - Parameter isReading: true to read the data of a collector, which may be running.
    func open(isReading: Bool) throws(DatabaseFault) -> any DatabaseEngine {
        switch self {
        case .file(let path): try SQLiteEngine(path: path, isReading: isReading)
        case .server(let uri): try PostgreSQLEngine(uri: uri, isReading: isReading)
        }
    }
}
