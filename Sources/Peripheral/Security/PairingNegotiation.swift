// SPDX-License-Identifier: Apache-2.0

/// The result of the feature exchange (Core 5.4, Vol 3, Part H, 2.3).
struct PairingNegotiation: Equatable {
    let request: PairingFeatures
    let response: PairingFeatures
    let isSecureConnections: Bool
    let model: AssociationModel
    /// The length of the encryption key in octets.
    let keySize: Int
    /// Both sides request bonding.
    let isBonding: Bool

    /// The kinds of keys that this side ever sends or accepts.
    private static let keys: KeyDistribution = [.encryption, .identity]

    /// Computes the response to `request`.
    ///
    /// - Parameter outOfBand: Out-of-band data received from this peer.
    /// - Parameter isPublished: This side's out-of-band data is published.
    /// - Parameter hasIdentity: This side has an identity to distribute.
    /// - Parameter isIdentified: The central's address is an identity address.
    /// - Throws: The reason of the refusal.
    init(
        request: PairingFeatures, policy: SecurityPolicy, outOfBand: PeerOutOfBandData?, isPublished: Bool,
        hasIdentity: Bool, isIdentified: Bool
    ) throws(PairingFailureReason) {
        let isSecure = policy.secureConnections != .never && request.requirements.contains(.secureConnections)
        guard isSecure || policy.secureConnections != .only else { throw .authenticationRequirements }
        let size = min(Int(request.maximumKeySize), 16)
        guard size >= policy.minimumKeySize else { throw .encryptionKeySize }

        // A central that claims data which was never published has the data of another device.
        guard !isSecure || !request.hasOutOfBandData || isPublished else { throw .outOfBandNotAvailable }

        // Bonding is offered only for a key by which the central can be found again: under an identity, and in legacy
        // pairing with a long-term key of this side.
        let isKeepable =
            (isIdentified || request.initiatorKeys.contains(.identity))
            && (isSecure || request.responderKeys.contains(.encryption))
        let wantsBonding = request.requirements.asksForBonding
        var requirements: AuthenticationRequirements = []
        if policy.keepsBonds, isKeepable || !wantsBonding { requirements.insert(.bonding) }
        if policy.requestsAuthentication || policy.requiresAuthentication { requirements.insert(.mitm) }
        if policy.secureConnections != .never { requirements.insert(.secureConnections) }
        isBonding = policy.keepsBonds && isKeepable && wantsBonding
        // Without bonding no keys are distributed.
        let keys = isBonding ? PairingNegotiation.keys : []
        let response = PairingFeatures(
            ioCapability: policy.ioCapability,
            hasOutOfBandData: outOfBand?.serves(secureConnections: isSecure) ?? false,
            requirements: requirements,
            initiatorKeys: request.initiatorKeys.intersection(keys),
            responderKeys: request.responderKeys.intersection(hasIdentity ? keys : keys.subtracting(.identity)))
        let model = AssociationModel.select(initiator: request, responder: response, secureConnections: isSecure)
        if let required = policy.requiredModel, model != required { throw .authenticationRequirements }
        guard model.isAuthenticated || !policy.requiresAuthentication else { throw .authenticationRequirements }
        self.request = request
        self.response = response
        isSecureConnections = isSecure
        self.model = model
        keySize = size
    }

    /// The keys that this side sends after encryption. The long-term key of Secure Connections is never sent.
    var keysToSend: KeyDistribution {
        isSecureConnections ? response.responderKeys.subtracting(.encryption) : response.responderKeys
    }

    /// The keys that the central must send.
    var keysToAwait: KeyDistribution {
        isSecureConnections ? response.initiatorKeys.subtracting(.encryption) : response.initiatorKeys
    }
}
