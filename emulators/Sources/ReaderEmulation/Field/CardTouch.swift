// SPDX-License-Identifier: Apache-2.0

import Contactless
import Credentials
import Octets
import Reader

/// A card's presence from its activation to its release, as the reader sees it.
struct CardTouch {
    /// The kind whose application was selected last.
    private(set) var kind: CardKind?
    /// The last command.
    private(set) var command: [UInt8] = []
    /// The card's last message that proves it: data for a reader that returns it.
    private(set) var message: [UInt8] = []
    /// The fault by which the reader reads at another place in this touch.
    var otherPlace: String?
    /// The status word of the last response.
    private(set) var word: [UInt8] = []
    /// The right commands that faults need later, by their names.
    private(set) var remembered: [String: [UInt8]] = [:]
    /// The fault that has shown.
    private(set) var fault: ReaderCardFault?
    /// True once the last command is repeated: the reader's transaction is over.
    private(set) var isOver = false
    /// True while the card's reaction to the fault is awaited.
    private var isAwaited = false
    private var hasSelected = false

    /// The next command, before a fault.
    mutating func begin(_ next: [UInt8]) {
        guard CardTouch.isSelect(next) else { return }
        kind = CardKind(selectedBy: next) ?? (CardTouch.data(next) == ApplicationID.access.octets ? .phone : nil)
        hasSelected = false
    }

    /// True if this command is the fault's place, and the fault has not shown.
    func meets(_ due: ReaderCardFault, _ next: [UInt8]) -> Bool {
        if case .selections = due.place { return isPlace(of: due, next) }
        return fault == nil && isPlace(of: due, next)
    }

    private func isPlace(of due: ReaderCardFault, _ next: [UInt8]) -> Bool {
        guard due.kind == nil || due.kind == kind else { return false }
        return switch due.place {
        case .selections: CardTouch.isSelect(next)
        // Without data: GET RESPONSE continues SELECT, GetVersion of DESFire asks for the UID.
        case .first: hasSelected && !CardTouch.isSelect(next) && next.count > 5
        case .instruction(let instruction): next.count > 1 && next[1] == instruction
        case .desfireProof: ReaderCardFault.isProof(next)
        case .sealedRead: ReaderCardFault.isSealedRead(next)
        }
    }

    /// The command is sent, with this fault.
    mutating func send(_ sent: [UInt8], _ fault: ReaderCardFault?) {
        command = sent
        guard let fault else {
            for due in ReaderCardFault.remembering where isPlace(of: due, sent) { remembered[due.name] = sent }
            return
        }
        (self.fault, isAwaited) = (fault, true)
        if case .twice = fault.change { isOver = true }
    }

    /// Judges the response to the last command: the mistake of a card, if any.
    mutating func receive(_ response: [UInt8]) -> ReaderMistake? {
        word = response.suffix(2)
        let isSuccess = CardTouch.isSuccess(word, kind)
        if CardTouch.isSelect(command), isSuccess { hasSelected = true }
        if isSuccess, hasProof { message = response.dropLast(2) }
        guard isAwaited, let fault else { return nil }
        // An Aliro phone may use the values of AUTH0 in its answer to AUTH1 first.
        if isSuccess, fault.kind == .aliro, [0x80, 0xC0].contains(instruction) { return nil }
        isAwaited = false
        let answer = Hexadecimal.text(word)
        switch fault.reaction {
        case .refuses(let usual):
            guard isSuccess, kind != .phone || response.count > 2 || CardTouch.isSelect(command) else { return nil }
            return ReaderMistake(
                "card-went-on", "answered \(answer) to a reader that \(fault.action): refuse it, as with \(usual)")
        case .waits:
            guard !response.elementsEqual([0x90, 0x00]) else { return nil }
            return ReaderMistake(
                "card-went-on", "answered \(Hexadecimal.text(response)) to a reader that \(fault.action): answer 9000")
        case .goesOn:
            guard !isSuccess, word.first != 0x93, !isUnknownAuthentication else { return nil }
            return ReaderMistake("card-gave-up", "answered \(answer) to a reader that \(fault.action): serve it")
        case .forgets: return nil
        }
    }

    /// The mistake of a card that the reader has refused for this reason; nil for its credential, and after a fault.
    func mistake(_ refusal: CardRefusal, _ kind: CardKind?) -> ReaderMistake? {
        guard fault == nil || fault?.reaction == .goesOn else { return nil }
        switch refusal {
        case .absent: return word == [0x91, 0xA0] ? desfireMistake(refusal) : nil
        case .unknown, .revoked, .notValidNow, .noRight, .unavailable: return nil
        case .malformed, .statusWord, .version, .key, .proof, .algorithm, .document, .tooLong, .outOfOrder, .silent:
            if kind == .desfire, let mistake = desfireMistake(refusal) { return mistake }
            let page =
                switch kind {
                case .phone: "docs/protocol/nfc-profile.md, 7.1"
                case .aliro: "docs/operate/aliro.md"
                case .pkoc: "docs/operate/pkoc.md"
                case .desfire: "docs/operate/desfire.md"
                case nil: "docs/operate/polled-cards.md"
                }
            return ReaderMistake(
                "card-response", "answered \(name) wrongly: \(refusal.rawValue); \(page)")
        }
    }

    /// The instruction of the last command; nil before the first.
    var instruction: UInt8? { command.dropFirst().first }

    /// The name of the last command.
    var name: String { CardTouch.name(command, kind) }

    /// True for a last command whose answer is the card's proof.
    private var hasProof: Bool {
        switch kind {
        case .aliro: instruction == ReaderCardFault.authenticate1
        case .desfire: isAuthentication
        case .phone, .pkoc, nil: false
        }
    }

    private static func isSuccess(_ word: [UInt8], _ kind: CardKind?) -> Bool {
        if kind == .desfire, isDESFireSuccess(word) { return true }
        return word == [0x90, 0x00] || word.first == 0x61
    }

    static func isSelect(_ command: [UInt8]) -> Bool {
        command.starts(with: [0x00, 0xA4]) || command.starts(with: [0x90, ReaderCardFault.Native.selectApplication])
    }

    private static func data(_ command: [UInt8]) -> [UInt8]? {
        guard command.count > 5, command.count >= 5 + Int(command[4]) else { return nil }
        return Array(command[5..<5 + Int(command[4])])
    }

    static func unknownName(_ command: [UInt8]) -> String { "command \(Hexadecimal.text(command.prefix(2)))" }

    /// The name of a command of this kind of card; hexadecimal digits for another.
    static func name(_ command: [UInt8], _ kind: CardKind?) -> String {
        guard command.count > 1 else { return "a command" }
        return switch (command[1], kind) {
        case (0xA4, _): "SELECT"
        case (0xC0, _): "GET RESPONSE"
        case (ReaderCardFault.begin, .phone): "BEGIN"
        case (ReaderCardFault.deliver, .phone): "DELIVER"
        case (0x18, .phone): "FETCH"
        case (0x80, .pkoc): "AUTHENTICATE"
        case (0x80, .aliro): "AUTH0"
        case (ReaderCardFault.authenticate1, .aliro): "AUTH1"
        case (0xC9, .aliro): "EXCHANGE"
        case (0x3C, .aliro): "CONTROL FLOW"
        case (0xC3, .aliro): "ENVELOPE"
        case (0xD1, .aliro): "LOAD CERT"
        case (_, .desfire): desfireName(command)
        default: unknownName(command)
        }
    }
}
