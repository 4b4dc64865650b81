import Peripheral

/// The advertising and scan response data of a device (Core Specification Supplement, Part A, 1).
struct DeviceAdvertising {
    /// AD types (Assigned Numbers, 2.3).
    private enum Kind {
        static let flags: UInt8 = 0x01
        static let incomplete16: UInt8 = 0x02
        static let complete16: UInt8 = 0x03
        static let incomplete128: UInt8 = 0x06
        static let complete128: UInt8 = 0x07
        static let shortenedName: UInt8 = 0x08
        static let completeName: UInt8 = 0x09
    }

    /// LE General Discoverable Mode, BR/EDR Not Supported.
    private static let flags: UInt8 = 0x06

    /// Flags, and the first services that fit.
    let data: [UInt8]
    /// The name, cut between two characters to the part that fits.
    let scanResponse: [UInt8]

    /// The data of a device with this name and these services.
    init(name: String, services: [BluetoothUUID]) {
        var data: [UInt8] = [2, Kind.flags, DeviceAdvertising.flags]
        let short = services.filter { $0.short != nil }
        let long = services.filter { $0.short == nil }
        // UUIDs of one size share an AD structure; the size of the first service precedes the other.
        let shortFirst = services.first?.short != nil
        for isShort in [shortFirst, !shortFirst] {
            DeviceAdvertising.append(
                isShort ? short : long, complete: isShort ? Kind.complete16 : Kind.complete128,
                incomplete: isShort ? Kind.incomplete16 : Kind.incomplete128, to: &data)
        }
        self.data = data

        let room = AdvertisingSet.maximumDataCount - 2
        var shown: [UInt8] = []
        for character in name.unicodeScalars {
            let octets = Array(String(character).utf8)
            guard shown.count + octets.count <= room else { break }
            shown += octets
        }
        let isWhole = shown.count == name.utf8.count
        let kind = isWhole ? Kind.completeName : Kind.shortenedName
        scanResponse = [UInt8(truncatingIfNeeded: shown.count + 1), kind] + shown
    }

    private static func append(
        _ services: [BluetoothUUID], complete: UInt8, incomplete: UInt8, to data: inout [UInt8]
    ) {
        guard let first = services.first else { return }
        let room = (AdvertisingSet.maximumDataCount - data.count - 2) / first.encodedCount
        guard room > 0 else { return }
        let fitting = services.prefix(room)
        data.append(UInt8(truncatingIfNeeded: 1 + fitting.count * first.encodedCount))
        data.append(fitting.count == services.count ? complete : incomplete)
        for service in fitting { service.append(to: &data) }
    }
}
