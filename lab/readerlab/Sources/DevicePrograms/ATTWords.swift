// SPDX-License-Identifier: Apache-2.0

import Octets
package import Peripheral

extension ATTOpcode {
    /// The name of a request.
    package var words: String {
        switch self {
        case .exchangeMTURequest: "exchange MTU request"
        case .findInformationRequest: "find information request"
        case .findByTypeValueRequest: "find by type value request"
        case .readByTypeRequest: "read by type request"
        case .readRequest: "read request"
        case .readBlobRequest: "read blob request"
        case .readMultipleRequest: "read multiple request"
        case .readByGroupTypeRequest: "read by group type request"
        case .readMultipleVariableRequest: "read multiple variable request"
        case .writeRequest: "write request"
        case .prepareWriteRequest: "prepare write request"
        case .executeWriteRequest: "execute write request"
        default: "request 0x\(rawValue.padded(to: 2, radix: 16))"
        }
    }
}

extension ATTErrorCode {
    /// The name of the error, or its number.
    package var words: String {
        switch self {
        case .invalidHandle: "invalid handle"
        case .readNotPermitted: "read not permitted"
        case .writeNotPermitted: "write not permitted"
        case .invalidPDU: "invalid PDU"
        case .insufficientAuthentication: "insufficient authentication: the client has to pair"
        case .requestNotSupported: "request not supported"
        case .invalidOffset: "invalid offset"
        case .prepareQueueFull: "prepare queue full"
        case .attributeNotFound: "attribute not found"
        case .attributeNotLong: "attribute not long"
        case .insufficientEncryptionKeySize: "encryption key too short"
        case .invalidAttributeValueLength: "invalid attribute value length"
        case .unlikelyError: "unlikely error"
        case .insufficientEncryption: "insufficient encryption: the client has a key, and has to encrypt with it"
        case .unsupportedGroupType: "unsupported group type"
        case .insufficientResources: "insufficient resources"
        case .databaseOutOfSync: "database out of sync: the client knows outdated attributes"
        case .valueNotAllowed: "value not allowed"
        case .configurationImproper: "client characteristic configuration improperly configured"
        default: "error 0x\(rawValue.padded(to: 2, radix: 16))"
        }
    }
}
