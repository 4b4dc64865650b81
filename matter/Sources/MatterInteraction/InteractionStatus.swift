// SPDX-License-Identifier: Apache-2.0

/// A status code of the interaction model.
public struct InteractionStatus: RawRepresentable, Hashable, Sendable {
    /// The code.
    public let rawValue: UInt8

    /// The status with a code.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The request was performed.
    public static let success = InteractionStatus(rawValue: 0x00)
    /// A fault without a specific code, or with a code of the cluster.
    public static let failure = InteractionStatus(rawValue: 0x01)
    /// The subscription of a report is unknown to the peer.
    public static let invalidSubscription = InteractionStatus(rawValue: 0x7D)
    /// The privilege is missing.
    public static let unsupportedAccess = InteractionStatus(rawValue: 0x7E)
    /// The endpoint does not exist.
    public static let unsupportedEndpoint = InteractionStatus(rawValue: 0x7F)
    /// The message cannot be decoded, or is not expected.
    public static let invalidAction = InteractionStatus(rawValue: 0x80)
    /// The cluster has no such command.
    public static let unsupportedCommand = InteractionStatus(rawValue: 0x81)
    /// The fields of the command are malformed.
    public static let invalidCommand = InteractionStatus(rawValue: 0x85)
    /// The cluster has no such attribute.
    public static let unsupportedAttribute = InteractionStatus(rawValue: 0x86)
    /// A value violates a constraint.
    public static let constraintError = InteractionStatus(rawValue: 0x87)
    /// The attribute is read-only.
    public static let unsupportedWrite = InteractionStatus(rawValue: 0x88)
    /// No room is left.
    public static let resourceExhausted = InteractionStatus(rawValue: 0x89)
    /// The object does not exist.
    public static let notFound = InteractionStatus(rawValue: 0x8B)
    /// The attribute cannot be subscribed.
    public static let unreportableAttribute = InteractionStatus(rawValue: 0x8C)
    /// The data has another type.
    public static let invalidDataType = InteractionStatus(rawValue: 0x8D)
    /// The attribute is write-only.
    public static let unsupportedRead = InteractionStatus(rawValue: 0x8F)
    /// The cluster has another data version.
    public static let dataVersionMismatch = InteractionStatus(rawValue: 0x92)
    /// The time of a timed interaction is over.
    public static let timeout = InteractionStatus(rawValue: 0x94)
    /// The path is for another node.
    public static let unsupportedNode = InteractionStatus(rawValue: 0x9B)
    /// Too much is in progress.
    public static let busy = InteractionStatus(rawValue: 0x9C)
    /// A restriction of the node forbids the access.
    public static let accessRestricted = InteractionStatus(rawValue: 0x9D)
    /// The endpoint has no such cluster.
    public static let unsupportedCluster = InteractionStatus(rawValue: 0xC3)
    /// A proxy has no subscription.
    public static let noUpstreamSubscription = InteractionStatus(rawValue: 0xC5)
    /// The path needs a timed interaction.
    public static let needsTimedInteraction = InteractionStatus(rawValue: 0xC6)
    /// The cluster has no such event.
    public static let unsupportedEvent = InteractionStatus(rawValue: 0xC7)
    /// The request has too many paths.
    public static let pathsExhausted = InteractionStatus(rawValue: 0xC8)
    /// The field timedRequest and the exchange differ.
    public static let timedRequestMismatch = InteractionStatus(rawValue: 0xC9)
    /// The fail-safe is not armed.
    public static let failsafeRequired = InteractionStatus(rawValue: 0xCA)
    /// The state of the device forbids the request.
    public static let invalidInState = InteractionStatus(rawValue: 0xCB)
    /// The command gave no response.
    public static let noCommandResponse = InteractionStatus(rawValue: 0xCC)
    /// The terms and conditions have changed.
    public static let termsAndConditionsChanged = InteractionStatus(rawValue: 0xCD)
    /// The device needs maintenance.
    public static let maintenanceRequired = InteractionStatus(rawValue: 0xCE)
    /// A value violates a constraint that depends on other values.
    public static let dynamicConstraintError = InteractionStatus(rawValue: 0xCF)
    /// The object exists.
    public static let alreadyExists = InteractionStatus(rawValue: 0xD0)
    /// The transport does not suit the request.
    public static let invalidTransportType = InteractionStatus(rawValue: 0xD1)
}

extension InteractionStatus {
    /// The name in the specification (Matter Core 8.10.1); nil for an unknown code.
    public var name: String? { InteractionStatus.names[self] }

    private static let names: [InteractionStatus: String] = [
        .success: "SUCCESS", .failure: "FAILURE", .invalidSubscription: "INVALID_SUBSCRIPTION",
        .unsupportedAccess: "UNSUPPORTED_ACCESS", .unsupportedEndpoint: "UNSUPPORTED_ENDPOINT",
        .invalidAction: "INVALID_ACTION", .unsupportedCommand: "UNSUPPORTED_COMMAND",
        .invalidCommand: "INVALID_COMMAND", .unsupportedAttribute: "UNSUPPORTED_ATTRIBUTE",
        .constraintError: "CONSTRAINT_ERROR", .unsupportedWrite: "UNSUPPORTED_WRITE",
        .resourceExhausted: "RESOURCE_EXHAUSTED", .notFound: "NOT_FOUND",
        .unreportableAttribute: "UNREPORTABLE_ATTRIBUTE", .invalidDataType: "INVALID_DATA_TYPE",
        .unsupportedRead: "UNSUPPORTED_READ", .dataVersionMismatch: "DATA_VERSION_MISMATCH", .timeout: "TIMEOUT",
        .unsupportedNode: "UNSUPPORTED_NODE", .busy: "BUSY", .accessRestricted: "ACCESS_RESTRICTED",
        .unsupportedCluster: "UNSUPPORTED_CLUSTER", .noUpstreamSubscription: "NO_UPSTREAM_SUBSCRIPTION",
        .needsTimedInteraction: "NEEDS_TIMED_INTERACTION", .unsupportedEvent: "UNSUPPORTED_EVENT",
        .pathsExhausted: "PATHS_EXHAUSTED", .timedRequestMismatch: "TIMED_REQUEST_MISMATCH",
        .failsafeRequired: "FAILSAFE_REQUIRED", .invalidInState: "INVALID_IN_STATE",
        .noCommandResponse: "NO_COMMAND_RESPONSE", .termsAndConditionsChanged: "TERMS_AND_CONDITIONS_CHANGED",
        .maintenanceRequired: "MAINTENANCE_REQUIRED", .dynamicConstraintError: "DYNAMIC_CONSTRAINT_ERROR",
        .alreadyExists: "ALREADY_EXISTS", .invalidTransportType: "INVALID_TRANSPORT_TYPE",
    ]
}

/// The status of a path: a code of the interaction model, and a code of the cluster if that is FAILURE or SUCCESS.
public struct StatusInformation: Error, Hashable, Sendable {
    /// The code of the interaction model.
    public var status: InteractionStatus
    /// The code of the cluster.
    public var clusterStatus: UInt8?

    /// A status.
    public init(_ status: InteractionStatus, clusterStatus: UInt8? = nil) {
        self.status = status
        self.clusterStatus = clusterStatus
    }

    /// SUCCESS.
    public static let success = StatusInformation(.success)

    /// FAILURE with a code of the cluster.
    public static func cluster(_ code: UInt8) -> StatusInformation {
        StatusInformation(.failure, clusterStatus: code)
    }
}
