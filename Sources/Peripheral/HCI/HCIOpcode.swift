/// A command's number: the group in the six upper bits, the command in the ten lower ones (Core 5.4, Vol 4, Part E,
/// 5.4.1).
struct HCIOpcode: RawRepresentable, Hashable, Sendable {
    /// The two octets as packets have them.
    var rawValue: UInt16

    /// Sent with Command Complete and Command Status when only the command credits change (7.7.14).
    static let none = HCIOpcode(rawValue: 0x0000)
    static let disconnect = HCIOpcode(rawValue: 0x0406)
    static let setEventMask = HCIOpcode(rawValue: 0x0C01)
    static let reset = HCIOpcode(rawValue: 0x0C03)
    static let readLocalVersion = HCIOpcode(rawValue: 0x1001)
    static let readLocalSupportedCommands = HCIOpcode(rawValue: 0x1002)
    static let readBufferSize = HCIOpcode(rawValue: 0x1005)
    static let readBDADDR = HCIOpcode(rawValue: 0x1009)
    static let readRSSI = HCIOpcode(rawValue: 0x1405)
    static let leSetEventMask = HCIOpcode(rawValue: 0x2001)
    static let leReadBufferSize = HCIOpcode(rawValue: 0x2002)
    static let leReadLocalSupportedFeatures = HCIOpcode(rawValue: 0x2003)
    static let leSetRandomAddress = HCIOpcode(rawValue: 0x2005)
    static let leSetAdvertisingParameters = HCIOpcode(rawValue: 0x2006)
    static let leReadAdvertisingTransmitPower = HCIOpcode(rawValue: 0x2007)
    static let leSetAdvertisingData = HCIOpcode(rawValue: 0x2008)
    static let leSetScanResponseData = HCIOpcode(rawValue: 0x2009)
    static let leSetAdvertisingEnable = HCIOpcode(rawValue: 0x200A)
    static let leConnectionUpdate = HCIOpcode(rawValue: 0x2013)
    static let leLongTermKeyRequestReply = HCIOpcode(rawValue: 0x201A)
    static let leLongTermKeyRequestNegativeReply = HCIOpcode(rawValue: 0x201B)
    static let leSetDataLength = HCIOpcode(rawValue: 0x2022)
    static let leWriteSuggestedDefaultDataLength = HCIOpcode(rawValue: 0x2024)
    static let leSetAdvertisingSetRandomAddress = HCIOpcode(rawValue: 0x2035)
    static let leSetExtendedAdvertisingParameters = HCIOpcode(rawValue: 0x2036)
    static let leSetExtendedAdvertisingData = HCIOpcode(rawValue: 0x2037)
    static let leSetExtendedScanResponseData = HCIOpcode(rawValue: 0x2038)
    static let leSetExtendedAdvertisingEnable = HCIOpcode(rawValue: 0x2039)
    static let leReadNumberOfSupportedAdvertisingSets = HCIOpcode(rawValue: 0x203B)
    static let leRemoveAdvertisingSet = HCIOpcode(rawValue: 0x203C)
    static let leReadBufferSizeV2 = HCIOpcode(rawValue: 0x2060)
}
