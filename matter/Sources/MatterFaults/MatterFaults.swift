// SPDX-License-Identifier: Apache-2.0

public import MatterInteraction
public import MatterTLV

/// Faults that the developer of an app injects. No fault is active by default, and none weakens the node: they
/// withhold, delay or corrupt replies.
public struct MatterFaults: Equatable, Sendable {
    /// A command of any endpoint.
    public struct Command: Hashable, Sendable {
        /// Its cluster.
        public var cluster: ClusterID
        /// Its identifier.
        public var command: CommandID

        /// The command `command` of `cluster`.
        public init(cluster: ClusterID, command: CommandID) {
            self.cluster = cluster
            self.command = command
        }
    }

    /// The effect of a fault on a command.
    public enum Reaction: Equatable, Sendable {
        /// The command is not executed, and not answered.
        case silence
        /// The command is not executed, and answered with this status.
        case refusal(InteractionStatus)
        /// The command is executed, and answered after this time.
        case delay(Duration)
    }

    /// No message on a PASE session is answered after the session is established.
    public var isSilentAfterPASE = false
    /// The node never advertises its fabrics, and answers no CASE.
    public var isNeverOperational = false
    /// The number of the next reports of subscriptions that are not sent.
    public var lostReports = 0
    /// ConnectNetworkResponse carries an unsigned error value on a failure, which the specification forbids.
    public var sendsUnsignedErrorValue = false
    /// The attestation elements hold another nonce than the request.
    public var spoilsAttestationNonce = false
    /// The signature of the CSR elements is wrong.
    public var spoilsCSRSignature = false
    /// Reactions to commands while they are set.
    public var reactions: [Command: Reaction] = [:]

    /// No faults.
    public init() {}
}
