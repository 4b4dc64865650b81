// SPDX-License-Identifier: Apache-2.0

internal import Crypto

extension AliroTransaction {
    /// Handles the response to AUTH1: derives the keys, and verifies the phone's signature.
    mutating func authenticate1() throws(AliroFailure) -> CardStep {
        var agreed = try deriveKeys()
        defer { wipeSecret(&agreed) }
        let response = exchange.response
        guard let plaintext = try? channel?.open(response.span) else { throw .status(.content, .proof) }
        let fields = try authenticationFields(plaintext)
        let key = try phoneKey(fields, plaintext)
        guard let signature = fields[0x9E] else { throw .status(.noSignature, .malformed) }
        let message = parameters.signedOctets(.device)
        guard key.isValid(rawSignature: plaintext.span.extracting(signature.value), for: message.span) else {
            throw .status(.invalidSignature, .proof)
        }
        candidate.point = [UInt8](inline: key.point.octets)
        candidate.credential = store.credential(candidate.point)
        evidence = candidate.evidence
        guard let persistentKey = try? parameters.persistentKey(agreed, credential: candidate.point) else {
            throw .status(.content, .unavailable)
        }
        candidate.persistentKey = persistentKey
        let standing = store.standing(of: candidate.credential, for: reader.actions, at: moment, in: zone)
        candidate.kinds = wantedDocuments(standing)
        return candidate.kinds.isEmpty ? try judge(standing) : try startStepUp()
    }

    /// Decides by the credential's standing in the store.
    mutating func judge(_ standing: AliroStanding) throws(AliroFailure) -> CardStep {
        if let refusal = standing.refusal { throw .status(standing.status, refusal) }
        return decide()
    }

    /// The documents to be requested: an access document of an unknown credential, or newer than the stored one; a
    /// revocation document newer than the last of this phone.
    func wantedDocuments(_ standing: AliroStanding) -> [AliroDocument.Kind] {
        func isNewer(_ time: Int64?, than stored: Int64?) -> Bool {
            guard let stored else { return true }
            return time.map { $0 > stored } ?? false
        }
        guard !store.anchors.isEmpty else { return [] }
        var kinds: [AliroDocument.Kind] = []
        let grant = candidate.credential?.grant
        let isReplaceable = grant.map { isNewer(candidate.accessTime, than: $0.signed) } ?? false
        if candidate.signals.contains(.accessDocument), standing == .unknown || isReplaceable { kinds.append(.access) }
        if candidate.signals.contains(.revocationDocument), standing != .unknown || !kinds.isEmpty,
            isNewer(candidate.revocationTime, than: candidate.credential?.revocationSeen)
        {
            kinds.append(.revocation)
        }
        return kinds
    }

    /// Derives the expedited channel and the step-up key. Returns the agreed key, which the caller wipes.
    private mutating func deriveKeys() throws(AliroFailure) -> [UInt8] {
        do throws(CryptoError) {
            guard let ephemeral else { throw .invalidKey }
            var shared = try ephemeral.sharedSecret(with: parameters.deviceEphemeral.span)
            let agreed = try parameters.agreedKey(&shared)
            var keys = try parameters.standardKeys(agreed)
            defer { keys.wipe() }
            channel = keys.expedited
            stepUpKey = keys.stepUp
            if parameters.interface == .bluetooth { bluetoothKey = keys.bluetooth }
            return agreed
        } catch { throw .control(.unavailable) }
    }

    /// The elements of the decrypted response, in any order, and its signals.
    private mutating func authenticationFields(
        _ plaintext: [UInt8]
    ) throws(AliroFailure) -> [UInt32: AliroTLV] {
        let fields: [UInt32: AliroTLV]
        do throws(CardRefusal) {
            fields = try AliroTLV.fields(
                [
                    .init(0x4E, 8...8, optional: true), .init(0x5A, 65...65, optional: true),
                    .init(0x9E, 64...64, optional: true), .init(0x5E, 2...2),
                    .init(0x91, 20...20, optional: true), .init(0x92, 20...20, optional: true),
                ], of: plaintext.span, in: 0..<plaintext.count, isOrdered: false)
        } catch { throw .status(.format, error) }
        func time(_ tag: UInt32) throws(AliroFailure) -> Int64? {
            guard let field = fields[tag] else { return nil }
            guard let time = AliroTime.epochSeconds(plaintext.span.extracting(field.value)) else {
                throw .status(.format, .malformed)
            }
            return time
        }
        if let signals = fields[0x5E]?.value.lowerBound {
            candidate.signals = AliroSignals(rawValue: UInt16(plaintext[signals]) << 8 | UInt16(plaintext[signals + 1]))
        }
        candidate.accessTime = try time(0x91)
        candidate.revocationTime = try time(0x92)
        return fields
    }

    /// The phone's key, identified as requested.
    private func phoneKey(
        _ fields: [UInt32: AliroTLV], _ plaintext: [UInt8]
    ) throws(AliroFailure) -> P256PublicKey {
        let (slot, point) = (fields[0x4E]?.value, fields[0x5A]?.value)
        switch reader.keyRequest {
        case .publicKey:
            guard slot == nil else { throw .status(.format, .malformed) }
            guard let point else { throw .status(.noPublicKey, .malformed) }
            return try phoneKey(Array(plaintext[point]))
        case .keySlot:
            guard point == nil else { throw .status(.format, .malformed) }
            guard let slot else { throw .status(.noKeySlot, .malformed) }
            guard let credential = store.credential(keySlot: Array(plaintext[slot])) else {
                throw .status(.unknownCredential, .unknown)
            }
            return try phoneKey(credential.point)
        }
    }

    private func phoneKey(_ point: [UInt8]) throws(AliroFailure) -> P256PublicKey {
        guard let key = try? P256PublicKey(point: point.span) else { throw .status(.format, .key) }
        return key
    }
}
