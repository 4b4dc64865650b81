// SPDX-License-Identifier: Apache-2.0

import Peripheral

/// The effects of link layer control PDUs at their receiver (Core 5.4, Vol 6, Part B, 5.1).
extension Air {
    /// Handles a control PDU at `end`.
    func receive(_ pdu: ControlPDU, at end: LinkEnd, over link: AirLink) {
        let controller = end.controller
        switch pdu {
        case .terminate(let reason): end.terminationReceived = reason
        case .featureRequest: end.control.append(.featureResponse(controller.features))
        case .featureResponse(let features): controller.featuresKnown(end, features)
        case .version(let version): controller.versionKnown(end, version)
        case .lengthRequest, .lengthResponse, .unknownLengthRequest: takeLength(pdu, at: end)
        case .connectionUpdate(let parameters):
            link.update = (parameters, link.updateInstant)
        case .connectionParameterRequest(let parameters): controller.parametersAsked(end, parameters)
        case .rejectParameterRequest(let reason):
            controller.connectionUpdated(end, HCIStatus(rawValue: reason), link.parameters)
        case .encryptionRequest(let name, let key): controller.encryptionAsked(end, name: name, key: key)
        case .rejectEncryption(let reason): controller.encryptionRejected(end, reason: reason)
        case .powerRequest, .powerResponse, .powerChange, .unknownPowerRequest: controller.takePower(pdu, at: end)
        case .encryptionStart(let sameKey):
            // With different keys, neither side can decrypt from here on.
            for side in [end, link.peer(of: end)].compactMap({ $0 }) {
                if sameKey {
                    side.controller.encryptionStarted(side)
                } else {
                    side.controller.linkEnded(side, reason: .micFailure)
                }
            }
        }
    }

    private func takeLength(_ pdu: ControlPDU, at end: LinkEnd) {
        let controller = end.controller
        switch pdu {
        case .lengthRequest(let transmit, let receive):
            guard controller.profile.dataLengthExtension else {
                end.control.append(.unknownLengthRequest)
                return
            }
            end.control.append(.lengthResponse(transmit: end.lengths.wanted, receive: controller.maximumDataLength))
            controller.lengthsAgreed(end, peerTransmits: transmit, peerReceives: receive)
        case .lengthResponse(let transmit, let receive):
            controller.lengthsAgreed(end, peerTransmits: transmit, peerReceives: receive)
        default: break
        }
    }
}
