// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import CardPolling
import Contactless
import Credentials
import Crypto
import Phone
import Reader
import SeededNumbers
import Timekeeping

/// The keys of scenarios' cards: functions of the credential, and published as the demo identity is.
enum SiteCardKeys {
    /// The key of the DESFire application, and a stranger's.
    static let desfire = Array("readerd scenario".utf8), otherDESFire = Array("another scenario".utf8)
    static let application: [UInt8] = [0xF5, 0x1B, 0xC0]
    static let file: UInt8 = 1
    /// The number of octets of a DESFire card's number.
    static let numberCount = 8
    private static let aliroPart = [UInt8](repeating: 0x5C, count: AliroReader.Identifier.partCount)

    /// The digest of a name.
    static func digest(_ name: String) throws(CryptoError) -> [UInt8] {
        let name = Array(name.utf8)
        let digest = try SHA256.hash(name.span)
        return digest.indices.map { digest[$0] }
    }

    /// The private key of this name. A digest is no scalar with a probability of 2⁻³².
    static func key(_ name: String) throws(CryptoError) -> P256PrivateKey {
        let scalar = try digest(name)
        return try P256PrivateKey(scalar: scalar.span)
    }

    /// The Aliro reader of every door: one group.
    static func aliroReader() throws -> AliroReader {
        let scalar = try digest("aliro reader")
        guard let identifier = AliroReader.Identifier(group: aliroPart, sub: aliroPart) else {
            throw CryptoError.invalidLength
        }
        var reader = AliroReader(key: try RepeatableKey(scalar: scalar.span), identifier: identifier)
        reader.actions = AliroDoor.actions
        return reader
    }
}

extension SiteScenario.Card {
    private var keyName: String { "\(kind.rawValue) \(credential.isOfSite ? "" : "stranger ")\(credential.id)" }

    /// The identity that the site lists; nil for a kind without, and for a stranger's card.
    func evidence() throws -> CardEvidence? {
        guard let listed = kind.listed, credential.isOfSite else { return nil }
        if kind == .desfire { return CardEvidence(kind: listed, identity: try number()) }
        let point = try SiteCardKeys.key(keyName).publicPoint.octets
        return CardEvidence(kind: listed, identity: point.indices.map { point[$0] })
    }

    private func number() throws(CryptoError) -> [UInt8] {
        Array(try SiteCardKeys.digest(keyName).prefix(SiteCardKeys.numberCount))
    }

    /// The card for a site with this seed, whose phones' clock shows `epoch` at the start.
    ///
    /// - Throws: only if the cryptographic library rejects the keys.
    func made(seed: UInt64, epoch: Int64) throws -> SiteCard {
        let random = SeededGenerator(seed: seed, stream: "card \(name)")
        // Phones choose an identifier for each touch; here it is one for each run.
        var numbers = random
        let octets = numbers.octets(3)
        let activation =
            kind == .identifier
            ? try CardActivation(sak: 0x08, identifier: [0x04] + octets, answer: [])
            : CardActivation(random: (octets[0], octets[1], octets[2]))
        return SiteCard(self, try model(activation, numbers, epoch), activation: activation, random: random)
    }

    private func model(
        _ activation: CardActivation, _ random: SeededGenerator, _ epoch: Int64
    ) throws -> any SiteCardModel {
        switch kind {
        case .identifier: return IdentifierCardModel()
        case .pkoc: return PlainCardModel(PKOCCard(try SiteCardKeys.key(keyName), activation: activation))
        case .desfire:
            let key = credential.isOfSite ? SiteCardKeys.desfire : SiteCardKeys.otherDESFire
            let uid = [0x04] + (try SiteCardKeys.digest(name).prefix(6))
            var contents = DESFireContents(number: try number(), key: key, uid: uid)
            (contents.application, contents.file) = (SiteCardKeys.application, SiteCardKeys.file)
            return PlainCardModel(DESFireCard(contents, activation: activation))
        case .aliro:
            let reader = try SiteCardKeys.aliroReader()
            guard let trust = AliroPhone.Trust(group: reader.identifier.group, point: reader.key.publicKey) else {
                throw CryptoError.invalidLength
            }
            return AliroCardModel(
                AliroPhone(
                    try SiteCardKeys.key(keyName), trust: trust, activation: activation,
                    fault: aliroFault.flatMap(AliroPhoneFault.named)))
        case .phone:
            let identity = try SiteScenario.identity()
            let held = try PhoneCredential(
                deviceID: identity.deviceID, readerName: identity.deviceID, terminal: identity.terminalKey.publicKey,
                token: credential.token())
            return PhoneCardModel(
                PhoneVisitPlan(.token, credentials: [held]), clock: PhoneClock(epoch, at: .origin), random: random)
        }
    }
}

/// The reader's side of the cards of a scenario: what a desk would have given to it.
struct SiteCardDesk {
    private let list: CardList
    private let desfire: DESFireCredential?
    private let aliro: AliroDoor

    /// The lists and keys for these cards.
    ///
    /// - Throws: only if the cryptographic library rejects the keys.
    init(_ cards: [SiteScenario.Card]) throws {
        list = CardList(
            try cards.compactMap { card in
                guard let evidence = try card.evidence(), let id = OSSCredentialID(card.credential.id) else {
                    return nil
                }
                let validity = card.credential.validity
                return ListedCard(evidence, id, validFrom: validity.start, validUntil: validity.end)
            })
        desfire = DESFireCredential.Key(number: 0, octets: SiteCardKeys.desfire).flatMap { key in
            DESFireCredential(
                application: SiteCardKeys.application, file: SiteCardKeys.file, count: SiteCardKeys.numberCount,
                key: key)
        }
        let reader = try SiteCardKeys.aliroReader()
        aliro = AliroDoor(reader: reader, store: AliroStore(binding: reader.binding))
    }

    /// Gives the lists and keys to a reader that starts. `last` is the door of its last start.
    func equip(_ reader: inout AccessReader, last: AliroDoor? = nil) {
        var contactless = ContactlessConfiguration()
        contactless.deviceID = DemoIdentity.deviceID
        reader.configureContactless(contactless)
        reader.desfire = desfire
        reader.aliro = last ?? aliro
        reader.cardList = list
    }
}

extension SiteScenario.Reader {
    /// The NFC front end.
    ///
    /// - Throws: only if the cryptographic library rejects the keys.
    func field(_ desk: SiteCardDesk) throws -> SiteField {
        var settings = PollSettings()
        settings.role = .poll
        if pollingFrame == .aliro { settings.pollingFrame = AliroECP.frame(try SiteCardKeys.aliroReader().identifier) }
        return SiteField(settings, desk, of: name)
    }
}
