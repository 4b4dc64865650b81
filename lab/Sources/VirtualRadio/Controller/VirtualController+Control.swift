// SPDX-License-Identifier: Apache-2.0

import Octets
import Peripheral

/// The answers to link layer control PDUs, and their events to the host.
extension VirtualController {
    /// LE Read Remote Features Complete (Core 5.4, Vol 4, Part E, 7.7.65.4), if the host requested it.
    func featuresKnown(_ end: LinkEnd, _ features: UInt64) {
        guard end.awaitsFeatures else { return }
        end.awaitsFeatures = false
        var event = [HCIStatus.success.rawValue] + handleOctets(end)
        event.append(littleEndian: features)
        emit(subevent: Subevent.readRemoteFeaturesComplete, event)
    }

    /// Stores the peer's version, sends its own once, and reports to the host if requested.
    func versionKnown(_ end: LinkEnd, _ version: UInt8) {
        end.remoteVersion = version
        if !end.hasSentVersion {
            end.hasSentVersion = true
            end.control.append(.version(profile.version))
        }
        guard end.awaitsVersion else { return }
        end.awaitsVersion = false
        if let event = remoteVersionComplete(end, version) { outbound.append(event) }
    }

    /// Handles the peripheral's parameter request: the host decides, if the event is unmasked (7.7.65.6).
    func parametersAsked(_ end: LinkEnd, _ parameters: ConnectionParameters) {
        guard profile.connectionParametersRequest, wants(Subevent.remoteConnectionParameterRequest) else {
            let reason = ControllerStatus.unsupportedRemoteFeature.rawValue
            end.control.append(.rejectParameterRequest(reason: reason))
            return
        }
        var event = handleOctets(end)
        event.append(littleEndian: parameters.minimumInterval)
        event.append(littleEndian: parameters.maximumInterval)
        event.append(littleEndian: parameters.latency)
        event.append(littleEndian: parameters.timeout)
        emit(subevent: Subevent.remoteConnectionParameterRequest, event)
    }

    /// LE Connection Update Complete (7.7.65.3).
    func connectionUpdated(_ end: LinkEnd, _ status: HCIStatus, _ parameters: ConnectionParameters) {
        var event = [status.rawValue] + handleOctets(end)
        event.append(littleEndian: parameters.maximumInterval)
        event.append(littleEndian: parameters.latency)
        event.append(littleEndian: parameters.timeout)
        emit(subevent: Subevent.connectionUpdateComplete, event)
    }

    /// Applies the exchanged lengths; LE Data Length Change (7.7.65.7) if any has changed.
    func lengthsAgreed(_ end: LinkEnd, peerTransmits: UInt16, peerReceives: UInt16) {
        let transmit = max(DataLengths.minimum, min(end.lengths.wanted, peerReceives))
        let receive = max(DataLengths.minimum, min(maximumDataLength, peerTransmits))
        guard transmit != end.lengths.transmit || receive != end.lengths.receive else { return }
        end.lengths.transmit = transmit
        end.lengths.receive = receive
        var event = handleOctets(end)
        for octets in [transmit, receive] {
            event.append(littleEndian: octets)
            event.append(littleEndian: VirtualController.time(of: octets))
        }
        emit(subevent: Subevent.dataLengthChange, event)
    }
}
