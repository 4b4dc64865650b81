// SPDX-License-Identifier: Apache-2.0

/// Commands of a PN532 that polls, without the direction octet (PN532 user manual UM0701-02, 7). libnfc adds the frame
/// of the serial line, I2C or SPI.
enum PN532Command {
    /// The maximum number of octets of an APDU in one command; libnfc ends the process above it.
    static let apduLimit = 262
    /// The number of the only target.
    private static let target: UInt8 = 1

    /// GetFirmwareVersion, 7.2.2.
    static let firmwareVersion: [UInt8] = [0x02]
    /// The octets of its response: IC, version, revision, support.
    static let versionCount = 4
    /// SetParameters, 7.2.9: automatic ATR_RES and automatic RATS.
    static let automaticRATS: [UInt8] = [0x12, 0x14]
    /// RFConfiguration, 7.3.1, item 5: no repetition of ATR_REQ and of the passive activation. With 0xFF, the chip
    /// searches until the next command.
    static let noRetries: [UInt8] = [0x32, 0x05, 0x00, 0x01, 0x00]
    /// RFConfiguration, item 2: 102.4 ms for ATR_RES, and 1638.4 ms for a card's answer, which includes the cold start
    /// of a phone's app. The value n stands for 100 µs · 2^(n − 1).
    static let longTimeout: [UInt8] = [0x32, 0x02, 0x00, 0x0B, 0x0F]
    /// RFConfiguration, item 2: 0.8 ms, for a frame that no card answers.
    static let shortTimeout: [UInt8] = [0x32, 0x02, 0x00, 0x0B, 0x04]
    /// RFConfiguration, item 1.
    static let fieldOn: [UInt8] = [0x32, 0x01, 0x01]
    static let fieldOff: [UInt8] = [0x32, 0x01, 0x00]
    /// InListPassiveTarget, 7.3.5: one card of type A at 106 kbit/s.
    static let listTypeA: [UInt8] = [0x4A, 0x01, 0x00]
    /// InListPassiveTarget: one card of type B, of any application family.
    static let listTypeB: [UInt8] = [0x4A, 0x01, 0x03, 0x00]
    /// WriteRegister, 7.2.5: CIU_BitFraming, whole octets. REQA leaves 7 bits there, which would cut the next frame.
    static let wholeOctets: [UInt8] = [0x08, 0x63, 0x3D, 0x00]
    /// InDeselect, 7.3.10: S(DESELECT), or HLTA to a card without ISO/IEC 14443-4.
    static let deselect: [UInt8] = [0x44, target]

    /// InDataExchange, 7.3.8.
    static func exchange(_ apdu: [UInt8]) -> [UInt8] { [0x40, target] + apdu }

    /// InCommunicateThru, 7.3.9: the frame with its CRC_A, which the chip does not append after REQA.
    static func raw(_ frame: [UInt8]) -> [UInt8] { [0x42] + frame + crcA(frame) }

    /// CRC_A, low octet first (ISO/IEC 14443-3, annex B).
    static func crcA(_ octets: [UInt8]) -> [UInt8] {
        var crc: UInt16 = 0x6363
        for octet in octets {
            var value = octet ^ UInt8(truncatingIfNeeded: crc)
            value ^= value << 4
            let wide = UInt16(value)
            crc = (crc >> 8) ^ (wide << 8) ^ (wide << 3) ^ (wide >> 4)
        }
        return [UInt8(truncatingIfNeeded: crc), UInt8(truncatingIfNeeded: crc >> 8)]
    }
}
