/// The checksum in a message header: 16 bits, polynomial 0x1021, by nibbles, the low nibble of each octet first.
///
/// It is in no catalogue: "123456789" gives 0xB58D from 0xFFFF and 0xADFF from 0. The checksum of no octets is 0,
/// which is what the header of an empty message carries. It finds accidents, not forgeries.
public struct FrameCRC: Hashable, Sendable {
    private var register: UInt16
    private var isEmpty = true

    /// A checksum of nothing yet; the protocol starts the register at 0xFFFF.
    public init(initialValue: UInt16 = 0xFFFF) {
        register = initialValue
    }

    /// The checksum of `octets`.
    public init(of octets: Span<UInt8>) {
        self.init()
        update(octets)
    }

    /// The checksum of all that was given so far; 0 if nothing was.
    public var value: UInt16 { isEmpty ? 0 : register }

    /// Takes in the next octets.
    public mutating func update(_ octets: Span<UInt8>) {
        guard !octets.isEmpty else { return }
        isEmpty = false
        var crc = register
        for at in octets.indices {
            let octet = UInt16(octets[at])
            crc = crc << 4 ^ FrameCRC.table[Int(crc >> 12 ^ octet & 0xF)]
            crc = crc << 4 ^ FrameCRC.table[Int(crc >> 12 ^ octet >> 4)]
        }
        register = crc
    }

    private static let table: [16 of UInt16] = [
        0x0000, 0x1021, 0x2042, 0x3063, 0x4084, 0x50A5, 0x60C6, 0x70E7,
        0x8108, 0x9129, 0xA14A, 0xB16B, 0xC18C, 0xD1AD, 0xE1CE, 0xF1EF,
    ]
}
