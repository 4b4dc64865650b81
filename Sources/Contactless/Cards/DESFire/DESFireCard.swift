// SPDX-License-Identifier: Apache-2.0

public import Crypto

/// The contents of a DESFire card: one application with one file.
public struct DESFireContents: Sendable {
    /// The protection of the file on its way.
    public enum Mode: String, CaseIterable, Sendable {
        case plain
        case mac
        case full
    }

    /// The generation of the card.
    public enum Generation: String, CaseIterable, Sendable {
        case ev1
        case ev2
    }

    /// The application's identifier in the order in which it is written.
    public var application: [UInt8] = [0xF5, 0x1B, 0xC0]
    /// The number of the file.
    public var file: UInt8 = 1
    /// The contents of the file: the card's number.
    public var number: [UInt8]
    /// The protection of the file.
    public var mode = Mode.full
    /// The key that reads the file.
    public var key: [UInt8]
    /// Its number.
    public var keyNumber: UInt8 = 0
    /// The UID of seven octets.
    public var uid: [UInt8]
    /// The octets of the site for the derivation of the key by AN10922; nil for a key that all cards have.
    public var system: [UInt8]?
    /// The key by which a card with a random UID reports its own, and its number; nil for a card without.
    public var uidKey: (number: UInt8, octets: [UInt8])?
    /// The generation.
    public var generation = Generation.ev2

    /// A card of EV2 with a common key.
    public init(number: [UInt8], key: [UInt8], uid: [UInt8]) { (self.number, self.key, self.uid) = (number, key, uid) }
}

/// A DESFire card that a reader authenticates with AES, by its native commands in APDUs (NXP AN12196).
public struct DESFireCard: ContactlessCard {
    private enum Code {
        static let selectApplication: UInt8 = 0x5A
        static let getVersion: UInt8 = 0x60
        static let fileSettings: UInt8 = 0xF5
        static let readData: UInt8 = 0xBD
        static let getCardUID: UInt8 = 0x51
        static let legacy: UInt8 = 0xAA
        static let first: UInt8 = 0x71
        static let more: UInt8 = 0xAF
    }

    private enum Status: UInt8 {
        case ok = 0x00
        case illegalCommand = 0x1C
        case integrity = 0x1E
        case noKey = 0x40
        case length = 0x7E
        case denied = 0x9D
        case noApplication = 0xA0
        case authentication = 0xAE
        case more = 0xAF
        case boundary = 0xBE
        case noFile = 0xF0
    }

    private struct Challenge {
        let isLegacy: Bool
        let number: UInt8
        let random: [UInt8]
    }

    private static let zeros = [UInt8](repeating: 0, count: 16)

    /// The card's activation.
    public var activation: CardActivation
    /// True once the file was read.
    public private(set) var isRead = false
    private let contents: DESFireContents
    private var isSelected = false
    private var parts: [[UInt8]] = []
    private var challenge: Challenge?
    private var session: DESFireCardSession?
    private var authenticatedKey: UInt8?

    /// A card with these contents. With a random UID, its activation has another identifier.
    public init(_ contents: DESFireContents, activation: CardActivation) {
        (self.contents, self.activation) = (contents, activation)
    }

    /// Ends a session.
    public mutating func activate() {
        isRead = false
        restart()
    }

    private mutating func restart() {
        (isSelected, parts, challenge, session, authenticatedKey) = (false, [], nil, nil, nil)
    }

    /// The response of the card.
    public mutating func respond(to command: [UInt8], random: inout some RandomSource) -> [UInt8]? {
        guard let command = ShortCommand(command) else { return CardStatus.wrongLength }
        if command.instructionClass == 0x00 { return CardStatus.notFound }
        guard command.instructionClass == 0x90 else { return CardStatus.unknownClass }
        let (status, data) = handle(command.instruction, command.data, random.octets(20))
        return data + [0x91, status.rawValue]
    }

    private mutating func handle(_ instruction: UInt8, _ data: [UInt8], _ random: [UInt8]) -> (Status, [UInt8]) {
        switch instruction {
        case Code.selectApplication:
            restart()
            isSelected = data.reversed() == contents.application
            return (isSelected ? .ok : .noApplication, [])
        case Code.getVersion: return version()
        case Code.more:
            if let challenge { return authenticate(challenge, data, transaction: Array(random.suffix(4))) }
            return parts.isEmpty ? (.illegalCommand, []) : part()
        case _ where !isSelected: return (.denied, [])
        case Code.legacy, Code.first: return begin(instruction, data, Array(random.prefix(16)))
        default: return execute(instruction, data)
        }
    }

    /// Hardware, software, UID and production; a card with a random UID shows none.
    private mutating func version() -> (Status, [UInt8]) {
        let hardware: [UInt8] = [0x04, 0x01, 0x01, contents.generation == .ev1 ? 0x01 : 0x12, 0x00, 0x16, 0x05]
        let uid = contents.uidKey == nil ? contents.uid : [UInt8](repeating: 0, count: contents.uid.count)
        parts = [hardware, hardware, uid + [0x00, 0x00, 0x00, 0x00, 0x00, 0x10, 0x26]]
        return part()
    }

    private mutating func part() -> (Status, [UInt8]) {
        let part = parts.removeFirst()
        return (parts.isEmpty ? .ok : .more, part)
    }

    /// The key with this number. The key of the file may be derived.
    private func key(_ number: UInt8) -> [UInt8]? {
        if let uidKey = contents.uidKey, uidKey.number == number { return uidKey.octets }
        guard number == contents.keyNumber else { return nil }
        guard let system = contents.system else { return contents.key }
        return DESFireCardCipher.diversified(contents.key, contents.uid + contents.application + system)
    }

    private mutating func begin(_ instruction: UInt8, _ data: [UInt8], _ random: [UInt8]) -> (Status, [UInt8]) {
        (session, authenticatedKey) = (nil, nil)
        guard instruction == Code.legacy || contents.generation != .ev1 else { return (.illegalCommand, []) }
        guard let number = data.first else { return (.length, []) }
        guard let key = key(number) else { return (.noKey, []) }
        challenge = Challenge(isLegacy: instruction == Code.legacy, number: number, random: random)
        return (.more, DESFireCardCipher.encrypt(random, key))
    }

    private mutating func authenticate(
        _ challenge: Challenge, _ data: [UInt8], transaction: [UInt8]
    ) -> (Status, [UInt8]) {
        self.challenge = nil
        guard data.count == 32, let key = key(challenge.number) else { return (.length, []) }
        let sent = DESFireCardCipher.encrypt(challenge.random, key)
        let plain = DESFireCardCipher.decrypt(data, key, challenge.isLegacy ? sent : DESFireCard.zeros)
        let own = Array(plain.prefix(16))
        guard Array(plain.suffix(16)) == DESFireCardCipher.rotated(challenge.random) else {
            return (.authentication, [])
        }
        authenticatedKey = challenge.number
        let answer = DESFireCardCipher.rotated(own)
        if challenge.isLegacy {
            session = .chained(reader: own, card: challenge.random)
            return (.ok, DESFireCardCipher.encrypt(answer, key, Array(data.suffix(16))))
        }
        session = .counted(key: key, reader: own, card: challenge.random, transaction: transaction)
        return (.ok, DESFireCardCipher.encrypt(transaction + answer + [UInt8](repeating: 0, count: 12), key))
    }

    /// A command in the session.
    private mutating func execute(_ instruction: UInt8, _ data: [UInt8]) -> (Status, [UInt8]) {
        guard session != nil else { return (.denied, []) }
        let header = Array(data.prefix(instruction == Code.readData ? 7 : instruction == Code.fileSettings ? 1 : 0))
        guard session?.accept(instruction, header, mac: Array(data.dropFirst(header.count))) == true else {
            (session, authenticatedKey) = (nil, nil)
            return (.integrity, [])
        }
        switch instruction {
        case Code.getCardUID: return (.ok, session?.response(contents.uid, .full) ?? [])
        case Code.readData where header.count == 7: return read(header)
        default: return (.illegalCommand, [])
        }
    }

    private mutating func read(_ header: [UInt8]) -> (Status, [UInt8]) {
        guard header[0] == contents.file else { return (.noFile, []) }
        guard authenticatedKey == contents.keyNumber else { return (.denied, []) }
        let offset = Int(header[1]) | Int(header[2]) << 8 | Int(header[3]) << 16
        let count = Int(header[4]) | Int(header[5]) << 8 | Int(header[6]) << 16
        guard offset + count <= contents.number.count else { return (.boundary, []) }
        let data = Array(contents.number[offset..<offset + count])
        isRead = true
        return (.ok, session?.response(data, contents.mode) ?? [])
    }
}
