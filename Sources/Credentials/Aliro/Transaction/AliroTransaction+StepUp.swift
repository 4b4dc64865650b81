// SPDX-License-Identifier: Apache-2.0

internal import Crypto

extension AliroTransaction {
    /// Selects the step-up application if the phone requires it, else sends the request.
    mutating func startStepUp() throws(AliroFailure) -> CardStep {
        guard parameters.interface == .nfc || isConfirmed else { return confirm() }
        guard candidate.signals.contains(.stepUpSelection) else { return try requestDocuments() }
        state = .stepUpSelection
        return .transmit(exchange.begin(0x00, 0xA4, AliroSelection.stepUp, parameter: 0x04))
    }

    /// Handles the response to SELECT of the step-up application.
    mutating func selectStepUp() throws(AliroFailure) -> CardStep {
        do throws(CardRefusal) {
            _ = try AliroSelection(exchange.response, selecting: AliroSelection.stepUp)
        } catch { throw .control(error) }
        return try requestDocuments()
    }

    /// Sends the request of documents. From here on, the step-up channel is in use.
    private mutating func requestDocuments() throws(AliroFailure) -> CardStep {
        channel?.wipe()
        channel = try? AliroChannel(stepUp: &stepUpKey)
        do throws(CardRefusal) {
            let request = try AliroDocumentExchange.request(candidate.kinds, element: reader.element)
            guard let sealed = try? channel?.seal(request) else { throw .unavailable }
            state = .envelope
            return .transmit(exchange.begin(0x00, 0xC3, try AliroDocumentExchange.container(sealed)))
        } catch { throw .control(error) }
    }

    /// Handles the response to ENVELOPE. A promised document that is missing or invalid refuses.
    mutating func receiveDocuments() throws(AliroFailure) -> CardStep {
        let sealed: [UInt8]
        do throws(CardRefusal) {
            sealed = try AliroDocumentExchange.sealed(exchange.response)
        } catch { throw .status(.format, error) }
        guard let response = try? channel?.open(sealed.span) else { throw .status(.content, .proof) }
        do throws(AliroDocumentFault) {
            // Revocations first: they may concern this credential.
            if candidate.kinds.contains(.revocation) { try acceptRevocation(response) }
            if candidate.kinds.contains(.access) { try acceptAccess(response) }
        } catch { throw .status(error.status, error.refusal) }
        return try judge(store.standing(of: candidate.credential, for: reader.actions, at: moment, in: zone))
    }

    private mutating func acceptAccess(_ response: [UInt8]) throws(AliroDocumentFault) {
        let document = try verified(.access, response)
        try record(AliroIssuerChange(document))
        let grant = CardGrant(
            issuer: document.issuer.point, anchor: document.issuer.anchor, signed: document.signed,
            validFrom: document.validFrom, validUntil: document.validUntil, needsTime: document.needsTime,
            element: document.element)
        var credential = AliroCredential(point: candidate.point, grant: grant)
        credential.revocationSeen = candidate.revocationSeen ?? candidate.credential?.revocationSeen
        candidate.credential = credential
        candidate.isNew = true
        evidence = candidate.evidence
        try credential.grant?.check()
    }

    private mutating func acceptRevocation(_ response: [UInt8]) throws(AliroDocumentFault) {
        let document = try verified(.revocation, response)
        try record(AliroIssuerChange(document, try AliroRevocation(document.element)))
        candidate.revocationSeen = document.signed
    }

    private func verified(
        _ kind: AliroDocument.Kind, _ response: [UInt8]
    ) throws(AliroDocumentFault) -> AliroDocument {
        try AliroDocument(
            kind, in: response.span, element: reader.element, for: candidate.point, trusting: store, at: moment)
    }

    /// Requests a change, unless it is known: the same document, however often it is shown, writes the store once.
    ///
    /// - Throws: `content` if the store has no room: an issuer whose state is not kept grants nothing.
    private mutating func record(_ change: AliroIssuerChange) throws(AliroDocumentFault) {
        if store.apply(.issuer(change)) { effects.append(.issuer(change)) }
        guard store.ledgers[change.issuer] != nil else { throw .content }
    }
}
