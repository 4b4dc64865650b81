// SPDX-License-Identifier: Apache-2.0

import MatterTLV

/// PBKDFParamRequest (Core 4.14.1.2).
struct PBKDFParamRequest: Equatable, Sendable {
    /// The octets of a random number of either side.
    static let randomCount = 32

    var initiatorRandom: [UInt8]
    var initiatorSessionID: UInt16
    var passcodeID: UInt16
    /// True if the initiator already knows iterations and salt.
    var hasParameters: Bool
    var sessionParameters = SessionParameters()

    init(_ payload: [UInt8]) throws(TLVError) {
        let fields = try TLVElement(payload).structure()
        initiatorRandom = try fields.required(1).octets(exactly: PBKDFParamRequest.randomCount)
        initiatorSessionID = try fields.required(2).unsigned()
        passcodeID = try fields.required(3).unsigned()
        hasParameters = try fields.required(4).bool()
        if let parameters = fields[5] { sessionParameters = try SessionParameters(parameters) }
    }
}

/// PBKDFParamResponse.
struct PBKDFParamResponse: Sendable {
    var initiatorRandom: [UInt8]
    var responderRandom: [UInt8]
    var responderSessionID: UInt16
    /// Iterations and salt, unless the initiator knows them.
    var derivation: (iterations: UInt32, salt: [UInt8])?
    var sessionParameters: SessionParameters

    var octets: [UInt8] {
        TLVWriter.structure(reserving: 160) { response in
            response.octets(initiatorRandom, as: 1)
            response.octets(responderRandom, as: 2)
            response.unsigned(responderSessionID, as: 3)
            if let derivation {
                response.structure(as: 4) { parameters in
                    parameters.unsigned(derivation.iterations, as: 1)
                    parameters.octets(derivation.salt, as: 2)
                }
            }
            sessionParameters.write(into: &response, as: 5)
        }
    }
}

/// Pake1: the initiator's share pA.
struct Pake1: Sendable {
    var share: [UInt8]

    init(_ payload: [UInt8]) throws(TLVError) {
        share = try TLVElement(payload).structure().required(1).octets(exactly: 65)
    }
}

/// Pake2: the share pB and the confirmation cB.
struct Pake2: Sendable {
    var share: [UInt8]
    var confirmation: [UInt8]

    var octets: [UInt8] {
        TLVWriter.structure(reserving: 104) { message in
            message.octets(share, as: 1)
            message.octets(confirmation, as: 2)
        }
    }
}

/// Pake3: the confirmation cA.
struct Pake3: Sendable {
    var confirmation: [UInt8]

    init(_ payload: [UInt8]) throws(TLVError) {
        confirmation = try TLVElement(payload).structure().required(1).octets(exactly: 32)
    }
}
