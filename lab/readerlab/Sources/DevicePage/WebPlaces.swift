// SPDX-License-Identifier: Apache-2.0

/// The places of a server's connections: those without the token share one set, and displace one another; those that
/// have shown it have another, from which nothing displaces them.
struct WebPlaces<Connection: Hashable> {
    /// The maximum number of connections that have not shown the token: the first requests of several pages.
    static var maximumStrangers: Int { 32 }
    /// The maximum number of connections that have: several pages, each with a stream and a few requests.
    static var maximumKnown: Int { 32 }

    /// Oldest first.
    private var strangers: [Connection] = []
    private var known: Set<Connection> = []

    /// Adds a connection; returns the one to close for it.
    mutating func open(_ connection: Connection) -> Connection? {
        strangers.append(connection)
        return strangers.count > WebPlaces.maximumStrangers ? strangers.removeFirst() : nil
    }

    /// Moves a connection that has shown the token to the known ones; false if all places are occupied.
    mutating func admit(_ connection: Connection) -> Bool {
        guard known.count < WebPlaces.maximumKnown || known.contains(connection) else { return false }
        strangers.removeAll { $0 == connection }
        known.insert(connection)
        return true
    }

    /// Removes a connection.
    mutating func close(_ connection: Connection) {
        strangers.removeAll { $0 == connection }
        known.remove(connection)
    }
}
