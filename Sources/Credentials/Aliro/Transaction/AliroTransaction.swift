// SPDX-License-Identifier: Apache-2.0

public import Crypto
public import Timekeeping

/// A transaction of an Aliro 1.0 reader with a phone over NFC: the fast phase if the store has a key for the phone, the
/// standard phase, and documents in the step-up phase.
///
/// After the end, the caller applies `effects` to its store, and calls `wipe`.
public struct AliroTransaction: CardTransaction {
    /// The response that the transaction waits for.
    enum State {
        case idle
        case selection
        case authentication0
        case certificate
        case authentication1
        /// The response to an empty EXCHANGE over Bluetooth LE.
        case confirmation
        case stepUpSelection
        case envelope
        case decision
        /// The response to a command for the mailbox of a phone that has opened the door.
        case mailbox
        /// The response to the status of an opened door.
        case conclusion
        /// The response to a failure, which changes nothing.
        case dismissal(CardOutcome)
        case ended
    }

    /// The credential that the phone has proven, or claims in the fast phase.
    struct Candidate {
        var point: [UInt8] = []
        /// From the store, or from a document of this transaction.
        var credential: AliroCredential?
        /// From this transaction's key agreement; empty in the fast phase.
        var persistentKey: [UInt8] = []
        var signals: AliroSignals = []
        /// Signature times of the phone's documents, in seconds since the epoch.
        var accessTime: Int64?
        var revocationTime: Int64?
        /// The requested documents.
        var kinds: [AliroDocument.Kind] = []
        /// The signature time of the revocation document of this transaction.
        var revocationSeen: Int64?
        /// True if `credential` is from a document of this transaction.
        var isNew = false

        /// The identity, with the document that grants access to it.
        var evidence: CardEvidence {
            CardEvidence(
                kind: .aliro, identity: point, grant: credential?.grant.map { isNew ? .shown($0) : .stored($0) })
        }
    }

    let reader: AliroReader
    var store: AliroStore
    let moment: Moment
    let zone: TimeZoneRule
    var ephemeral: P256PrivateKey?
    var parameters: AliroParameters
    var state = State.idle
    var exchange = AliroExchange()
    var channel: AliroChannel?
    var stepUpKey: [UInt8] = []
    /// Of the standard phase over Bluetooth LE, until the caller has taken it; empty otherwise.
    var bluetoothKey: [UInt8] = []
    /// True if EXCHANGE has confirmed the channel over Bluetooth LE.
    var isConfirmed = false
    var candidate = Candidate()
    /// True if AUTH0 has requested the fast phase.
    var isFastRequested = false

    /// The identity that the phone has proven, also if it is refused.
    public internal(set) var evidence: CardEvidence?
    /// The contents of all reads, one after the other.
    public internal(set) var mailbox: [UInt8] = []
    /// The commands of the mailbox's session that are still to be transmitted, the last first.
    var mailboxCommands: [AliroMailbox] = []
    /// The changes of the store, complete at the end: from a document as soon as it is verified, the phone's key once
    /// it has opened. `wipe` removes them.
    public internal(set) var effects: [AliroEffect] = []

    /// A transaction of `reader` with new keys.
    ///
    /// - Parameter store: a copy, bound to `reader`; `effects` have its changes.
    public init(
        reader: AliroReader, store: AliroStore, at moment: Moment, in zone: TimeZoneRule,
        random: inout some RandomSource
    ) throws(CryptoError) {
        try self.init(reader: reader, store: store, at: moment, in: zone, random: &random, over: .nfc)
    }

    /// A transaction over this interface with new keys.
    init(
        reader: AliroReader, store: AliroStore, at moment: Moment, in zone: TimeZoneRule,
        random: inout some RandomSource, over interface: AliroParameters.Interface
    ) throws(CryptoError) {
        self.init(
            reader: reader, store: store, at: moment, in: zone, ephemeral: try P256PrivateKey.generate(),
            transaction: random.octets(16), over: interface)
    }

    /// A transaction with the given ephemeral key and transaction identifier (16 octets), which are used once.
    init(
        reader: AliroReader, store: AliroStore, at moment: Moment, in zone: TimeZoneRule, ephemeral: P256PrivateKey,
        transaction: [UInt8], over interface: AliroParameters.Interface = .nfc
    ) {
        self.reader = reader
        self.store = store
        self.moment = moment
        self.zone = zone
        self.ephemeral = ephemeral
        parameters = AliroParameters(
            groupPoint: [UInt8](inline: reader.groupPoint.octets), readerIdentifier: reader.identifier.octets,
            readerEphemeral: [UInt8](inline: ephemeral.publicPoint.octets), transaction: transaction,
            interface: interface)
    }

    /// The first step: SELECT.
    public mutating func start() -> CardStep {
        guard case .idle = state else { return end(.refused(.outOfOrder)) }
        // The persistent keys of another reader are of no use, and must not be mixed with this one's.
        guard store.binding == reader.binding else { return end(.refused(.unavailable)) }
        state = .selection
        return .transmit(exchange.begin(0x00, 0xA4, AliroSelection.expedited, parameter: 0x04))
    }

    /// Handles the response to the last command.
    public mutating func receive(_ response: Span<UInt8>) -> CardStep {
        switch state {
        case .idle, .decision, .ended: return end(.refused(.outOfOrder))
        case .dismissal(let outcome): return end(outcome)
        // iPhones do not respond to GET RESPONSE after the final status.
        case .conclusion where response.count >= 2 && response[response.count - 2] == 0x61:
            return finish()
        default: break
        }
        switch exchange.receive(response) {
        case .transmit(let command): return .transmit(command)
        case .complete:
            do throws(AliroFailure) { return try complete() } catch { return refuse(error) }
        case .failed(0x6A82):
            guard case .selection = state else { return fail(.statusWord) }
            return end(.absent)
        case .failed: return fail(.statusWord)
        case .tooLong: return fail(.tooLong)
        case .malformed: return fail(.malformed)
        }
    }

    /// Ends the transaction after a response that is not a success. A door that has opened stays an open door.
    private mutating func fail(_ refusal: CardRefusal) -> CardStep {
        switch state {
        case .mailbox, .conclusion: return dismiss(with: .concluded)
        default: return dismiss(refusal)
        }
    }

    /// Handles the decision, and transmits it to the phone.
    public mutating func conclude(_ decision: CardDecision) -> CardStep {
        guard case .decision = state else { return end(.refused(.outOfOrder)) }
        switch decision {
        case .opened:
            startMailbox()
            return continueMailbox()
        case .handedOn: return finish(.unknownState, .conclusion)
        case .refused: return finish(.noAccessRight, .dismissal(.concluded))
        }
    }

    /// Transmits the status that ends the transaction.
    mutating func finish(_ status: AliroStatus, _ state: State) -> CardStep {
        guard let command = sealed(status.message) else { return dismiss(with: .concluded) }
        self.state = state
        return .transmit(command)
    }

    /// Wipes the transaction's secrets, and removes `effects`.
    public mutating func wipe() {
        wipeKeys()
        effects = []
        mailbox = []
        state = .ended
    }

    private mutating func complete() throws(AliroFailure) -> CardStep {
        switch state {
        case .selection: try select()
        case .authentication0: try authenticate0()
        case .certificate: try requestAuthentication1()
        case .authentication1: try authenticate1()
        case .confirmation: try confirmed()
        case .stepUpSelection: try selectStepUp()
        case .envelope: try receiveDocuments()
        case .mailbox: receiveMailbox()
        case .conclusion: acknowledge()
        case .idle, .decision, .dismissal, .ended: end(.refused(.outOfOrder))
        }
    }

    /// Handles the phone's response to the status of an opened door.
    private mutating func acknowledge() -> CardStep {
        let message = exchange.response
        guard let plaintext = try? channel?.open(message.span), plaintext == [0x00, 0x02, 0x00, 0x00] else {
            return dismiss(with: .concluded)
        }
        return finish()
    }

    /// Completes a transaction that has opened the door: only now its keys and credential are stored.
    mutating func finish() -> CardStep {
        if candidate.isNew, let credential = candidate.credential { effects.append(.credential(credential)) }
        if !candidate.persistentKey.isEmpty {
            let key = SecretOctets(Swift.exchange(&candidate.persistentKey, with: []))
            effects.append(.persistentKey(key, of: candidate.point, revocationSeen: candidate.revocationSeen))
        }
        return end(.concluded)
    }

    mutating func end(_ outcome: CardOutcome) -> CardStep {
        wipeKeys()
        state = .ended
        return .end(outcome)
    }

    private mutating func wipeKeys() {
        ephemeral = nil
        channel?.wipe()
        channel = nil
        wipeSecret(&stepUpKey)
        wipeSecret(&bluetoothKey)
        wipeSecret(&candidate.persistentKey)
        // Its keys are the caller's.
        store = AliroStore(binding: store.binding)
    }
}
