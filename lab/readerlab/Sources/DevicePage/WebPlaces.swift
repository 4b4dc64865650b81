// SPDX-License-Identifier: Apache-2.0

/// The places of a server's connections. Connections without the token share one set, in which new ones displace old
/// ones; connections that have presented it have a separate set, and are never displaced.
struct WebPlaces<Connection: Hashable> {
    /// The maximum number of connections that have not presented the token: the first requests of several pages.
    static var maximumStrangers: Int { 32 }
    /// The maximum number of connections that have presented it: several pages, each with a stream and a few requests.
    static var maximumKnown: Int { 32 }

    /// The connections without the token, oldest first.
    private var strangers: [Connection] = []
    private var known: Set<Connection> = []

    /// Adds a connection. Returns the connection to close in its favour, if any.
    mutating func open(_ connection: Connection) -> Connection? {
        strangers.append(connection)
        return strangers.count > WebPlaces.maximumStrangers ? strangers.removeFirst() : nil
    }

    /// Moves a connection that has presented the token to the known ones; false if all places are occupied.
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
