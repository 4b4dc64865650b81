// SPDX-License-Identifier: Apache-2.0

internal import Crypto

extension AliroTransaction {
    /// Handles the response to SELECT, and starts AUTH0.
    mutating func select() throws(AliroFailure) -> CardStep {
        let selection: AliroSelection
        do throws(CardRefusal) {
            selection = try AliroSelection(exchange.response, selecting: AliroSelection.expedited)
        } catch { throw .control(error) }
        return try requestAuthentication0(selection)
    }

    /// Starts AUTH0.
    mutating func requestAuthentication0(_ selection: AliroSelection) throws(AliroFailure) -> CardStep {
        guard let versions = selection.versions else { throw .control(.malformed) }
        guard versions.contains(AliroParameters.version) else { throw .control(.version) }
        isFastRequested = reader.isFastOffered && !store.persistentPoints.isEmpty
        parameters.application = selection.application
        parameters.flags = [isFastRequested ? 0x01 : 0x00, reader.authentication.rawValue]
        var data: [UInt8] = []
        data.append(tag: 0x41, [parameters.flags[0]])
        data.append(tag: 0x42, [parameters.flags[1]])
        data.append(tag: 0x5C, AliroParameters.version)
        data.append(tag: 0x87, parameters.readerEphemeral)
        data.append(tag: 0x4C, parameters.transaction)
        data.append(tag: 0x4D, parameters.readerIdentifier)
        state = .authentication0
        return .transmit(exchange.begin(0x80, 0x80, data))
    }

    /// Handles the response to AUTH0: the fast phase if its cryptogram opens, else the standard phase.
    mutating func authenticate0() throws(AliroFailure) -> CardStep {
        let response = exchange.response
        let span = response.span
        let fields: [UInt32: AliroTLV]
        do throws(CardRefusal) {
            fields = try AliroTLV.fields(
                [.init(0x86, 65...65), .init(0x9D, 64...64, optional: true), .init(0xB2, 0...127, optional: true)],
                of: span, in: 0..<response.count)
        } catch { throw .control(error) }
        guard let point = fields[0x86], (fields[0x9D] != nil) == isFastRequested else { throw .control(.malformed) }
        guard (try? P256PublicKey(point: span.extracting(point.value))) != nil else { throw .control(.key) }
        parameters.deviceEphemeral = Array(response[point.value])
        parameters.extensions = fields[0xB2].map { Array(response[$0.extent]) } ?? []
        if let cryptogram = fields[0x9D], open(cryptogram: Array(response[cryptogram.value])),
            let step = try fastStep()
        {
            return step
        }
        candidate = Candidate()
        channel?.wipe()
        channel = nil
        guard let certificate = reader.certificate, certificate.delivery == .loading else {
            return try requestAuthentication1()
        }
        state = .certificate
        return .transmit(exchange.begin(0x80, 0xD1, certificate.octets))
    }

    /// The step after a cryptogram that opened; nil if the standard phase is needed, for a document or because the
    /// credential is not valid any more.
    private mutating func fastStep() throws(AliroFailure) -> CardStep? {
        let standing = store.standing(of: candidate.credential, for: reader.actions, at: moment, in: zone)
        guard wantedDocuments(standing).isEmpty else { return nil }
        switch standing {
        case .granted: return decide()
        case .revoked:
            evidence = candidate.evidence
            throw .status(standing.status, .revoked)
        case .unknown, .notValidNow, .noRight: return nil
        }
    }

    /// Tries all persistent keys. True if the cryptogram opens with one.
    private mutating func open(cryptogram: [UInt8]) -> Bool {
        let (parameters, store) = (parameters, store)
        let found: (Candidate, AliroChannel)? = store.firstPersistentKey { (point, key) in
            guard var keys = try? parameters.fastKeys(key, credential: point) else { return nil }
            defer { keys.wipe() }
            var cryptogramKey = keys.cryptogram
            defer { wipeSecret(&cryptogramKey) }
            // Each cryptogram has its own key.
            let nonce = [UInt8](repeating: 0, count: 12)
            let header: [UInt8] = []
            var plaintext: [UInt8] = []
            guard
                (try? AES256GCM.open(
                    cryptogram.span, key: cryptogramKey.span, nonce: nonce.span, authenticating: header.span,
                    into: &plaintext)) != nil,
                var candidate = Self.candidate(cryptogram: plaintext)
            else { return nil }
            candidate.point = point
            candidate.credential = store.credential(point)
            return (candidate, keys.fast)
        }
        guard let (candidate, channel) = found else { return false }
        self.candidate = candidate
        self.channel = channel
        return true
    }

    /// Parses the plaintext of a cryptogram, exactly 48 octets: 5E, 91 and 92, with zeros for a missing time.
    private static func candidate(cryptogram: [UInt8]) -> Candidate? {
        guard cryptogram.count == 48, cryptogram[..<2] == [0x5E, 0x02], cryptogram[4..<6] == [0x91, 0x14],
            cryptogram[26..<28] == [0x92, 0x14]
        else { return nil }
        var candidate = Candidate()
        candidate.signals = AliroSignals(rawValue: UInt16(cryptogram[2]) << 8 | UInt16(cryptogram[3]))
        candidate.accessTime = AliroTime.epochSeconds(cryptogram.span.extracting(6..<26))
        candidate.revocationTime = AliroTime.epochSeconds(cryptogram.span.extracting(28..<48))
        return candidate
    }

    /// Starts AUTH1.
    mutating func requestAuthentication1() throws(AliroFailure) -> CardStep {
        let message = parameters.signedOctets(.reader)
        let signature: [UInt8]
        do throws(CryptoError) {
            signature = try reader.key.rawSignature(message.span)
        } catch { throw .control(.unavailable) }
        var data: [UInt8] = []
        data.append(tag: 0x41, [reader.keyRequest.rawValue])
        data.append(tag: 0x9E, signature)
        if let certificate = reader.certificate, certificate.delivery == .authentication {
            data.append(tag: 0x90, certificate.octets)
        }
        state = .authentication1
        return .transmit(exchange.begin(0x80, 0x81, data))
    }

    /// Goes to the decision of the caller.
    mutating func decide() -> CardStep {
        guard parameters.interface == .nfc || isConfirmed else { return confirm() }
        let evidence = candidate.evidence
        self.evidence = evidence
        state = .decision
        return .decide(evidence)
    }
}
