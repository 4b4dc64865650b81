// SPDX-License-Identifier: Apache-2.0

import MatterTLV

/// Sigma1 (Core 4.14.2.3).
struct Sigma1: Sendable {
    /// A request to resume an earlier session.
    struct Resumption: Sendable {
        var id: [UInt8]
        var tag: [UInt8]
    }

    var initiatorRandom: [UInt8]
    var initiatorSessionID: UInt16
    var destinationID: [UInt8]
    var initiatorKey: [UInt8]
    var sessionParameters = SessionParameters()
    var resumption: Resumption?

    init(_ payload: [UInt8]) throws(TLVError) {
        let fields = try TLVElement(payload).structure()
        initiatorRandom = try fields.required(1).octets(exactly: 32)
        initiatorSessionID = try fields.required(2).unsigned()
        destinationID = try fields.required(3).octets(exactly: 32)
        initiatorKey = try fields.required(4).octets(exactly: 65)
        if let parameters = fields[5] { sessionParameters = try SessionParameters(parameters) }
        // Both or neither.
        guard fields[6] != nil || fields[7] != nil else { return }
        resumption = Resumption(
            id: try fields.required(6).octets(exactly: ResumptionRecord.idCount),
            tag: try fields.required(7).octets(exactly: MessageProtection.tagCount))
    }
}

/// Sigma2.
struct Sigma2: Sendable {
    var responderRandom: [UInt8]
    var responderSessionID: UInt16
    var responderKey: [UInt8]
    var encrypted: [UInt8]
    var sessionParameters: SessionParameters

    var octets: [UInt8] {
        TLVWriter.structure(reserving: encrypted.count + 160) { message in
            message.octets(responderRandom, as: 1)
            message.unsigned(responderSessionID, as: 2)
            message.octets(responderKey, as: 3)
            message.octets(encrypted, as: 4)
            sessionParameters.write(into: &message, as: 5)
        }
    }
}

/// Sigma3.
struct Sigma3: Sendable {
    var encrypted: [UInt8]

    init(_ payload: [UInt8]) throws(TLVError) {
        encrypted = try TLVElement(payload).structure().required(1).octets()
    }
}

/// Sigma2Resume.
struct Sigma2Resume: Sendable {
    var resumptionID: [UInt8]
    var tag: [UInt8]
    var responderSessionID: UInt16
    var sessionParameters: SessionParameters

    var octets: [UInt8] {
        TLVWriter.structure(reserving: 80) { message in
            message.octets(resumptionID, as: 1)
            message.octets(tag, as: 2)
            message.unsigned(responderSessionID, as: 3)
            sessionParameters.write(into: &message, as: 4)
        }
    }
}

/// The octets that Sigma2 and Sigma3 sign: certificates, the signer's ephemeral key, the other side's.
struct SigmaSigned: Sendable {
    var node: [UInt8]
    var intermediate: [UInt8]?
    var signerKey: [UInt8]
    var otherKey: [UInt8]

    var octets: [UInt8] {
        TLVWriter.structure(reserving: 1024) { signed in
            signed.octets(node, as: 1)
            if let intermediate { signed.octets(intermediate, as: 2) }
            signed.octets(signerKey, as: 3)
            signed.octets(otherKey, as: 4)
        }
    }
}

/// The encrypted part of Sigma2 and Sigma3.
struct SigmaEncrypted: Sendable {
    /// A Matter certificate has at most 400 octets.
    static let certificateLimit = 400

    var node: [UInt8]
    var intermediate: [UInt8]?
    var signature: [UInt8]
    /// In Sigma2 alone.
    var resumptionID: [UInt8]?

    var octets: [UInt8] {
        TLVWriter.structure(reserving: 1024) { encrypted in
            encrypted.octets(node, as: 1)
            if let intermediate { encrypted.octets(intermediate, as: 2) }
            encrypted.octets(signature, as: 3)
            if let resumptionID { encrypted.octets(resumptionID, as: 4) }
        }
    }
}

extension SigmaEncrypted {
    /// Reads the part of Sigma3.
    init(_ payload: [UInt8]) throws(TLVError) {
        let fields = try TLVElement(payload).structure()
        node = try fields.required(1).octets(upTo: SigmaEncrypted.certificateLimit)
        intermediate = try fields.optionalOctets(2, upTo: SigmaEncrypted.certificateLimit)
        signature = try fields.required(3).octets(exactly: 64)
    }
}
