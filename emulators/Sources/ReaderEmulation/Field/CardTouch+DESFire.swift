// SPDX-License-Identifier: Apache-2.0

import Credentials
import Octets

/// The status words of DESFire cards, and their native commands (NXP AN12196).
extension CardTouch {
    private typealias Native = ReaderCardFault.Native

    /// True for the last command if it begins an authentication.
    var isAuthentication: Bool { instruction == Native.authenticateEV1 || instruction == Native.authenticateEV2 }

    /// True for the answer of EV1 to the authentication of EV2, which is none of its commands.
    var isUnknownAuthentication: Bool { instruction == Native.authenticateEV2 && word == [0x91, 0x1C] }

    /// True for success, and for a further frame.
    static func isDESFireSuccess(_ word: [UInt8]) -> Bool { word == [0x91, 0x00] || word == [0x91, 0xAF] }

    /// The mistake of a card that the reader has refused; nil without a cause of DESFire.
    func desfireMistake(_ refusal: CardRefusal) -> ReaderMistake? {
        guard word.first == 0x91, let cause = cause(of: refusal) else { return nil }
        return ReaderMistake(
            "card-response", "answered \(name) with \(Hexadecimal.text(word)): \(cause); docs/operate/desfire.md")
    }

    private func cause(of refusal: CardRefusal) -> String? {
        switch word.last {
        case 0xA0: "it has no application of this number"
        case 0x40: "it has no key of this number"
        case 0xAE: "it has another key than the reader: its octets, its number or its diversification"
        case 0x1E: "it does not accept the MAC of the command"
        case 0x9D: "this key may not read the file"
        case 0xF0: "it has no file of this number"
        case 0xBE: "the file has fewer octets than the reader reads"
        case 0x00 where refusal == .proof && instruction == Native.readData:
            "its MAC or cryptogram is wrong, its file has another communication mode, or the number another length"
        case 0x00 where refusal == .proof: "it has not proven its key: the reader's random number is not in its answer"
        default: nil
        }
    }

    static func desfireName(_ command: [UInt8]) -> String {
        switch command.dropFirst().first {
        case Native.selectApplication: "SelectApplication"
        case Native.getVersion: "GetVersion"
        case Native.getCardUID: "GetCardUID"
        case Native.authenticateEV1: "AuthenticateAES"
        case Native.authenticateEV2: "AuthenticateEV2First"
        case Native.additionalFrame:
            ReaderCardFault.isProof(command) ? "AdditionalFrame with the proof" : "AdditionalFrame"
        case Native.readData: "ReadData"
        default: unknownName(command)
        }
    }
}
