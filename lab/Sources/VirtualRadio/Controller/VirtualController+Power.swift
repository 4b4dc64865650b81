// SPDX-License-Identifier: Apache-2.0

import Octets
import Peripheral

/// LE Power Control on the 1M PHY (Core 5.4, Vol 6, Part B, 5.1.17 and 5.1.18; Vol 4, Part E, 7.8.118, 7.8.121 and
/// 7.7.65.33). Powers are reported and never controlled: no request asks for a change.
extension VirtualController {
    /// The reasons of an LE Transmit Power Reporting event.
    private enum Reason: UInt8 {
        case localChanged = 0
        case remoteChanged = 1
        case remoteRead = 2
    }

    /// The 1M PHY in commands and events.
    private static let phy1M: UInt8 = 1
    /// The maximum transmit power in dBm.
    private static let maximumPower: Int8 = 20
    /// The minimum value of Read Transmit Power Level in dBm.
    private static let minimumReadPower: Int8 = -30
    /// The compensations of the RF path in 0.1 dB.
    private static let compensations: ClosedRange<Int16> = -1280...1280
    /// A power that is not available.
    private static let noPower: Int8 = 127

    /// Changes the transmit power, −127 to 20 dBm: the levels at all receivers, and with LE Power Control the values
    /// that peers know.
    public func setTransmitPower(_ dBm: Int8) {
        let delta = Int8(clamping: Int(dBm) - Int(transmitPower))
        transmitPower = dBm
        guard profile.powerControl, delta != 0 else { return }
        for end in state.links {
            end.control.append(.powerChange(delta: delta, dBm))
            if end.reportsPower.local { report(.localChanged, dBm, delta: delta, of: end) }
        }
    }

    /// Read Transmit Power Level (7.3.35).
    func readTransmitPower(_ parameters: inout CommandParameters) throws(CommandRefusal) -> [UInt8] {
        let end = try link(&parameters)
        let isMaximum = try parameters.u8(in: 0x00...0x01, "Type") == 1
        let power = isMaximum ? VirtualController.maximumPower : max(transmitPower, VirtualController.minimumReadPower)
        return handleOctets(end) + [UInt8(bitPattern: power)]
    }

    /// LE Enhanced Read Transmit Power Level (7.8.117).
    func enhancedReadTransmitPower(_ parameters: inout CommandParameters) throws(CommandRefusal) -> [UInt8] {
        let end = try link(&parameters)
        try takePHY(&parameters)
        return handleOctets(end)
            + [
                VirtualController.phy1M, UInt8(bitPattern: transmitPower),
                UInt8(bitPattern: VirtualController.maximumPower),
            ]
    }

    /// LE Write RF Path Compensation (7.8.76): the values have no effect, since levels are those at the antenna.
    func writePathCompensation(_ parameters: inout CommandParameters) throws(CommandRefusal) {
        let transmit = Int16(bitPattern: try parameters.u16()), receive = Int16(bitPattern: try parameters.u16())
        guard [transmit, receive].allSatisfy(VirtualController.compensations.contains) else {
            throw .violation(.invalidParameters, "a path compensation is out of range")
        }
        state.pathCompensation = (transmit, receive)
    }

    private func takePHY(_ parameters: inout CommandParameters) throws(CommandRefusal) {
        let phy = try parameters.u8(in: 0x01...0x04, "PHY")
        guard phy == VirtualController.phy1M else {
            throw .violation(.unsupportedFeature, "PHY \(phy) is not supported")
        }
    }

    /// LE Read Remote Transmit Power Level (7.8.118).
    func readRemoteTransmitPower(_ parameters: inout CommandParameters) throws(CommandRefusal) {
        let end = try link(&parameters)
        try takePHY(&parameters)
        guard !end.awaitsPower else { throw .violation(.commandDisallowed, "already asked") }
        if !wants(Subevent.transmitPowerReporting) {
            reportViolation("a transmit power is read while its event is masked")
        }
        end.awaitsPower = true
        end.control.append(.powerRequest(own: transmitPower))
    }

    /// LE Set Transmit Power Reporting Enable (7.8.121).
    func setTransmitPowerReporting(_ parameters: inout CommandParameters) throws(CommandRefusal) -> [UInt8] {
        let end = try link(&parameters)
        let local = try parameters.u8(in: 0x00...0x01, "Local_Enable") == 1
        end.reportsPower = (local, try parameters.u8(in: 0x00...0x01, "Remote_Enable") == 1)
        return handleOctets(end)
    }

    /// Handles a PDU about transmit power at a link of this controller.
    func takePower(_ pdu: ControlPDU, at end: LinkEnd) {
        switch pdu {
        case .powerRequest:
            end.control.append(profile.powerControl ? .powerResponse(transmitPower) : .unknownPowerRequest)
        case .powerResponse(let power): powerRead(.success, power, of: end)
        case .unknownPowerRequest:
            powerRead(ControllerStatus.unsupportedRemoteFeature, VirtualController.noPower, of: end)
        case .powerChange(let delta, let power):
            if end.reportsPower.remote { report(.remoteChanged, power, delta: delta, of: end) }
        default: break
        }
    }

    private func powerRead(_ status: HCIStatus, _ power: Int8, of end: LinkEnd) {
        guard end.awaitsPower else { return }
        end.awaitsPower = false
        report(.remoteRead, power, delta: 0, status, of: end)
    }

    /// LE Transmit Power Reporting (7.7.65.33).
    private func report(
        _ reason: Reason, _ power: Int8, delta: Int8, _ status: HCIStatus = .success, of end: LinkEnd
    ) {
        let level: [UInt8] = [
            reason.rawValue, VirtualController.phy1M, UInt8(bitPattern: power), 0, UInt8(bitPattern: delta),
        ]
        emit(subevent: Subevent.transmitPowerReporting, [status.rawValue] + handleOctets(end) + level)
    }
}
