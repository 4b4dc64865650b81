// SPDX-License-Identifier: Apache-2.0

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
    /// The service's UUID.
    public static let service = uuid(1)
    /// The length of the value that is read.
    public static let readCount = 20
    /// The maximum length of a written or notified value with an ATT_MTU of 247.
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
    }

    private static func uuid(_ number: UInt16) -> BluetoothUUID {
        BluetoothUUID(high: 0x6E40_0000_B5A3_F393 | UInt64(number) << 32, low: 0xE0A9_E50E_24DC_CA9E)
    }
}
