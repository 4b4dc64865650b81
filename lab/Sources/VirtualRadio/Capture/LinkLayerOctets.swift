// SPDX-License-Identifier: Apache-2.0

import Octets
import Peripheral

/// The octets of advertising PDUs (Core 5.4, Vol 6, Part B, 2.3).
enum AdvertisingPDU {
    private static let scanRequestType: UInt8 = 3
    private static let scanResponseType: UInt8 = 4
    private static let connectType: UInt8 = 5
    private static let transmitAddressRandom: UInt8 = 0x40
    private static let receiveAddressRandom: UInt8 = 0x80
    /// All 37 data channels.
    private static let allChannels: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, 0x1F]
    /// The window of a first packet, in units of 1.25 ms; the air's first packet is at its start.
    private static let windowSize: UInt8 = 1

    /// ADV_IND and its relatives.
    static func advertisement(_ advertiser: Advertiser, from address: BluetoothAddress) -> [UInt8] {
        guard advertiser.kind.carriesData else {
            return pdu(advertiser.kind.pduType, from: address, to: advertiser.targetOnAir, [])
        }
        return pdu(advertiser.kind.pduType, from: address, advertiser.data)
    }

    /// SCAN_REQ.
    static func scanRequest(from scanner: BluetoothAddress, to advertiser: BluetoothAddress) -> [UInt8] {
        pdu(scanRequestType, from: scanner, to: advertiser, [])
    }

    /// SCAN_RSP.
    static func scanResponse(_ data: [UInt8], from address: BluetoothAddress) -> [UInt8] {
        pdu(scanResponseType, from: address, data)
    }

    /// CONNECT_IND. The clock's accuracy is the air's: better than the smallest class.
    static func connect(
        from initiator: BluetoothAddress, to advertiser: BluetoothAddress, _ access: AirPacket.Access,
        _ parameters: ConnectionParameters, windowOffset: UInt16, hop: UInt8
    ) -> [UInt8] {
        let mostAccurate: UInt8 = 7 << 5
        var data: [UInt8] = []
        data.append(littleEndian: access.address)
        data.append(littleEndian24: access.crcInit)
        data.append(windowSize)
        data.append(littleEndian: windowOffset)
        data.append(littleEndian: parameters.maximumInterval)
        data.append(littleEndian: parameters.latency)
        data.append(littleEndian: parameters.timeout)
        data += allChannels
        data.append(mostAccurate | hop)
        return pdu(connectType, from: initiator, to: advertiser, data)
    }

    private static func pdu(
        _ type: UInt8, from sender: BluetoothAddress, to receiver: BluetoothAddress? = nil, _ data: [UInt8]
    ) -> [UInt8] {
        var header = type
        if sender.kind != .public { header |= transmitAddressRandom }
        if let receiver, receiver.kind != .public { header |= receiveAddressRandom }
        var body: [UInt8] = []
        body.append(address: sender.value)
        if let receiver { body.append(address: receiver.value) }
        body += data
        return [header, UInt8(truncatingIfNeeded: body.count)] + body
    }
}

extension AdvertisingKind {
    fileprivate var pduType: UInt8 {
        switch self {
        case .undirected: 0
        case .directed: 1
        case .nonConnectable: 2
        case .scannable: 6
        }
    }
}

extension LinkPDU {
    /// The two bits at the start of a data channel PDU's header (2.4).
    private var identifier: UInt8 {
        switch self {
        case .control: 0b11
        case .data(_, let isStart): isStart ? 0b10 : 0b01
        }
    }

    /// A PDU of the data channels; nil is an empty packet. `header` are the bits NESN, SN and MD.
    ///
    /// - Parameters:
    ///   - event: the number of the connection event.
    ///   - update: the number of the event at which an update takes effect.
    static func octets(
        _ pdu: LinkPDU?, header: UInt8, from sender: LinkEnd, event: UInt64, update: UInt64
    ) -> [UInt8] {
        let body =
            switch pdu {
            case nil: [] as [UInt8]
            case .data(let octets, _): octets
            case .control(let pdu): pdu.octets(from: sender, event: event, update: update)
            }
        return [(pdu?.identifier ?? 0b01) | header, UInt8(truncatingIfNeeded: body.count)] + body
    }
}

extension ControlPDU {
    /// The opcode (2.4.2).
    private enum Opcode: UInt8 {
        case connectionUpdate = 0x00
        case terminate = 0x02
        case encryptionRequest = 0x03
        case encryptionResponse = 0x04
        case unknownResponse = 0x07
        case featureRequest = 0x08
        case featureResponse = 0x09
        case version = 0x0C
        case reject = 0x0D
        case peripheralFeatureRequest = 0x0E
        case parameterRequest = 0x0F
        case rejectExtended = 0x11
        case lengthRequest = 0x14
        case lengthResponse = 0x15
        case powerRequest = 0x23
        case powerResponse = 0x24
        case powerChange = 0x25
    }

    /// The 1M PHY in a set of PHYs.
    private static let phy1M: UInt8 = 0x01
    /// No acceptable reduction of power is known.
    private static let noReduction: UInt8 = 0xFF
    /// The value for no company (Assigned Numbers, 7.1).
    private static let noCompany: UInt16 = 0xFFFF
    /// The diversifiers, SKD and IV half, of an encryption that compares keys only.
    private static let noDiversifiers = [UInt8](repeating: 0, count: 12)
    /// No anchor point is preferred.
    private static let noOffsets = [UInt8](repeating: 0xFF, count: 12)

    private var opcode: Opcode {
        switch self {
        case .terminate: .terminate
        case .featureRequest: .featureRequest
        case .featureResponse: .featureResponse
        case .version: .version
        case .lengthRequest: .lengthRequest
        case .lengthResponse: .lengthResponse
        case .connectionUpdate: .connectionUpdate
        case .connectionParameterRequest: .parameterRequest
        case .rejectParameterRequest: .rejectExtended
        case .encryptionRequest: .encryptionRequest
        case .encryptionStart: .encryptionResponse
        case .rejectEncryption: .reject
        case .unknownLengthRequest, .unknownPowerRequest: .unknownResponse
        case .powerRequest: .powerRequest
        case .powerResponse: .powerResponse
        case .powerChange: .powerChange
        }
    }

    /// The opcode and its parameters. The key of an encryption request, which the air carries, is not among them.
    fileprivate func octets(from end: LinkEnd, event: UInt64, update: UInt64) -> [UInt8] {
        var octets = [opcode.rawValue]
        switch self {
        case .terminate(let reason), .rejectEncryption(let reason): octets.append(reason)
        case .featureRequest:
            if end.role == .peripheral { octets = [Opcode.peripheralFeatureRequest.rawValue] }
            octets.append(littleEndian: end.controller.features)
        case .featureResponse(let features): octets.append(littleEndian: features)
        case .version(let version):
            octets.append(version)
            octets.append(littleEndian: ControlPDU.noCompany)
            octets.append(littleEndian: UInt16(0))
        case .lengthRequest(let transmit, let receive), .lengthResponse(let transmit, let receive):
            for count in [receive, transmit] {
                octets.append(littleEndian: count)
                octets.append(littleEndian: VirtualController.time(of: count))
            }
        case .connectionUpdate(let parameters):
            octets.append(1)
            octets.append(littleEndian: UInt16(0))
            octets.append(littleEndian: parameters.maximumInterval)
            octets.append(littleEndian: parameters.latency)
            octets.append(littleEndian: parameters.timeout)
            octets.append(littleEndian: UInt16(truncatingIfNeeded: update))
        case .connectionParameterRequest(let parameters):
            for value in [
                parameters.minimumInterval, parameters.maximumInterval, parameters.latency, parameters.timeout,
            ] { octets.append(littleEndian: value) }
            octets.append(0)
            octets.append(littleEndian: UInt16(truncatingIfNeeded: event))
            octets += ControlPDU.noOffsets
        case .rejectParameterRequest(let reason): octets += [Opcode.parameterRequest.rawValue, reason]
        case .encryptionRequest(let name, _): octets += name + ControlPDU.noDiversifiers
        case .encryptionStart: octets += ControlPDU.noDiversifiers
        case .unknownLengthRequest: octets.append(Opcode.lengthRequest.rawValue)
        case .unknownPowerRequest: octets.append(Opcode.powerRequest.rawValue)
        case .powerRequest(let own): octets += [ControlPDU.phy1M, 0, UInt8(bitPattern: own)]
        case .powerResponse(let power): octets += [0, 0, UInt8(bitPattern: power), ControlPDU.noReduction]
        case .powerChange(let delta, let power):
            octets += [ControlPDU.phy1M, 0, UInt8(bitPattern: delta), UInt8(bitPattern: power)]
        }
        return octets
    }
}
