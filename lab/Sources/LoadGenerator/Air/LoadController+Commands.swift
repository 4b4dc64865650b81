import Octets

/// Commands of a host before and during advertising (Core 5.4, Vol 4, Part E, 7).
extension LoadController {
    /// Executes a command packet. Unknown commands succeed, with a status only.
    mutating func perform(_ packet: Span<UInt8>) {
        commands += 1
        let opcode = UInt16(packet[1]) | UInt16(packet[2]) << 8
        let parameters = packet.extracting(4..<packet.count)
        if aboutLinks(opcode, parameters) { return }
        if advertising(opcode, parameters) { return }
        complete(opcode, information(opcode, parameters) ?? [0])
    }

    /// Command Complete (7.7.14); the return parameters begin with the status.
    private mutating func complete(_ opcode: UInt16, _ returned: [UInt8]) {
        burst.appendEvent(
            0x0E, [1, UInt8(truncatingIfNeeded: opcode), UInt8(truncatingIfNeeded: opcode >> 8)] + returned)
    }

    /// Command Status (7.7.15), and the subsequent event.
    private mutating func begin(_ opcode: UInt16, then code: UInt8, _ parameters: [UInt8]) {
        burst.appendEvent(0x0F, [0, 1, UInt8(truncatingIfNeeded: opcode), UInt8(truncatingIfNeeded: opcode >> 8)])
        burst.appendEvent(code, parameters)
    }

    private mutating func advertising(_ opcode: UInt16, _ parameters: Span<UInt8>) -> Bool {
        switch opcode {
        case 0x0C03:  // Reset
            wasReset = true
            isAdvertising = false
            sets.removeAll()
            for index in links.indices { links[index].end() }
            complete(opcode, [0])
        case 0x200A where parameters.count >= 1:  // LE Set Advertising Enable
            isAdvertising = parameters[0] != 0
            hasAdvertised = hasAdvertised || isAdvertising
            complete(opcode, [0])
        case 0x2039 where parameters.count >= 2:  // LE Set Extended Advertising Enable
            enable(parameters)
            complete(opcode, [0])
        default: return false
        }
        return true
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
    private mutating func aboutLinks(_ opcode: UInt16, _ parameters: Span<UInt8>) -> Bool {
        guard parameters.count >= 2 else { return false }
        let handle = [parameters[0], parameters[1]]
        switch opcode {
        case 0x0406:  // Disconnect
            let link = (Int(handle[0]) | Int(handle[1]) << 8) - Int(LoadController.firstHandle)
            guard links.indices.contains(link), links[link].isUp else { return false }
            burst.appendEvent(0x0F, [0, 1, 0x06, 0x04])
            end(link, reason: 0x16)
        case 0x1405: complete(opcode, [0] + handle + [UInt8(bitPattern: -57)])  // Read RSSI
        case 0x2022: complete(opcode, [0] + handle)  // LE Set Data Length
        case 0x2030: complete(opcode, [0] + handle + [1, 1])  // LE Read PHY
        case 0x2016:  // LE Read Remote Features
            begin(opcode, then: 0x3E, [0x04, 0] + handle + [0x3F, 0x59, 0, 0, 0, 0, 0, 0])
        case 0x041D: begin(opcode, then: 0x0C, [0] + handle + [0x0C, 0xFF, 0xFF, 0, 0])  // Read Remote Version
        case 0x2032: begin(opcode, then: 0x3E, [0x0C, 0] + handle + [2, 2])  // LE Set PHY
        case 0x2013 where parameters.count >= 10:  // LE Connection Update: the shortest interval that is asked for
            begin(
                opcode, then: 0x3E,
                [0x03, 0] + handle + [parameters[2], parameters[3]] + (6..<10).map { parameters[$0] })
        default: return false
        }
        return true
    }

    /// Return parameters of informational commands; nil for other commands.
    private mutating func information(_ opcode: UInt16, _ parameters: Span<UInt8>) -> [UInt8]? {
        let length = UInt8(plan.packetLength)
        let count = UInt8(plan.packetCount)
        switch opcode {
        case 0x1001: return [0, 0x0C, 0, 0, 0x0C, 0xFF, 0xFF, 0, 0]  // version: 5.3
        case 0x1002: return [0] + supportedCommands
        case 0x1003: return [0, 0, 0, 0, 0, 0x60, 0, 0, 0]  // features: LE, no BR/EDR
        case 0x1004: return [0, parameters.count > 0 ? parameters[0] : 0, 0, 0, 0, 0, 0, 0x60, 0, 0, 0]
        case 0x1005: return [0, length, 0, 0, count, 0, 0, 0]  // buffer size
        case 0x1009: return [0, 6, 5, 4, 3, 2, 1]  // address
        case 0x2002: return [0, length, 0, count]  // LE buffer size
        case 0x2060: return [0, length, 0, count, 0, 0, 0]  // LE buffer size [v2]
        // LE features: encryption to data length, 2M; with extended advertising also coded, sets, channel selection 2.
        case 0x2003: return [0, 0x3F, plan.extendedAdvertising ? 0x59 : 0x01, 0, 0, 0, 0, 0, 0]
        case 0x201C: return [0, 0xFF, 0xFF, 0x3F, 0xFF, 0xFF, 3, 0, 0]  // LE states
        case 0x2007: return [0, 0]  // advertising power
        case 0x200F, 0x202A: return [0, 8]  // sizes of lists
        case 0x2018: return [0] + random.octets(8)
        case 0x2017: return [0] + random.octets(16)
        case 0x2023: return [0, 251, 0, 0x48, 8]  // suggested data length
        case 0x202F: return [0, 251, 0, 0x48, 8, 251, 0, 0x48, 8]  // maximum data length
        case 0x203A: return [0, 0x72, 0x06]  // advertising data
        case 0x203B: return [0, 16]  // advertising sets
        case 0x2036: return [0, 0]  // selected power
        case 0x204B: return [0, 0, 10]  // power
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
