// SPDX-License-Identifier: Apache-2.0

public import Credentials
public import Crypto
public import Timekeeping

/// An Aliro reader in one transaction with a phone: right, or with a fault. It reports what the phone does wrong.
///
/// A value without I/O: responses and time go in, commands come out. The right part of it is the firmware's own
/// transaction.
public struct AliroTrialReader: Sendable {
    /// The result of a transaction.
    public struct Result: Equatable, Sendable {
        /// The identity that the phone has proven; nil without one.
        public internal(set) var identity: [UInt8]?
        /// The reason of the reader not to open; nil if it opens.
        public internal(set) var refusal: CardRefusal?
        /// True once the fault has shown.
        public internal(set) var hasFailed = false
        /// The phone's status word after the fault; nil without one.
        public internal(set) var word: UInt16?
        /// The rules that the phone has broken, a sentence each.
        public internal(set) var findings: [String] = []
        /// The number of commands.
        public internal(set) var commands = 0
    }

    private enum Phase {
        /// The transaction is in progress.
        case running
        /// The phone is to refuse the last command.
        case provoked
        /// The phone is to refuse the last command, or a later one by AUTH1.
        case provokedUntilAuthentication
        /// CONTROL FLOW is on its way.
        case dismissing
        case over
    }

    private static let controlFlow: [UInt8] = [0x80, 0x3C, 0x00, 0x00, 0x06, 0x41, 0x01, 0x00, 0x42, 0x01, 0x00]

    private var transaction: AliroTransaction
    /// Another transaction of the reader, whose signature is of no use in this one.
    private var other: AliroTransaction?
    private var otherCommand: [UInt8]?
    /// The fault; nil for a right reader.
    public let fault: AliroReaderFault?
    private var phase = Phase.running
    private var instruction: UInt8 = 0
    private var lastSealed: [UInt8] = []
    private var delayed: [UInt8]?
    /// The result so far.
    public private(set) var result = Result()

    /// A reader with the phones of `store`, which opens for them.
    public init(
        _ reader: AliroReader, store: AliroStore, fault: AliroReaderFault? = nil, at moment: Moment,
        random: inout some RandomSource
    ) throws(CryptoError) {
        transaction = try AliroTransaction(reader: reader, store: store, at: moment, in: .utc, random: &random)
        self.fault = fault
        if case .otherSignature? = fault?.change {
            other = try AliroTransaction(reader: reader, store: store, at: moment, in: .utc, random: &random)
        }
    }

    /// The first command.
    public mutating func start() -> [UInt8]? {
        _ = other?.start()
        return follow(transaction.start())
    }

    /// Handles the response to the last command, and returns the next; nil at the end.
    public mutating func receive(_ response: [UInt8]) -> [UInt8]? {
        guard response.count >= 2 else {
            result.findings.append("a response without a status word")
            return end()
        }
        let word = UInt16(response[response.count - 2]) << 8 | UInt16(response[response.count - 1])
        let isSuccess = word == 0x9000 || word >> 8 == 0x61
        switch phase {
        case .provoked:
            judge(word, isSuccess)
            return dismiss()
        case .provokedUntilAuthentication where !isSuccess:
            judge(word, isSuccess)
            return dismiss()
        case .provokedUntilAuthentication where instruction == AliroReaderFault.Instruction.authenticate1:
            judge(word, isSuccess)
            return dismiss()
        case .dismissing, .over: return end()
        case .running, .provokedUntilAuthentication: break
        }
        if instruction == AliroReaderFault.Instruction.authenticate1, isSuccess {
            lastSealed = Array(response.dropLast(2))
        }
        // The other transaction proceeds to AUTH1 with the responses of this one.
        if otherCommand?[1] != AliroReaderFault.Instruction.authenticate1,
            case .transmit(let command)? = other?.receive(response.span)
        {
            otherCommand = command
        }
        return follow(transaction.receive(response.span))
    }

    /// The phone has left, or does not respond.
    public mutating func lost() {
        guard phase != .over else { return }
        if phase != .dismissing { result.findings.append("the phone does not respond to \(name(instruction))") }
        _ = end()
    }

    // MARK: Steps

    private mutating func follow(_ step: CardStep) -> [UInt8]? {
        switch step {
        case .transmit(let command): return transmit(command)
        case .decide(let evidence):
            result.identity = evidence.identity
            return follow(transaction.conclude(.opened))
        case .end(.concluded): return end()
        case .end(.absent):
            result.findings.append("the phone has no Aliro application")
            return end()
        case .end(.refused(let refusal)):
            if result.refusal == nil { record(refusal) }
            return end()
        }
    }

    /// Transmits a command of the transaction, with the fault at its stage.
    private mutating func transmit(_ command: [UInt8]) -> [UInt8]? {
        if let refusal = transaction.refusal, result.refusal == nil { record(refusal) }
        if command[1] == AliroReaderFault.Instruction.control, instruction == AliroReaderFault.Instruction.exchange {
            result.findings.append("the phone does not accept the final status")
        }
        instruction = command[1]
        result.commands += 1
        guard let fault, fault.instruction == instruction, !result.hasFailed else { return command }
        result.hasFailed = true
        switch fault.change {
        case .data, .command, .before: return provoke(fault.replacement(of: command) ?? command)
        case .otherSignature: return provoke(otherCommand ?? command)
        case .reflection: return provoke(AliroReaderFault.replacing(command) { _ in lastSealed })
        case .twice:
            delayed = command
            return command
        }
    }

    private mutating func provoke(_ command: [UInt8]) -> [UInt8] {
        guard let fault, fault.reaction != .goesOn else { return command }
        // A fault of AUTH0 may show when its values are used.
        phase =
            fault.instruction == AliroReaderFault.Instruction.authenticate0
            ? .provokedUntilAuthentication : .provoked
        return command
    }

    private mutating func judge(_ word: UInt16, _ isSuccess: Bool) {
        result.word = word
        if isSuccess, let fault { result.findings.append("the phone goes on with a reader that \(fault.action)") }
    }

    /// Reports a refusal of the right transaction: the phone's response was wrong, or its credential is unknown.
    private mutating func record(_ refusal: CardRefusal) {
        result.refusal = refusal
        switch refusal {
        case .unknown, .revoked, .notValidNow, .noRight, .unavailable, .outOfOrder, .absent: break
        case .statusWord, .malformed, .version, .key, .proof, .algorithm, .document, .tooLong, .silent:
            result.findings.append("the phone's response to \(name(instruction)): \(refusal.rawValue)")
        }
    }

    private mutating func dismiss() -> [UInt8]? {
        phase = .dismissing
        instruction = AliroReaderFault.Instruction.control
        return AliroTrialReader.controlFlow
    }

    private mutating func end() -> [UInt8]? {
        if let command = delayed {
            // The sealed status once more.
            (delayed, phase) = (nil, .provoked)
            return command
        }
        phase = .over
        transaction.wipe()
        other?.wipe()
        return nil
    }

    private func name(_ instruction: UInt8) -> String {
        switch instruction {
        case AliroReaderFault.Instruction.select: "SELECT"
        case AliroReaderFault.Instruction.authenticate0: "AUTH0"
        case AliroReaderFault.Instruction.authenticate1: "AUTH1"
        case AliroReaderFault.Instruction.exchange: "EXCHANGE"
        case AliroReaderFault.Instruction.control: "CONTROL FLOW"
        case 0xC0: "GET RESPONSE"
        case 0xC3: "ENVELOPE"
        case 0xD1: "LOAD CERT"
        default: "a command"
        }
    }
}
