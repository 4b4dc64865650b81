// SPDX-License-Identifier: Apache-2.0

/// The association model: the authentication of a pairing (Core 5.4, Vol 3, Part H, 2.3.5.1).
public enum AssociationModel: Sendable, CaseIterable {
    /// Just Works: no protection against a man in the middle.
    case justWorks
    /// Both sides show six digits, and the users compare them. Secure Connections only.
    case numericComparison
    /// This device shows six digits that are entered at the central.
    case passkeyDisplayed
    /// The six digits that the central shows are entered on this device, or the same digits are entered on both.
    case passkeyEntered
    /// Data was exchanged out of band, as by NFC or a scanned code.
    case outOfBand

    /// True if a key from this model is authenticated.
    public var isAuthenticated: Bool { self != .justWorks }

    /// The model selected by the features of both sides (2.3.5.1, tables 2.6 to 2.8).
    static func select(
        initiator: PairingFeatures, responder: PairingFeatures, secureConnections: Bool
    ) -> AssociationModel {
        let outOfBand =
            secureConnections
            ? initiator.hasOutOfBandData || responder.hasOutOfBandData
            : initiator.hasOutOfBandData && responder.hasOutOfBandData
        if outOfBand { return .outOfBand }
        guard initiator.requirements.union(responder.requirements).contains(.mitm) else { return .justWorks }
        switch (initiator.ioCapability, responder.ioCapability) {
        case (.noInputNoOutput, _), (_, .noInputNoOutput): return .justWorks
        case (.displayOnly, .displayOnly), (.displayOnly, .displayYesNo), (.displayYesNo, .displayOnly):
            return .justWorks
        case (.displayYesNo, .displayYesNo): return secureConnections ? .numericComparison : .justWorks
        case (.displayYesNo, .keyboardDisplay), (.keyboardDisplay, .displayYesNo), (.keyboardDisplay, .keyboardDisplay):
            if secureConnections { return .numericComparison }
            // The initiator shows and the responder enters, unless only the responder can show.
            return responder.ioCapability == .keyboardDisplay ? .passkeyEntered : .passkeyDisplayed
        case (.keyboardOnly, .keyboardOnly): return .passkeyEntered
        case (.keyboardOnly, _): return .passkeyDisplayed
        case (_, .keyboardOnly): return .passkeyEntered
        case (.displayOnly, .keyboardDisplay): return .passkeyEntered
        case (.keyboardDisplay, .displayOnly): return .passkeyDisplayed
        }
    }
}
