// SPDX-License-Identifier: Apache-2.0

/// A fault in the description of a database.
public enum DatabaseError: Error, Equatable, Sendable, CustomStringConvertible {
    /// An explicit handle is 0, or not above those before it, or there are more attributes than handles.
    case handleUnavailable(Int)
    /// An attribute precedes the first service.
    case outsideService(AttributeHandle)
    /// The service would end before its last attribute, or after the start of the next one.
    case invalidServiceEnd(AttributeHandle)
    /// A value exceeds its maximum length, or 512 octets.
    case valueTooLong(AttributeHandle)
    /// The included service does not exist.
    case unknownService(AttributeHandle)
    /// The configured value does not exist, or has a configuration already.
    case invalidConfiguration(AttributeHandle)
    /// The database hash could not be computed.
    case hashUnavailable

    /// One line with the attribute and the remedy.
    public var description: String {
        switch self {
        case .handleUnavailable(let number):
            "handle \(number) is not free: assign handles in ascending order, 1 to "
                + "65535"
        case .outsideService(let handle): "attribute \(handle.rawValue) is in no service: add a service before it"
        case .invalidServiceEnd(let handle):
            "service \(handle.rawValue) ends before its last attribute or after the next service: change its end"
        case .valueTooLong(let handle): "value of attribute \(handle.rawValue) is too long: 512 octets or its maximum"
        case .unknownService(let handle): "included service \(handle.rawValue) does not exist: add it"
        case .invalidConfiguration(let handle):
            "value \(handle.rawValue) does not exist or is configured twice: add it before its configuration, once"
        case .hashUnavailable: "the database hash needs AES-CMAC, which libcrypto does not provide: check the library"
        }
    }
}
