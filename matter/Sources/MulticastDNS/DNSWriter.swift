// SPDX-License-Identifier: Apache-2.0

internal import Octets

/// Encodes a message; a name's ending that occurred before becomes a compression pointer (RFC 1035, 4.1.4).
struct DNSWriter {
    private(set) var octets: [UInt8] = []
    private var places: [DNSName: UInt16] = [:]

    mutating func put(_ number: UInt16) { octets.append(bigEndian: number) }

    mutating func put(_ question: DNSQuestion) {
        put(question.name)
        put(question.type.rawValue)
        put(question.classCode | (question.wantsUnicast ? 0x8000 : 0))
    }

    mutating func put(_ record: DNSRecord) {
        put(record.name)
        put(record.data.type.rawValue)
        put(record.classCode | (record.flushesCache ? 0x8000 : 0))
        put(UInt16(truncatingIfNeeded: record.lifetime >> 16))
        put(UInt16(truncatingIfNeeded: record.lifetime))
        let place = octets.count
        put(0)
        put(record.data)
        let count = octets.count - place - 2
        octets[place] = UInt8(truncatingIfNeeded: count >> 8)
        octets[place + 1] = UInt8(truncatingIfNeeded: count)
    }

    private mutating func put(_ data: DNSData) {
        switch data {
        case .pointer(let name): put(name)
        // With multicast the host may be compressed too (RFC 6762, 18.14).
        case .service(let priority, let weight, let port, let host):
            for number in [priority, weight, port] { put(number) }
            put(host)
        case .address, .text, .other: octets.append(contentsOf: data.octets)
        }
    }

    private mutating func put(_ name: DNSName) {
        var rest = name.octets[...]
        while let length = rest.first, length > 0 {
            let suffix = DNSName(trusted: Array(rest))
            if let place = places[suffix] { return put(0xC000 | place) }
            // A pointer has 14 bits.
            if octets.count < 0x4000 { places[suffix] = UInt16(truncatingIfNeeded: octets.count) }
            octets.append(contentsOf: rest.prefix(1 + Int(length)))
            rest = rest.dropFirst(1 + Int(length))
        }
        octets.append(0)
    }
}
