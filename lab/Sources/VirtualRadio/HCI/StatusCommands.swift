// SPDX-License-Identifier: Apache-2.0

extension Command {
    /// The commands outside of this enumeration whose answer is Command Status with a later event (Core 5.4, Vol 4,
    /// Part E, 7.1 to 7.3 and 7.8). All others have Command Complete.
    private static let unsupportedWithStatus: Set<UInt16> = [
        // Link control of BR/EDR: inquiry, connection, authentication, names, features, clock, synchronous links,
        // truncated page, synchronization train.
        0x0401, 0x0405, 0x0409, 0x040A, 0x040F, 0x0411, 0x0413, 0x0415, 0x0417, 0x0419, 0x041B, 0x041C, 0x041F, 0x0428,
        0x0429, 0x042A, 0x043D, 0x043E, 0x043F, 0x0443, 0x0444,
        // Link policy: hold, sniff, quality of service, role, flow specification.
        0x0801, 0x0803, 0x0804, 0x0807, 0x080B, 0x0810,
        // Refresh Encryption Key, Enhanced Flush.
        0x0C53, 0x0C5F,
        // LE: P-256, DHKey, PHY, periodic synchronization, isochronous groups, clock accuracy, subrating, and the
        // second version of connecting.
        0x2025, 0x2026, 0x205E, 0x2032, 0x2044, 0x2064, 0x2066, 0x2068, 0x2069, 0x206A, 0x206B, 0x206D, 0x207E, 0x2085,
    ]

    /// True if the answer to this opcode is Command Status, also if the command is unsupported.
    static func answersWithStatus(_ opcode: UInt16) -> Bool {
        Command(rawValue: opcode)?.answersWithStatus ?? unsupportedWithStatus.contains(opcode)
    }
}
