// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Contactless
import Credentials
import Crypto
import Reader
import Timekeeping

/// The reader's side of measured transactions. It does no I/O: the caller's clock of the processor comes in.
public struct TapReader {
    /// 2026-11-28 12:00 UTC.
    static let noon: Int64 = 1_795_867_200

    /// The processor time of the calling thread, in nanoseconds.
    let processor: () -> Int
    let moment = Moment(instant: .origin, epochSeconds: TapReader.noon)
    var random = SystemRandomSource()

    /// A reader that is measured by this clock.
    public init(processor: @escaping () -> Int) { self.processor = processor }

    /// A transaction of this kind, up to the proof of the identity.
    public mutating func transaction(_ kind: TapKind) throws -> TapTrace {
        switch kind {
        case .token: return try touch()
        case .pkoc:
            var card = try PKOCTapCard()
            let began = processor()
            var transaction = PKOCTransaction(readerID: .none, random: &random)
            return try run(kind, &transaction, since: began, &card)
        case .desfire:
            var card = DESFireTapCard()
            let began = processor()
            var transaction = try TapReader.desfire()
            return try run(kind, &transaction, since: began, &card)
        case .aliroFast, .aliroStandard, .aliroStepUp: return try aliro(kind)
        }
    }

    /// Runs a transaction up to the proof. `start` is before it was made: that time is the first exchange's.
    private func run(
        _ kind: TapKind, _ transaction: inout some CardTransaction, since start: Int, _ card: inout some TapCard
    ) throws -> TapTrace {
        var exchanges: [TapExchange] = []
        var step = transaction.start()
        var spent = processor() - start
        while case .transmit(let command) = step {
            let response = try card.response(to: command)
            let began = processor()
            step = transaction.receive(response.span)
            spent += processor() - began
            let name = kind.name(of: command)
            exchanges.append(
                TapExchange(
                    name: name, command: command.count, response: response.count,
                    hasKeyWork: kind.keyWork.contains(name), reader: spent))
            spent = 0
        }
        guard case .decide = step else { throw TapFault("\(kind.rawValue): the card was not proven: \(step)") }
        return TapTrace(kind, exchanges)
    }

    private static func desfire() throws -> DESFireTransaction {
        guard let key = DESFireCredential.Key(number: 0, octets: DESFireTapCard.key),
            let credential = DESFireCredential(
                application: DESFireTapCard.application, file: 1, count: DESFireTapCard.numberCount, key: key)
        else { throw TapFault("no place of a DESFire card") }
        var constant = ConstantRandom()
        return DESFireTransaction(credential, random: &constant)
    }

    // MARK: Aliro

    private mutating func aliro(_ kind: TapKind) throws -> TapTrace {
        guard
            let identifier = AliroReader.Identifier(
                group: [UInt8](repeating: 0xA6, count: 16), sub: [UInt8](repeating: 0x56, count: 16))
        else { throw TapFault("no identifier") }
        let key = try P256PrivateKey.generate()
        let reader = AliroReader(key: key, identifier: identifier)
        var store = AliroStore(binding: reader.binding)
        guard let trust = AliroPhone.Trust(group: identifier.group, point: key.publicKey) else {
            throw TapFault("no group")
        }
        var phone = AliroPhone(
            try P256PrivateKey.generate(), trust: trust, activation: CardActivation(random: (0, 0, 0)))
        // The documents need no further SELECT.
        phone.selectsStepUp = false
        if kind == .aliroStepUp {
            let issuer = try P256PrivateKey.generate()
            guard store.add(AliroAnchor(issuer.publicKey)) else { throw TapFault("no room for an issuer") }
            var maker = try AliroDocumentMaker(issuer, for: phone.point)
            maker.element = reader.element
            phone.documents[maker.type] = try maker.document
        } else {
            guard store.add(AliroCredential(phone.key.publicKey)) else { throw TapFault("no room for a phone") }
        }
        // The first transaction is a standard one, and leaves the key of the fast phase.
        let first = try tap(kind == .aliroStepUp ? kind : .aliroStandard, reader, &store, &phone)
        return kind == .aliroFast ? try tap(kind, reader, &store, &phone) : first
    }

    private mutating func tap(
        _ kind: TapKind, _ reader: AliroReader, _ store: inout AliroStore, _ phone: inout AliroPhone
    ) throws -> TapTrace {
        let began = processor()
        var transaction = try AliroTransaction(
            reader: reader, store: store, at: moment, in: .utc, random: &random)
        let trace = try run(kind, &transaction, since: began, &phone)
        // The door is open by now; the phone is informed, and the key kept.
        var step = transaction.conclude(.opened)
        while case .transmit(let command) = step {
            let response = try phone.response(to: command)
            step = transaction.receive(response.span)
        }
        guard step == .end(.concluded) else { throw TapFault("\(kind.rawValue): the phone was not informed: \(step)") }
        for effect in transaction.effects { store.apply(effect) }
        transaction.wipe()
        return trace
    }

    static func reader(isAudited: Bool) throws -> AccessReader {
        var configuration = AccessConfiguration(modes: [])
        configuration.isAudited = isAudited
        configuration.cards.kinds = [.pkoc]
        let identity = try ReaderIdentity.demo()
        let table = try AccessTable(
            deviceName: identity.deviceID, modes: [], identifiers: configuration.identifiers,
            record: ManufacturerRecord(isFactory: true, applicationVersion: 1, localMidnight: 0))
        var reader = AccessReader(
            configuration: configuration, identity: identity, table: table, door: DoorConfiguration())
        reader.startDoor(at: .origin)
        var effects: [ReaderEffect] = []
        reader.takeEffects(into: &effects)
        return reader
    }
}

/// The random octets of the recorded exchange with a DESFire card.
private struct ConstantRandom: RandomSource {
    mutating func fill(_ octets: inout MutableSpan<UInt8>) {
        for index in octets.indices { octets[index] = DESFireTapCard.randomOctet }
    }
}

extension ReaderEffect {
    /// True for the order that releases the lock.
    var opensLock: Bool {
        if case .door(let action, _) = self { action.output == .lock && action.level } else { false }
    }
}
