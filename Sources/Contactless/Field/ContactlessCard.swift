// SPDX-License-Identifier: Apache-2.0

public import Crypto

/// A card, or a phone that plays one, in the field of a reader: command APDUs in, response APDUs out.
public protocol ContactlessCard: Sendable {
    /// Its activation (ISO/IEC 14443-3 and -4).
    var activation: CardActivation { get }

    /// True once the reader has what identifies the card, until the next activation.
    var isRead: Bool { get }

    /// The reader has activated the card: an earlier session is discarded.
    mutating func activate()

    /// The response APDU to a command APDU, data and status word; nil for silence.
    mutating func respond(to command: [UInt8], random: inout some RandomSource) -> [UInt8]?
}

/// A status word as octets (ISO/IEC 7816-4, 5.6).
enum CardStatus {
    static let ok: [UInt8] = [0x90, 0x00]
    static let wrongLength: [UInt8] = [0x67, 0x00]
    static let inSession: [UInt8] = [0x69, 0x00]
    static let notAuthentic: [UInt8] = [0x69, 0x82]
    static let outOfOrder: [UInt8] = [0x69, 0x85]
    static let wrongData: [UInt8] = [0x6A, 0x80]
    static let notFound: [UInt8] = [0x6A, 0x82]
    static let unknownInstruction: [UInt8] = [0x6D, 0x00]
    static let unknownClass: [UInt8] = [0x6E, 0x00]
}

/// A short command APDU (ISO/IEC 7816-4, 5.1).
struct ShortCommand {
    let instructionClass: UInt8
    let instruction: UInt8
    let parameters: (UInt8, UInt8)
    let data: [UInt8]

    /// The command in these octets, with or without Le; nil for another length than Lc says.
    init?(_ octets: [UInt8]) {
        guard octets.count >= 4 else { return nil }
        (instructionClass, instruction, parameters) = (octets[0], octets[1], (octets[2], octets[3]))
        guard octets.count > 5 else {
            data = []
            return
        }
        let end = 5 + Int(octets[4])
        guard octets.count == end || octets.count == end + 1 else { return nil }
        data = Array(octets[5..<end])
    }
}
