public import Peripheral

/// The table that a host under load serves: the service 6E400001-B5A3-F393-E0A9-E50E24DCCA9E with these
/// characteristics.
///
/// | UUID | properties | behaviour |
/// |---|---|---|
/// | 6E400002 | read | 20 octets |
/// | 6E400003 | write | keeps up to 244 octets |
/// | 6E400004 | write without response | counts writes |
/// | 6E400005 | notify | the first four octets are the count of 6E400004, least significant first; the rest is
///   arbitrary |
/// | 6E400006 | write | four octets: the number of notifications to send on this link; two: the length of each |
public enum BenchTable {
    private static let high: UInt64 = 0x6E40_0000_B5A3_F393
    private static let low: UInt64 = 0xE0A9_E50E_24DC_CA9E

    /// The service's UUID.
    public static let service = uuid(1)
    /// The length of the value that is read.
    public static let readCount = 20
    /// The maximum length of a written or notified value: that of an ATT_MTU of 247.
    public static let longestCount = 244

    /// A characteristic of the table.
    public enum Characteristic: UInt16, CaseIterable, Sendable {
        /// 6E400002.
        case read = 2
        /// 6E400003.
        case write = 3
        /// 6E400004.
        case command = 4
        /// 6E400005.
        case notify = 5
        /// 6E400006.
        case control = 6

        /// Its UUID.
        public var uuid: BluetoothUUID { BenchTable.uuid(rawValue) }

        /// The characteristic with this UUID, in the octet order of a PDU.
        init?(uuid octets: Span<UInt8>) {
            guard octets.count == 16 else { return nil }
            var expected: [UInt8] = []
            BenchTable.uuid(0).append(to: &expected)
            for index in 0..<16 where index != 12 && index != 13 {
                guard octets[index] == expected[index] else { return nil }
            }
            self.init(rawValue: UInt16(octets[12]) | UInt16(octets[13]) << 8)
        }
    }

    private static func uuid(_ number: UInt16) -> BluetoothUUID {
        BluetoothUUID(high: high | UInt64(number) << 32, low: low)
    }
}
