// SPDX-License-Identifier: Apache-2.0

import Octets
import Peripheral

/// Commands of a host before and during advertising (Core 5.4, Vol 4, Part E, 7).
extension LoadController {
    /// Executes a command packet. Unknown commands succeed, with a status only.
    mutating func perform(_ packet: Span<UInt8>) {
        commands += 1
        let number = UInt16(packet[1]) | UInt16(packet[2]) << 8
        let parameters = packet.extracting(4..<packet.count)
        guard let opcode = HCIOpcode(rawValue: number) else { return complete(number, [0]) }
        if aboutLinks(opcode, parameters) { return }
        advertising(opcode, parameters)
        complete(number, information(opcode, parameters) ?? [0])
    }

    /// Command Complete (7.7.14); the return parameters begin with the status.
    private mutating func complete(_ opcode: UInt16, _ returned: [UInt8]) {
        burst.append(.commandComplete(credits: 1, opcode: opcode, returned: returned.indices), returned)
    }

    /// Command Status (7.7.15), and the subsequent LE Meta event.
    private mutating func begin(_ opcode: HCIOpcode, then code: HCIEvent.LECode, _ parameters: [UInt8]) {
        burst.append(.commandStatus(.success, credits: 1, opcode: opcode.rawValue))
        burst.append(.otherLE(code, parameters.indices), parameters)
    }

    private mutating func advertising(_ opcode: HCIOpcode, _ parameters: Span<UInt8>) {
        switch opcode {
        case .reset:
            wasReset = true
            isAdvertising = false
            sets.removeAll()
            for index in links.indices { links[index].end() }
        case .leSetAdvertisingEnable where parameters.count >= 1:
            isAdvertising = parameters[0] != 0
            hasAdvertised = hasAdvertised || isAdvertising
        case .leSetExtendedAdvertisingEnable where parameters.count >= 2: enable(parameters)
        default: break
        }
    }

    /// Enables or disables the listed sets; disabling without a list disables all (7.8.56).
    private mutating func enable(_ parameters: Span<UInt8>) {
        let count = Int(parameters[1])
        if parameters[0] == 0, count == 0 { sets.removeAll() }
        for index in 0..<count where 2 + 4 * index < parameters.count {
            let set = parameters[2 + 4 * index]
            sets.removeAll { $0 == set }
            if parameters[0] != 0 { sets.append(set) }
        }
        hasAdvertised = hasAdvertised || !sets.isEmpty
    }

    /// Commands whose first parameter is a connection handle.
    private mutating func aboutLinks(_ opcode: HCIOpcode, _ parameters: Span<UInt8>) -> Bool {
        guard parameters.count >= 2 else { return false }
        let handle = [parameters[0], parameters[1]]
        switch opcode {
        case .disconnect:
            let link = (Int(handle[0]) | Int(handle[1]) << 8) - Int(LoadController.firstHandle)
            guard links.indices.contains(link), links[link].isUp else { return false }
            burst.append(.commandStatus(.success, credits: 1, opcode: opcode.rawValue))
            end(link, reason: .localHostTerminated)
        case .readRSSI: complete(opcode.rawValue, [0] + handle + [UInt8(bitPattern: -57)])
        case .leSetDataLength: complete(opcode.rawValue, [0] + handle)
        case .leReadPHY: complete(opcode.rawValue, [0] + handle + [1, 1])
        case .leReadRemoteFeatures:
            begin(opcode, then: .readRemoteFeaturesComplete, [0] + handle + [0x3F, 0x59, 0, 0, 0, 0, 0, 0])
        case .readRemoteVersion:
            burst.append(.commandStatus(.success, credits: 1, opcode: opcode.rawValue))
            burst.append { packet in
                HCIEvent.append(.readRemoteVersionComplete, to: &packet) {
                    $0 += [0] + handle + [0x0C, 0xFF, 0xFF, 0, 0]
                }
            }
        case .leSetPHY: begin(opcode, then: .phyUpdateComplete, [0] + handle + [2, 2])
        case .leConnectionUpdate where parameters.count >= 10:
            // The minimum interval, the latency and the time-out of the request.
            let granted = [2, 3, 6, 7, 8, 9].map { parameters[$0] }
            begin(opcode, then: .connectionUpdateComplete, [0] + handle + granted)
        default: return false
        }
        return true
    }

    /// Return parameters of informational commands; nil for other commands.
    private mutating func information(_ opcode: HCIOpcode, _ parameters: Span<UInt8>) -> [UInt8]? {
        let length = UInt8(plan.packetLength)
        let count = UInt8(plan.packetCount)
        switch opcode {
        case .readLocalVersion: return [0, 0x0C, 0, 0, 0x0C, 0xFF, 0xFF, 0, 0]  // 5.3
        case .readLocalSupportedCommands: return [0] + supportedCommands
        case .readLocalSupportedFeatures: return [0, 0, 0, 0, 0, 0x60, 0, 0, 0]  // LE, no BR/EDR
        case .readLocalExtendedFeatures:
            return [0, parameters.count > 0 ? parameters[0] : 0, 0, 0, 0, 0, 0, 0x60, 0, 0, 0]
        case .readBufferSize: return [0, length, 0, 0, count, 0, 0, 0]
        case .readBDADDR: return [0, 6, 5, 4, 3, 2, 1]
        case .leReadBufferSize: return [0, length, 0, count]
        case .leReadBufferSizeV2: return [0, length, 0, count, 0, 0, 0]
        // Encryption to data length, 2M; with extended advertising also coded, sets, channel selection 2.
        case .leReadLocalSupportedFeatures: return [0, 0x3F, plan.extendedAdvertising ? 0x59 : 0x01, 0, 0, 0, 0, 0, 0]
        case .leReadSupportedStates: return [0, 0xFF, 0xFF, 0x3F, 0xFF, 0xFF, 3, 0, 0]
        case .leReadAdvertisingTransmitPower, .leSetExtendedAdvertisingParameters: return [0, 0]
        case .leReadFilterAcceptListSize, .leReadResolvingListSize: return [0, 8]
        case .leRand: return [0] + random.octets(8)
        case .leEncrypt: return [0] + random.octets(16)
        case .leReadSuggestedDefaultDataLength: return [0, 251, 0, 0x48, 8]
        case .leReadMaximumDataLength: return [0, 251, 0, 0x48, 8, 251, 0, 0x48, 8]
        case .leReadMaximumAdvertisingDataLength: return [0, 0x72, 0x06]
        case .leReadNumberOfSupportedAdvertisingSets: return [0, 16]
        case .leReadTransmitPower: return [0, 0, 10]
        default: return nil
        }
    }

    /// Supported Commands (6.27), as octet and bits.
    private var supportedCommands: [UInt8] {
        var octets = [UInt8](repeating: 0, count: 64)
        let common: [(Int, UInt8)] = [
            (0, 0x20), (5, 0xC0), (14, 0xA8), (15, 0x22), (25, 0xF7), (26, 0xFF), (27, 0xFF), (28, 0x7F), (33, 0xF0),
            (34, 0x0F),
        ]
        for (octet, bits) in common { octets[octet] = bits }
        guard plan.extendedAdvertising else { return octets }
        for (octet, bits) in [(34, 0xFF), (35, 0xFF), (36, 0xFF)] as [(Int, UInt8)] { octets[octet] = bits }
        return octets
    }
}
