// SPDX-License-Identifier: Apache-2.0

import Credentials

/// The faults of a reader with a DESFire card (AN12196; docs/operate/desfire.md).
extension ReaderCardFault {
    /// The native commands.
    enum Native {
        static let selectApplication: UInt8 = 0x5A
        static let getVersion: UInt8 = 0x60
        static let getCardUID: UInt8 = 0x51
        static let authenticateEV1: UInt8 = 0xAA
        static let authenticateEV2: UInt8 = 0x71
        static let additionalFrame: UInt8 = 0xAF
        static let readData: UInt8 = 0xBD
    }

    /// The octets of the reader's proof: RndA and RndB, enciphered.
    private static let proofCount = 32
    /// The octets of ReadData's parameters, and of EV2's MAC.
    private static let headerCount = 7, macCount = 8
    /// A number that no key of an application has.
    private static let noKey: UInt8 = 0x0E

    /// True for the reader's proof.
    static func isProof(_ command: [UInt8]) -> Bool {
        command.count == proofCount + 6 && command[1] == Native.additionalFrame
    }

    /// True for ReadData with a MAC.
    static func isSealedRead(_ command: [UInt8]) -> Bool {
        command.count == headerCount + macCount + 6 && command[1] == Native.readData
    }

    /// ReadData of this place, without an authentication.
    static func reading(_ place: DESFireCredential) -> [UInt8] {
        let numbers: [UInt8] = [place.offset, place.count].flatMap { number -> [UInt8] in
            [UInt8(number & 0xFF), UInt8(number >> 8 & 0xFF), 0]
        }
        let header: [UInt8] = [0x90, Native.readData, 0x00, 0x00, UInt8(headerCount), place.file]
        return header + numbers + [0x00]
    }

    /// The last bit of the data is another one.
    private static func spoiltEnd(_ command: [UInt8]) -> [UInt8] {
        changed(command) { $0.dropLast() + $0.suffix(1).map { $0 ^ 1 } }
    }

    static let desfire: [ReaderCardFault] = [
        .init(
            "no-proof", .desfire, .instruction(Native.authenticateEV2), .unproven,
            "reads the file without an authentication", .refuses("919D")),
        .init(
            "other-key", .desfire, .instruction(Native.authenticateEV2), .command { with($0, noKey, at: 5) },
            "names a key that no application has", .refuses("9140")),
        .init(
            "changed-proof", .desfire, .desfireProof, .command(spoiltEnd), "changes a bit of its proof",
            .refuses("91AE")),
        .init(
            "cut-proof", .desfire, .desfireProof, .command { changed($0) { $0.dropLast(3) } }, "cuts its proof",
            .refuses("917E")),
        .init(
            "replayed-proof", .desfire, .desfireProof, .replay, "sends the proof of another authentication",
            .refuses("91AE")),
        .init(
            "reflected-proof", .desfire, .desfireProof, .reflection { $0 + $0 },
            "returns the card's own challenge", .refuses("91AE")),
        .init(
            "changed-read", .desfire, .sealedRead, .command(spoiltEnd), "changes a bit of the MAC of ReadData",
            .refuses("911E")),
        .init(
            "repeated-read", .desfire, .sealedRead, .twice, "repeats ReadData with its MAC", .refuses("911E")),
        .init(
            "other-file", .desfire, .instruction(Native.readData),
            .place { at($0, file: $0.file == 31 ? 30 : 31, offset: $0.offset) }, "reads a file that the card has not",
            .refuses("91F0")),
        .init(
            "beyond-file", .desfire, .instruction(Native.readData), .place { at($0, file: $0.file, offset: 0xFFFF) },
            "reads beyond the end of the file", .refuses("91BE")),
    ]

    private static func at(_ place: DESFireCredential, file: UInt8, offset: Int) -> DESFireCredential? {
        DESFireCredential(
            application: place.application, file: file, offset: offset, count: place.count,
            communication: place.communication, key: place.key, diversification: place.diversification)
    }
}
