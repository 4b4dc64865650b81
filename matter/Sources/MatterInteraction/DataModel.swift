// SPDX-License-Identifier: Apache-2.0

public import MatterTLV
public import Timekeeping

/// A change that a WriteRequest asks for.
public enum WriteOperation: Sendable {
    /// The whole value; for a list, an array.
    case replace(TLVElement)
    /// One more entry at the end of a list.
    case append(TLVElement)
}

/// The identity of a command until its outcome is known.
public struct CommandTicket: RawRepresentable, Hashable, Sendable {
    /// The number.
    public let rawValue: UInt32

    /// The ticket with a number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// The outcome of a command.
public enum CommandOutcome: Sendable {
    /// A status, also SUCCESS.
    case status(StatusInformation)
    /// A response command with its fields: a TLV structure with an anonymous tag.
    case response(CommandID, fields: [UInt8])
    /// No outcome yet: `InteractionServer.complete` follows with this ticket.
    case later(CommandTicket)
    /// No outcome at all: the exchange ends without a response, for a misbehaving device.
    case unanswered
}

/// The endpoints, clusters and values of a node.
///
/// The server verifies existence, privileges, timed interactions and data versions before it calls the model; the model
/// checks values and states. The server provides the global attributes.
public protocol DataModel {
    /// All endpoints. The server reads it for each path, so it should be a stored property.
    var endpoints: [EndpointDeclaration] { get }

    /// The access control list of all fabrics.
    var accessEntries: [AccessControlEntry] { get }

    /// The data version of a declared cluster.
    func dataVersion(endpoint: EndpointNumber, cluster: ClusterID) -> UInt32

    /// Writes the value of a declared attribute as one element with `tag`.
    ///
    /// - Parameter fabricFiltered: true for only the accessing fabric's entries of a fabric-scoped list.
    func read(
        _ path: AttributePath, by accessor: Accessor, fabricFiltered: Bool, into writer: inout TLVWriter,
        as tag: TLVTag, at now: Instant
    ) throws(StatusInformation)

    /// Changes a declared attribute that has a write privilege.
    mutating func write(
        _ path: AttributePath, _ operation: WriteOperation, by accessor: Accessor, at now: Instant
    ) throws(StatusInformation)

    /// Performs a declared command.
    ///
    /// - Parameters:
    ///   - fields: the structure of the fields, if the request has one.
    ///   - ticket: the identity of the command, for `.later`.
    mutating func invoke(
        _ path: CommandPath, fields: TLVElement?, ticket: CommandTicket, by accessor: Accessor, at now: Instant
    ) -> CommandOutcome
}
