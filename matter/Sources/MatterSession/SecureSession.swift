// SPDX-License-Identifier: Apache-2.0

public import MatterTLV

/// The identifier of a session that this node chose.
public struct SessionID: Hashable, Sendable {
    /// The number in message headers, 1 to 65,535.
    public let rawValue: UInt16
    /// The session `rawValue`.
    public init(rawValue: UInt16) { self.rawValue = rawValue }
}

/// An exchange in the numbering of this node. A number is reused only after 2³² other exchanges.
public struct ExchangeID: Hashable, Sendable {
    /// The number.
    public let rawValue: UInt32
    /// The exchange `rawValue`.
    public init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// The public part of a secure session.
public struct SecureSession: Sendable {
    /// The authentication of the peer.
    public enum Kind: Equatable, Sendable {
        /// By the setup passcode.
        case pase
        /// By the operational certificate: node and tags of its subject.
        case `case`(node: NodeID, tags: [CASEAuthenticatedTag])
    }

    /// The identifier.
    public let id: SessionID
    /// The authentication of the peer.
    public let kind: Kind
    /// The fabric; nil on a PASE session before AddNOC.
    public let fabric: FabricIndex?
    /// The challenge that attestation and certificate requests sign.
    public let attestationChallenge: [UInt8]
    /// The peer's address, as last heard.
    public let peer: TransportPeer
    /// The peer's session parameters.
    public let peerParameters: SessionParameters
}

/// A message of a protocol of Matter without its headers.
public struct MatterMessage: Equatable, Sendable {
    /// The interaction model.
    public static let interactionModel: UInt16 = 1

    /// The protocol.
    public var protocolID: UInt16
    /// The opcode within the protocol.
    public var opcode: UInt8
    /// The payload, which can have a PIN or a key: wiped when the last copy of the message ends.
    public var payload: [UInt8] { contents.octets }

    private let contents: SessionSecret

    /// A message with these fields.
    public init(protocolID: UInt16 = MatterMessage.interactionModel, opcode: UInt8, payload: consuming [UInt8]) {
        self.protocolID = protocolID
        self.opcode = opcode
        contents = SessionSecret(payload)
    }

    /// True if both have the same fields.
    public static func == (left: MatterMessage, right: MatterMessage) -> Bool {
        left.protocolID == right.protocolID && left.opcode == right.opcode && left.payload == right.payload
    }
}
