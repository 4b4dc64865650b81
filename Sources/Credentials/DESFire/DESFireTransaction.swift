// SPDX-License-Identifier: Apache-2.0

public import Crypto

/// A transaction with a DESFire card (EV1 to EV3), from the reader's side: authentication with AES, and one file whose
/// octets are the credential number.
///
/// EV2 and EV3 are authenticated by AuthenticateEV2First. Only a card that does not know that command, and whose
/// version is EV1's, is authenticated by AuthenticateAES. The UID is no identity: it only derives a card's key.
public struct DESFireTransaction: CardTransaction {
    private enum State: Equatable {
        case new, selecting, deciding, over
        /// GetVersion, by the number of the part; the UID is needed, or the generation.
        case version(Int, isForUID: Bool)
        /// The first and the second part of an authentication.
        case challenge(Instruction), proof(Instruction)
        case cardUID, reading
    }

    private enum Instruction: UInt8 { case legacy = 0xAA, first = 0x71 }

    private enum Code {
        static let additionalFrame: UInt8 = 0xAF
        static let getVersion: UInt8 = 0x60
        static let getCardUID: UInt8 = 0x51
        static let readData: UInt8 = 0xBD
        static let selectApplication: UInt8 = 0x5A
        static let illegalCommand: UInt8 = 0x1C
        static let authenticationError: UInt8 = 0xAE
        static let applicationNotFound: UInt8 = 0xA0
        static let success: UInt8 = 0x00
    }

    /// The maximum length of a response with its status.
    private static let responseLimit = 64
    private static let uidCount = 7

    private var state = State.new
    private let credential: DESFireCredential
    /// The random numbers of the authentications, the next one last.
    private var randoms: [[UInt8]]
    /// The key of the authentication in progress; nil before the first and after the end.
    private var key: DESFireCredential.Key?
    private var randomA: [UInt8] = []
    private var randomB: [UInt8] = []
    /// The last block that was sent, the vector of EV1's answer.
    private var sent: [UInt8] = []
    private var session: DESFireSession?
    private var instruction = Instruction.first
    private var uid: [UInt8]?

    /// A transaction that reads this credential.
    public init(_ credential: DESFireCredential, random: inout some RandomSource) {
        self.credential = credential
        // The common key, the card's, and one authentication again for EV1.
        randoms = (0..<3).map { _ in random.octets(16) }
    }

    /// Selects the application.
    public mutating func start() -> CardStep {
        guard state == .new else { return end(.refused(.outOfOrder)) }
        state = .selecting
        return transmit(Code.selectApplication, credential.application.reversed())
    }

    /// Handles the response to the last command.
    public mutating func receive(_ response: Span<UInt8>) -> CardStep {
        do throws(CardRefusal) {
            guard response.count >= 2 else { throw .malformed }
            guard response.count <= DESFireTransaction.responseLimit else { throw .tooLong }
            let data = (0..<response.count - 2).map { response[$0] }
            guard response[response.count - 2] == 0x91 else {
                // Another card: its operating system does not know the class.
                guard state == .selecting, data.isEmpty else { throw .statusWord }
                return end(.absent)
            }
            return try handle(data, response[response.count - 1])
        } catch {
            return end(.refused(error))
        }
    }

    private mutating func handle(_ data: [UInt8], _ status: UInt8) throws(CardRefusal) -> CardStep {
        switch (state, status) {
        case (.selecting, Code.applicationNotFound): return end(.absent)
        case (.selecting, Code.success):
            guard data.isEmpty else { throw .malformed }
            return try begin()
        case (.version(let part, let isForUID), _): return try version(part, isForUID, data, status)
        case (.challenge(.first), Code.illegalCommand):
            state = .version(1, isForUID: false)
            return transmit(Code.getVersion, [])
        case (.challenge(let instruction), Code.additionalFrame): return try answer(data, instruction)
        case (.proof(let instruction), Code.success): return try authenticated(data, instruction)
        case (.cardUID, Code.success):
            guard session != nil else { throw .outOfOrder }
            uid = try session?.response(data, .full, count: DESFireTransaction.uidCount)
            return try begin()
        case (.reading, Code.success):
            guard let number = try session?.response(data, credential.communication, count: credential.count) else {
                throw .outOfOrder
            }
            state = .deciding
            return .decide(CardEvidence(kind: .desfire, identity: number))
        case (.challenge, Code.authenticationError), (.proof, Code.authenticationError), (.cardUID, 0x1E),
            (.reading, 0x1E):
            throw .proof
        case (.new, _), (.deciding, _), (.over, _): throw .outOfOrder
        default: throw .statusWord
        }
    }

    /// Begins what the next authentication needs: the UID, or nothing.
    private mutating func begin() throws(CardRefusal) -> CardStep {
        guard let diversification = credential.diversification else { return try authenticate(with: credential.key) }
        guard let uid else {
            if let common = diversification.uidKey { return try authenticate(with: common) }
            state = .version(1, isForUID: true)
            return transmit(Code.getVersion, [])
        }
        let diversified: [UInt8]
        do throws(CryptoError) {
            diversified = try DESFireCipher.diversified(
                credential.key.octets, uid + credential.application + diversification.system)
        } catch { throw .unavailable }
        guard let key = DESFireCredential.Key(number: credential.key.number, octets: diversified) else {
            throw .unavailable
        }
        return try authenticate(with: key)
    }

    /// A part of the version: hardware, software, then UID and production.
    private mutating func version(
        _ part: Int, _ isForUID: Bool, _ data: [UInt8], _ status: UInt8
    ) throws(CardRefusal) -> CardStep {
        guard status == (part < 3 ? Code.additionalFrame : Code.success) else { throw .statusWord }
        guard data.count >= DESFireTransaction.uidCount else { throw .malformed }
        // The major version of the hardware: 01 is EV1.
        if part == 1, !isForUID, data[3] != 0x01 { throw .version }
        guard part == 3 else {
            state = .version(part + 1, isForUID: isForUID)
            return transmit(Code.additionalFrame, [])
        }
        guard isForUID else {
            instruction = .legacy
            guard let key else { throw .outOfOrder }
            return try authenticate(with: key)
        }
        let uid = Array(data.prefix(DESFireTransaction.uidCount))
        // A random UID: the true one needs the common key.
        guard uid.contains(where: { $0 != 0 }) else { throw .unavailable }
        self.uid = uid
        return try begin()
    }

    private mutating func authenticate(with key: DESFireCredential.Key) throws(CardRefusal) -> CardStep {
        guard let random = randoms.popLast() else { throw .outOfOrder }
        wipeSession()
        (self.key, randomA) = (key, random)
        state = .challenge(instruction)
        return transmit(instruction.rawValue, instruction == .first ? [key.number, 0x00] : [key.number])
    }

    /// Answers the card's challenge with RndA ‖ RndB, the latter rotated.
    private mutating func answer(_ data: [UInt8], _ instruction: Instruction) throws(CardRefusal) -> CardStep {
        guard data.count == 16 else { throw .malformed }
        guard let key else { throw .outOfOrder }
        let message: [UInt8]
        do throws(CryptoError) {
            randomB = try DESFireCipher.decrypt(data, key: key.octets)
            message = try DESFireCipher.encrypt(
                DESFireCipher.answer(randomA: randomA, randomB: randomB), key: key.octets,
                vector: instruction == .legacy ? data : DESFireCipher.zeroVector)
        } catch { throw .unavailable }
        sent = Array(message.suffix(16))
        state = .proof(instruction)
        return transmit(Code.additionalFrame, message)
    }

    /// Verifies the card's answer, and continues in the session.
    private mutating func authenticated(_ data: [UInt8], _ instruction: Instruction) throws(CardRefusal) -> CardStep {
        guard data.count == (instruction == .legacy ? 16 : 32) else { throw .malformed }
        guard let key else { throw .outOfOrder }
        var plain: [UInt8] = []
        defer { wipeSecret(&plain) }
        let isProven: Bool
        do throws(CryptoError) {
            plain = try DESFireCipher.decrypt(
                data, key: key.octets, vector: instruction == .legacy ? sent : DESFireCipher.zeroVector)
            switch instruction {
            case .legacy:
                isProven = DESFireCipher.isRotated(plain.span, randomA)
                session = .chained(randomA: randomA, randomB: randomB)
            case .first:
                // TI, RndA, then the capabilities of both sides.
                isProven = DESFireCipher.isRotated(plain.span.extracting(4..<20), randomA)
                session = try .counted(
                    key: key.octets, randomA: randomA, randomB: randomB, transaction: Array(plain[0..<4]))
            }
        } catch { throw .unavailable }
        guard isProven else { throw .proof }
        if credential.diversification?.uidKey != nil, uid == nil {
            state = .cardUID
            return try command(Code.getCardUID, [])
        }
        state = .reading
        return try command(Code.readData, credential.readHeader)
    }

    /// A command in the session.
    private mutating func command(_ instruction: UInt8, _ header: [UInt8]) throws(CardRefusal) -> CardStep {
        let data: [UInt8]?
        do throws(CryptoError) { data = try session?.command(instruction, header) } catch { throw .unavailable }
        guard let data else { throw .outOfOrder }
        return transmit(instruction, data)
    }

    /// Ends the transaction; a card receives no decision.
    public mutating func conclude(_ decision: CardDecision) -> CardStep {
        state == .deciding ? end(.concluded) : end(.refused(.outOfOrder))
    }

    /// Overwrites random numbers and the keys of this transaction. The reader has those of the credential.
    public mutating func wipe() {
        state = .over
        for index in randoms.indices { wipeSecret(&randoms[index]) }
        wipeSession()
    }

    private mutating func wipeSession() {
        key = nil
        wipeSecret(&randomA)
        wipeSecret(&randomB)
        session?.wipe()
        session = nil
    }

    private mutating func end(_ outcome: CardOutcome) -> CardStep {
        wipe()
        return .end(outcome)
    }

    /// A native command in an APDU.
    private func transmit(_ instruction: UInt8, _ data: [UInt8]) -> CardStep {
        let length = data.isEmpty ? [] : [UInt8(data.count)]
        return .transmit([0x90, instruction, 0x00, 0x00] + length + data + [0x00])
    }
}
