// SPDX-License-Identifier: Apache-2.0

import Octets
import Peripheral

/// The structures of advertising data: length, type, content (Core 5.4, Vol 3, Part C, 11). A malformed one ends the
/// search, as in a scanner.
public enum AdvertisingStructures {
    /// Calls `body` with the type and content of each structure.
    public static func forEach(in data: [UInt8], _ body: (_ type: UInt8, _ content: Span<UInt8>) -> Void) {
        _ = first(in: data) { type, content -> Bool? in
            body(type, content)
            return nil
        }
    }

    /// The result of `body` for the first structure for which it has one.
    static func first<Value>(in data: [UInt8], _ body: (_ type: UInt8, _ content: Span<UInt8>) -> Value?) -> Value? {
        let bytes = data.span
        var cursor = OctetCursor(bytes)
        while let length = try? cursor.u8(bytes), length > 0,
            let structure = try? cursor.consume(Int(length), of: bytes)
        {
            let content = bytes.extracting(structure.lowerBound + 1..<structure.upperBound)
            if let found = body(bytes[structure.lowerBound], content) { return found }
        }
        return nil
    }
}

/// The service UUIDs in advertising data (Core Specification Supplement, Part A, 1.1).
enum AdvertisedServices {
    private static let lists16: ClosedRange<UInt8> = 0x02...0x03
    private static let lists128: ClosedRange<UInt8> = 0x06...0x07

    /// True if `data` lists `uuid`.
    static func contains(_ uuid: BluetoothUUID, in data: [UInt8]) -> Bool {
        AdvertisingStructures.first(in: data) { type, content in lists(uuid, type, content) ? true : nil } ?? false
    }

    private static func lists(_ uuid: BluetoothUUID, _ type: UInt8, _ content: Span<UInt8>) -> Bool {
        var cursor = OctetCursor(content)
        if lists16.contains(type) {
            while let short = try? cursor.u16(content) {
                if BluetoothUUID(short) == uuid { return true }
            }
        } else if lists128.contains(type) {
            while let low = try? cursor.u64(content), let high = try? cursor.u64(content) {
                if BluetoothUUID(high: high, low: low) == uuid { return true }
            }
        }
        return false
    }
}
