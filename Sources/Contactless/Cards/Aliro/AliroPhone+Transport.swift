// SPDX-License-Identifier: Apache-2.0

public import Crypto

/// Commands in chained blocks, responses in parts, and the place of faults (ISO/IEC 7816-4, 5.3).
extension AliroPhone {
    /// A status word instead of a response.
    struct Refusal: Error { let word: [UInt8] }

    private static let heads: [UInt8: (Stage, [UInt8])] = [
        0xA4: (.select, [0x00, 0xA4, 0x04, 0x00]), 0x80: (.authenticate0, [0x80, 0x80, 0x00, 0x00]),
        0xD1: (.certificate, [0x80, 0xD1, 0x00, 0x00]), 0x81: (.authenticate1, [0x80, 0x81, 0x00, 0x00]),
        0xC3: (.envelope, [0x00, 0xC3, 0x00, 0x00]), 0xC9: (.exchange, [0x80, 0xC9, 0x00, 0x00]),
        0x3C: (.control, [0x80, 0x3C, 0x00, 0x00]),
    ]
    private static let sealedStages: Set<Stage> = [.authenticate1, .envelope, .mailbox, .exchange]
    private static let getResponse: UInt8 = 0xC0
    private static let chaining: UInt8 = 0x10
    /// The maximum length of a chained command: a certificate of 512 octets in AUTH1, with room.
    private static let commandLimit = 2048
    /// A part of an endless response, and the length of a response that is too long.
    private static let endlessPart = [UInt8](repeating: 0, count: 100) + [0x61, 0x64]
    static let longCount = 4096

    /// The response of the phone; its fault shows at the fault's stage.
    public mutating func respond(to command: [UInt8], random: inout some RandomSource) -> [UInt8]? {
        guard !session.isGone else { return nil }
        tap.commands.append(command)
        guard command.count >= 4 else { return CardStatus.wrongLength }
        if command[1] == AliroPhone.getResponse { return next() }
        guard let block = ShortCommand(command) else {
            report("a command whose Lc is not its length")
            return CardStatus.wrongLength
        }
        // Also one whose class looks like a chain's, as DESFire's native 90 5A of a reader that tries both.
        guard AliroPhone.heads[command[1]] != nil else { return CardStatus.unknownInstruction }
        let isLast = command[0] & AliroPhone.chaining == 0
        let hasLe = command.count == 5 || command.count > 5 && command.count == 6 + Int(command[4])
        if hasLe != (isLast && command[1] != 0x3C) {
            report("\(AliroPhone.heads[command[1]]?.0.rawValue ?? "a command") \(hasLe ? "with" : "without") Le")
        }
        session.chained += block.data
        guard session.chained.count <= AliroPhone.commandLimit else { return CardStatus.wrongLength }
        guard isLast else { return CardStatus.ok }
        defer { session.chained = [] }
        return execute(Array(command[..<4]), session.chained, random: &random)
    }

    private mutating func execute(
        _ head: [UInt8], _ data: [UInt8], random: inout some RandomSource
    ) -> [UInt8]? {
        guard let (named, expected) = AliroPhone.heads[head[1]] else { return CardStatus.unknownInstruction }
        if head != expected { report("\(named.rawValue) with another class or parameters") }
        // CONTROL FLOW is the reader's reaction to a final EXCHANGE that has failed.
        if tap.status != nil, named != .control || changes[.exchange] == nil {
            report("a command after the final status")
        }
        let stage: Stage =
            switch named {
            case .select where data == AliroWire.stepUp: .selectStepUp
            case .exchange where isMail(data): .mailbox
            default: named
            }
        let change = changes[stage]
        // The first transaction of a replay is recorded only.
        if case .replay? = change {
            tap.hasFailed = !lastProof.isEmpty
        } else if fault?.stage == stage {
            tap.hasFailed = true
        }
        if case .leave = change { return leave() }
        do throws(Refusal) {
            let response = try execute(stage, data, random: &random)
            return try changed(response, change, isSealed: AliroPhone.sealedStages.contains(stage))
        } catch {
            return tap.misfit == nil ? error.word : leave()
        }
    }

    private mutating func leave() -> [UInt8]? {
        session.isGone = true
        return nil
    }

    private mutating func changed(
        _ response: [UInt8], _ change: AliroPhoneFault.Change?, isSealed: Bool
    ) throws(Refusal) -> [UInt8] {
        session.pending = response
        switch change {
        case .raw(let octets): return octets
        case .endless: session.isEndless = true
        case .data(let alter): session.pending = try made(alter, of: response)
        case .plaintext(let alter) where !isSealed: session.pending = try made(alter, of: response)
        case .issued where !isIssued: session.pending = try made(AliroPhone.unissued, of: response)
        default: break
        }
        return next()
    }

    /// The octets with a fault.
    ///
    /// - Throws: if the fault cannot be made of them, which the tap reports.
    mutating func made(_ fault: AliroPhoneFault.Alteration, of octets: [UInt8]) throws(Refusal) -> [UInt8] {
        do { return try fault(octets) } catch {
            (tap.misfit, tap.hasFailed) = ("\(error)", false)
            throw Refusal(word: CardStatus.wrongData)
        }
    }

    /// The response, with the system's random octets; empty for silence.
    public mutating func respond(to command: [UInt8]) -> [UInt8] {
        var random = SystemRandomSource()
        return respond(to: command, random: &random) ?? []
    }

    /// The response, whose content `change` alters before it is sealed.
    public mutating func respond(
        to command: [UInt8], random: inout some RandomSource, changing change: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) -> [UInt8]? {
        let usual = changes
        defer { changes = usual }
        for stage in Stage.allCases { changes[stage] = .plaintext(change) }
        return respond(to: command, random: &random)
    }

    /// The next part of a response, with the number of octets that are left.
    private mutating func next() -> [UInt8] {
        if session.isEndless { return AliroPhone.endlessPart }
        let part = Array(session.pending.prefix(part))
        session.pending.removeFirst(part.count)
        let left = min(session.pending.count, self.part)
        return part + (left == 0 ? CardStatus.ok : [0x61, UInt8(truncatingIfNeeded: left)])
    }
}
