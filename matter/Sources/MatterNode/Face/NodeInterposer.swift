// SPDX-License-Identifier: Apache-2.0

public import MatterInteraction
public import Timekeeping

/// Changes the replies of a node, for tests of apps: `MatterFaults`. A product has none.
///
/// No change weakens the node: replies are dropped, delayed or spoiled.
public protocol NodeInterposer: Sendable {
    /// False if the node neither advertises its fabrics nor answers CASE.
    var isOperational: Bool { get }
    /// True if a message of this peer gets no reply.
    mutating func dropsMessage(from accessor: Accessor) -> Bool
    /// True if the next report of a subscription is not sent.
    mutating func dropsReport() -> Bool
    /// True if the error value of a failed ConnectNetwork is unsigned, which the specification forbids.
    mutating func sendsUnsignedErrorValue() -> Bool
    /// Changes the nonce of the attestation elements.
    mutating func changeAttestation(nonce: inout [UInt8])
    /// Changes the signature of the CSR elements.
    mutating func changeRequest(signature: inout [UInt8])

    /// The outcome of a command that is not executed; nil to execute it.
    mutating func outcome(of path: CommandPath, named name: String) -> CommandOutcome?
    /// Replaces the outcome of an executed command, which may be unknown yet: `later`.
    mutating func outcome(
        _ outcome: CommandOutcome, of path: CommandPath, named name: String, _ ticket: CommandTicket, at now: Instant
    ) -> CommandOutcome
    /// True if an outcome that is complete now is kept back until `takeDue`.
    mutating func delays(_ outcome: CommandOutcome, _ ticket: CommandTicket, at now: Instant) -> Bool
    /// The time of the next call of `takeDue`; nil for none.
    var deadline: Instant? { get }
    /// Removes and returns the outcomes that are due.
    mutating func takeDue(at now: Instant) -> [(CommandTicket, CommandOutcome)]

    /// Removes and returns a description of each change since the last call.
    mutating func takeNotices() -> [String]
}
