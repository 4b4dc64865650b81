import Octets
import Peripheral

/// The service UUIDs in advertising data (Core Specification Supplement, Part A, 1.1).
enum AdvertisedServices {
    private static let lists16: ClosedRange<UInt8> = 0x02...0x03
    private static let lists128: ClosedRange<UInt8> = 0x06...0x07

    /// Whether `data` lists `uuid`. A malformed structure ends the search, as in a scanner.
    static func contains(_ uuid: BluetoothUUID, in data: [UInt8]) -> Bool {
        let bytes = data.span
        var cursor = OctetCursor(bytes)
        while let length = try? cursor.u8(bytes), length > 0,
            let structure = try? cursor.take(Int(length), of: bytes)
        {
            if lists(uuid, bytes.extracting(structure)) { return true }
        }
        return false
    }

    private static func lists(_ uuid: BluetoothUUID, _ structure: Span<UInt8>) -> Bool {
        var cursor = OctetCursor(structure)
        guard let type = try? cursor.u8(structure) else { return false }
        if lists16.contains(type) {
            while let short = try? cursor.u16(structure) {
                if BluetoothUUID(short) == uuid { return true }
            }
        } else if lists128.contains(type) {
            while let low = try? cursor.u64(structure), let high = try? cursor.u64(structure) {
                if BluetoothUUID(high: high, low: low) == uuid { return true }
            }
        }
        return false
    }
}
