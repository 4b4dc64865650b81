// SPDX-License-Identifier: Apache-2.0

/// An ATT error code (Core 5.4, Vol 3, Part F, 3.4.1.1, table 3.4).
public struct ATTErrorCode: RawRepresentable, Hashable, Sendable {
    /// The last octet of an error response.
    public var rawValue: UInt8
    /// The error with this code, known or not.
    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The handle is not valid on this server.
    public static let invalidHandle = ATTErrorCode(rawValue: 0x01)
    /// The attribute cannot be read.
    public static let readNotPermitted = ATTErrorCode(rawValue: 0x02)
    /// The attribute cannot be written.
    public static let writeNotPermitted = ATTErrorCode(rawValue: 0x03)
    /// The PDU is malformed.
    public static let invalidPDU = ATTErrorCode(rawValue: 0x04)
    /// The link must be authenticated first.
    public static let insufficientAuthentication = ATTErrorCode(rawValue: 0x05)
    /// The server does not support this request.
    public static let requestNotSupported = ATTErrorCode(rawValue: 0x06)
    /// The offset is past the end of the attribute.
    public static let invalidOffset = ATTErrorCode(rawValue: 0x07)
    /// Too many prepared writes are queued.
    public static let prepareQueueFull = ATTErrorCode(rawValue: 0x09)
    /// No attribute was found in the range.
    public static let attributeNotFound = ATTErrorCode(rawValue: 0x0A)
    /// The value fits the response of Read Request; Read Blob Request is not needed.
    public static let attributeNotLong = ATTErrorCode(rawValue: 0x0B)
    /// The encryption key is too short.
    public static let insufficientEncryptionKeySize = ATTErrorCode(rawValue: 0x0C)
    /// The length of the value is invalid for the attribute.
    public static let invalidAttributeValueLength = ATTErrorCode(rawValue: 0x0D)
    /// An unlikely error; also, the device has not answered in time.
    public static let unlikelyError = ATTErrorCode(rawValue: 0x0E)
    /// A key exists, and the link must be encrypted with it first.
    public static let insufficientEncryption = ATTErrorCode(rawValue: 0x0F)
    /// The type is not a grouping attribute.
    public static let unsupportedGroupType = ATTErrorCode(rawValue: 0x10)
    /// Insufficient resources for the request.
    public static let insufficientResources = ATTErrorCode(rawValue: 0x11)
    /// The client is change-unaware (Core 5.4, Vol 3, Part G, 2.5.2.1).
    public static let databaseOutOfSync = ATTErrorCode(rawValue: 0x12)
    /// The value is not allowed for the attribute.
    public static let valueNotAllowed = ATTErrorCode(rawValue: 0x13)
    /// The client characteristic configuration is not supported by the characteristic (Core Specification Supplement,
    /// Part B, 1.2).
    public static let configurationImproper = ATTErrorCode(rawValue: 0xFD)
}

/// An error that ends the handling of a request, with the contents of the error response.
struct ATTFault: Error, Equatable {
    /// The attribute handle in error; 0 for none.
    var handle: UInt16
    var code: ATTErrorCode

    init(_ code: ATTErrorCode, _ handle: UInt16 = 0) {
        self.handle = handle
        self.code = code
    }

    /// Appends ATT_ERROR_RSP to `response` (Core 5.4, Vol 3, Part F, 3.4.1.1).
    func append(answering opcode: ATTOpcode, to response: inout [UInt8]) {
        ATTResponse.error(opcode, handle: handle, code).append(to: &response)
    }
}
