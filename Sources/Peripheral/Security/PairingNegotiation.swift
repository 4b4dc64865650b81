/// What Pairing Request and Pairing Response have settled (Core 5.4, Vol 3, Part H, 2.3).
struct PairingNegotiation: Equatable {
    let request: PairingFeatures
    let response: PairingFeatures
    let isSecureConnections: Bool
    let model: AssociationModel
    /// Octets of the encryption key.
    let keySize: Int
    /// Both sides want the keys to be kept.
    let isBonding: Bool

    /// The keys that this side is allowed to hand out or take at all.
    private static let keys: KeyDistribution = [.encryption, .identity]

    /// Answers `request`, or refuses it. `outOfBand` is what came of this peer on another way, and `isPublished` whether
    /// this side's own data went out on one; `hasIdentity` whether it has an identity to hand out.
    init(
        request: PairingFeatures, policy: SecurityPolicy, outOfBand: PeerOutOfBandData?, isPublished: Bool,
        hasIdentity: Bool
    ) throws(PairingFailureReason) {
        let isSecure = policy.secureConnections != .never && request.requirements.contains(.secureConnections)
        guard isSecure || policy.secureConnections != .only else { throw .authenticationRequirements }
        let size = min(Int(request.maximumKeySize), 16)
        guard size >= policy.minimumKeySize else { throw .encryptionKeySize }

        // A central that says it has data which was never given out has somebody else's.
        guard !isSecure || !request.hasOutOfBandData || isPublished else { throw .outOfBandNotAvailable }

        var requirements: AuthenticationRequirements = []
        if policy.keepsBonds { requirements.insert(.bonding) }
        if policy.requestsAuthentication || policy.requiresAuthentication { requirements.insert(.mitm) }
        if policy.secureConnections != .never { requirements.insert(.secureConnections) }
        isBonding = policy.keepsBonds && request.requirements.asksForBonding
        // Without bonding there is nothing to keep, so nothing is handed out.
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

    /// What this side hands out after the link is encrypted. The long-term key of Secure Connections never is.
    var keysToSend: KeyDistribution {
        isSecureConnections ? response.responderKeys.subtracting(.encryption) : response.responderKeys
    }

    /// What the central is to hand out.
    var keysToAwait: KeyDistribution {
        isSecureConnections ? response.initiatorKeys.subtracting(.encryption) : response.initiatorKeys
    }
}
