// SPDX-License-Identifier: Apache-2.0

import Credentials
import Crypto

/// The stages of a transaction: whole commands in, the data of responses out.
extension AliroPhone {
    private static let unknownGroup: [UInt8] = [0x6A, 0x88], noCertificate: [UInt8] = [0x64, 0x00]
    /// Octets that are no cryptogram, of a phone without a key for the fast phase.
    private static let noCryptogram = [UInt8](repeating: 0xC5, count: 64)
    /// The unset time of a document.
    private static let noTime = [UInt8](repeating: 0, count: 20)
    static let mailboxTag: UInt8 = 0xBA
    private static let request: [UInt8] = [0xA2, 0x61, 0x31, 0x63, 0x31, 0x2E, 0x30, 0x61, 0x32]

    mutating func execute(
        _ stage: Stage, _ data: [UInt8], random: inout some RandomSource
    ) throws(Refusal) -> [UInt8] {
        switch stage {
        case .select, .selectStepUp: try select(data)
        case .authenticate0: try begin(data, random: &random)
        case .certificate: try loadCertificate(data)
        case .authenticate1: try prove(data)
        case .envelope: try deliver(data)
        case .mailbox, .exchange: try conclude(data)
        case .control: try control(data)
        }
    }

    private func require(_ states: Session.State...) throws(Refusal) {
        guard states.contains(session.state) else { throw Refusal(word: CardStatus.outOfOrder) }
    }

    private mutating func fields(
        _ data: [UInt8], _ lengths: [UInt8: ClosedRange<Int>], needed: [UInt8], _ stage: Stage
    ) throws(Refusal) -> [UInt8: [UInt8]] {
        guard let fields = AliroWire.fields(data, lengths), needed.allSatisfy({ fields[$0] != nil }) else {
            report("\(stage.rawValue) with a missing element, or an element of another length")
            throw Refusal(word: CardStatus.wrongData)
        }
        return fields
    }

    private mutating func select(_ name: [UInt8]) throws(Refusal) -> [UInt8] {
        if name == AliroWire.expedited {
            session = Session()
            session.state = .selected
            return AliroWire.element(0x6F, AliroWire.element(0x84, name) + application)
        }
        guard name == AliroWire.stepUp, session.stepUp != nil else { throw Refusal(word: CardStatus.notFound) }
        session.state = .documents
        let type = AliroWire.element(0xA5, AliroWire.element(0x80, [0x00, 0x00]))
        return AliroWire.element(0x6F, AliroWire.element(0x84, name) + type)
    }

    // MARK: AUTH0

    private mutating func begin(_ data: [UInt8], random: inout some RandomSource) throws(Refusal) -> [UInt8] {
        try require(.selected)
        let request = try fields(
            data,
            [0x41: 1...1, 0x42: 1...1, 0x5C: 2...2, 0x87: 65...65, 0x4C: 16...16, 0x4D: 32...32, 0xB1: 0...127],
            needed: [0x41, 0x42, 0x5C, 0x87, 0x4C, 0x4D], .authenticate0)
        guard request[0x41]?[0] ?? 2 <= 1, 1...3 ~= request[0x42]?[0] ?? 0 else {
            report("AUTH0 with unknown flags")
            throw Refusal(word: CardStatus.wrongData)
        }
        for tag: UInt8 in [0x87, 0x4C] {
            let isNew = seen.insert(request[tag] ?? []).inserted
            if !isNew { report("AUTH0 with the \(tag == 0x87 ? "ephemeral key" : "identifier") of an earlier one") }
        }
        let scalar = random.octets(32)
        guard let ephemeral = (try? P256PrivateKey(scalar: scalar.span)) ?? (try? P256PrivateKey.generate()) else {
            throw Refusal(word: CardStatus.outOfOrder)
        }
        let point = ephemeral.publicPoint.list
        var keys = AliroPhoneKeys(
            groupPoint: trust.point.point.list, request: request, application: application,
            extensions: (request[0xB1].map { AliroWire.element(0xB1, $0) } ?? []) + vendorData, phoneEphemeral: point)
        if isOverBluetooth { keys.interface = AliroPhoneKeys.bluetooth }
        (session.ephemeral, session.keys, session.state) = (ephemeral, keys, .begun)
        let answer = request[0x41] == [1] ? AliroWire.element(0x9D, cryptogram(keys)) : []
        return AliroWire.element(0x86, point) + answer + vendorData
    }

    private mutating func cryptogram(_ keys: AliroPhoneKeys) -> [UInt8] {
        // A fault in a later stage needs that stage.
        let needsProof = fault.map { $0.stage == .authenticate1 || $0.needsDocument } ?? false
        guard let persistent = persistentKeys[keys.reader], !needsProof else { return AliroPhone.noCryptogram }
        let fast = keys.fast(persistent, credential: key.publicPoint.list)
        session.channel = AliroPhoneChannel(reader: fast[1], phone: fast[2])
        let times = ([0x91, 0x92] as [UInt8]).flatMap {
            AliroWire.element($0, signatureTimes[$0] ?? AliroPhone.noTime)
        }
        // The key is used once, hence the nonce of zeros.
        return AliroPhoneChannel.seal(
            AliroWire.element(0x5E, bitmap) + times, fast[0], [UInt8](repeating: 0, count: 12))
    }

    /// Bits 0 and 1: an access and a revocation document; bit 2: select their application first.
    private var signaled: UInt16 {
        if let signals { return signals }
        let bits: UInt16 = (documents["aliro-a"] == nil ? 0 : 1) | (documents["aliro-r"] == nil ? 0 : 2)
        return bits != 0 && selectsStepUp ? bits | 4 : bits
    }

    private var bitmap: [UInt8] { [UInt8(signaled >> 8), UInt8(signaled & 0xFF)] }

    // MARK: AUTH1

    private mutating func loadCertificate(_ data: [UInt8]) throws(Refusal) -> [UInt8] {
        try require(.begun)
        session.certificate = data
        return []
    }

    private mutating func prove(_ data: [UInt8]) throws(Refusal) -> [UInt8] {
        try require(.begun)
        let request = try fields(
            data, [0x41: 1...1, 0x9E: 64...64, 0x90: 1...AliroReaderCertificate.maximumCount], needed: [0x41, 0x9E],
            .authenticate1)
        guard let keys = session.keys, let ephemeral = session.ephemeral else {
            throw Refusal(word: CardStatus.outOfOrder)
        }
        session.certificate = request[0x90] ?? session.certificate
        if let group = trust.group, Array(keys.reader.prefix(AliroPhone.Trust.groupCount)) != group {
            throw Refusal(word: AliroPhone.unknownGroup)
        }
        if verifiesReader { try verify(keys, request[0x9E] ?? []) }
        guard let agreed = try? keys.agreed(ephemeral) else {
            report("AUTH0 with a point that is not on the curve")
            throw Refusal(word: CardStatus.wrongData)
        }
        let block = keys.standard(agreed)
        session.channel = AliroPhoneChannel(reader: block[0], phone: block[1])
        session.stepUp = AliroPhoneChannel(stepUp: block[2])
        session.bluetooth = AliroPhoneChannel(bluetooth: block[3])
        if fault == nil { persistentKeys[keys.reader] = keys.persistent(agreed, credential: key.publicPoint.list) }
        (session.state, tap.phase) = (.proven, .standard)
        let sealed = try seal(try proof(keys, isPointRequested: request[0x41] == [1]), .authenticate1)
        defer { lastProof = sealed }
        if case .replay = changes[.authenticate1] { return lastProof.isEmpty ? sealed : lastProof }
        return sealed
    }

    private mutating func verify(_ keys: AliroPhoneKeys, _ signature: [UInt8]) throws(Refusal) {
        let (signer, signed) = (try signer(session.certificate), keys.signed(AliroPhoneKeys.readerUsage))
        guard signer.isValid(rawSignature: signature.span, for: signed.span) else {
            report("AUTH1 with a signature that is not the reader's")
            throw Refusal(word: CardStatus.notAuthentic)
        }
    }

    /// The key of the reader's signature: the trusted key, or the subject of a certificate by it.
    private mutating func signer(_ certificate: [UInt8]) throws(Refusal) -> P256PublicKey {
        guard !certificate.isEmpty else { return trust.point }
        do throws(CardRefusal) {
            let point = try AliroReaderCertificate(certificate, authority: trust.point).subject.list
            guard let signer = try? P256PublicKey(point: point.span) else { throw .key }
            return signer
        } catch {
            report("a certificate that is not valid: \(error.rawValue)")
            throw Refusal(word: error == .malformed ? AliroPhone.noCertificate : CardStatus.notAuthentic)
        }
    }

    /// The plaintext of the answer to AUTH1.
    private func proof(_ keys: AliroPhoneKeys, isPointRequested: Bool) throws(Refusal) -> [UInt8] {
        let point = key.publicPoint.list
        var signer = key
        if case .otherSigner = changes[.authenticate1], let other = try? P256PrivateKey.generate() { signer = other }
        let signed = keys.signed(AliroPhoneKeys.phoneUsage)
        guard let signature = try? signer.rawSignature(signed.span), let slot = try? SHA1.hash(point.span) else {
            throw Refusal(word: CardStatus.outOfOrder)
        }
        let identity =
            isPointRequested ? AliroWire.element(0x5A, point) : AliroWire.element(0x4E, (0..<8).map { slot[$0] })
        let times = signatureTimes.sorted { $0.key < $1.key }.flatMap { AliroWire.element($0.key, $0.value) }
        return identity + AliroWire.element(0x9E, signature) + AliroWire.element(0x5E, bitmap) + times
    }

    /// Seals a plaintext on the present channel, with the change of this stage.
    private mutating func seal(_ plaintext: [UInt8], _ stage: Stage) throws(Refusal) -> [UInt8] {
        var (plaintext, isReflected) = (plaintext, false)
        switch changes[stage] {
        case .plaintext(let alter): plaintext = try made(alter, of: plaintext)
        case .reflection: isReflected = true
        default: break
        }
        return session.channel?.seal(plaintext, isReflected: isReflected) ?? []
    }

    // MARK: Documents, and the end

    private mutating func deliver(_ data: [UInt8]) throws(Refusal) -> [UInt8] {
        if signaled & 4 != 0 { try require(.documents) } else { try require(.proven, .documents) }
        guard let content = AliroWire.fields(data, [0x53: 1...2048])?[0x53], let sealed = AliroWire.sealedData(content)
        else {
            report("ENVELOPE without a sealed request")
            throw Refusal(word: CardStatus.wrongData)
        }
        guard let request = session.stepUp?.open(sealed), request.starts(with: AliroPhone.request) else {
            report("ENVELOPE whose request does not open, or has another version than 1.0")
            throw Refusal(word: CardStatus.notAuthentic)
        }
        (session.state, tap.phase, session.channel) = (.documents, .stepUp, session.stepUp)
        let types = AliroPhone.documentTypes.filter { type in
            let name = Array(type.utf8)
            return request.indices.contains { request[$0...].starts(with: name) }
        }
        return AliroWire.element(0x53, AliroWire.sealed(try seal(answer(types), .envelope)))
    }

    /// The answer to a request of documents of these types.
    func answer(_ types: [String]) -> [UInt8] {
        wholeDocuments ?? AliroDocumentMaker.response(types.compactMap { documents[$0] })
    }

    private mutating func conclude(_ data: [UInt8]) throws(Refusal) -> [UInt8] {
        try require(.begun, .proven, .documents)
        guard session.channel != nil else { throw Refusal(word: CardStatus.outOfOrder) }
        guard let plaintext = session.channel?.open(data) else {
            report("EXCHANGE with a message that does not open")
            throw Refusal(word: CardStatus.notAuthentic)
        }
        if session.state == .begun { (session.state, tap.phase) = (.proven, .fast) }
        if isOverBluetooth, plaintext.isEmpty { return try seal([0x00, 0x02, 0x00, 0x00], .exchange) }
        let fields = try fields(
            plaintext, [0x97: 2...2, AliroPhone.mailboxTag: 3...250], needed: [], .exchange)
        if let command = fields[AliroPhone.mailboxTag] { return try seal(mail(command), .mailbox) }
        guard let status = fields[0x97] else {
            report("EXCHANGE with neither a status nor a command for the mailbox")
            throw Refusal(word: CardStatus.wrongData)
        }
        // An atomic session is not over.
        guard session.mailbox == nil else {
            report("a status within an atomic session of the mailbox")
            throw Refusal(word: CardStatus.inSession)
        }
        tap.status = status
        return try seal([0x00, 0x02, 0x00, 0x00], .exchange)
    }

    private mutating func control(_ data: [UInt8]) throws(Refusal) -> [UInt8] {
        let fields = try fields(data, [0x41: 1...1, 0x42: 1...1, 0x43: 0...250], needed: [0x41, 0x42], .control)
        tap.control = (fields[0x41] ?? []) + (fields[0x42] ?? [])
        session.state = .idle
        return []
    }
}
