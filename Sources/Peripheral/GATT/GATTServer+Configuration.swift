// SPDX-License-Identifier: Apache-2.0

/// The permission of prepared writes (Core 5.4, Vol 3, Part F, 3.4.6.1).
public enum PreparedWritePolicy: Equatable, Sendable {
    /// Permitted up to the limits.
    case allowed
    /// Each Prepare Write is answered with this error, such as Request Not Supported or Write Not Permitted.
    case refused(ATTErrorCode)
}

extension GATTServer {
    /// The limits and options of a server.
    public struct Configuration: Equatable, Sendable {
        /// The server's ATT_MTU, at least 23. 517 carries the longest value in every PDU: 512 octets and the header of
        /// a prepared write, five octets.
        public var maximumMTU = 517
        /// The limits of prepared writes.
        public var preparedWrites = PreparedWriteLimits()
        /// The permission of prepared writes.
        public var preparedWriting = PreparedWritePolicy.allowed
        /// The permission of prepared writes to dynamic values.
        public var preparedWritingToDynamic = PreparedWritePolicy.allowed
        /// True if prepared writes to several attributes require the reliable-write bit of each (Core 5.4, Vol 3, Part
        /// G, 3.3.3.1 and 4.9.5); otherwise they fail with Request Not Supported.
        public var demandsReliableWriteBit = true
        /// The minimum length, 7 to 16 octets, of the key for values that require encryption.
        public var minimumKeySize = 7
        /// The maximum number of enhanced bearers per link, 0 to 8. EATT is supported if it is not 0.
        public var enhancedBearers = 0
        /// The time limit of the device for a request, after which the client receives Unlikely Error; below the 30 s
        /// after which the client disconnects (Core 5.4, Vol 3, Part F, 3.3.3).
        public var answerTime = Duration.seconds(20)
        /// True if the server reports as events the requests that it refuses without asking the device, for
        /// observation. Attribute Not Found, the end of a discovery, is not reported.
        public var reportsRefusals = false

        /// A configuration with the defaults.
        public init() {}

        /// The configuration with each field within its limits.
        var limited: Configuration {
            var limited = self
            limited.maximumMTU = max(GATTServer.defaultMTU, min(maximumMTU, Int(UInt16.max)))
            limited.minimumKeySize = max(7, min(minimumKeySize, LinkSecurityLevel.maximumKeySize))
            limited.enhancedBearers = max(0, min(enhancedBearers, GATTServer.maximumEnhancedBearers))
            limited.answerTime = max(.zero, min(answerTime, GATTServer.transactionTimeout - .seconds(1)))
            return limited
        }
    }

    /// The maximum number of enhanced bearers; one L2CAP request opens at most five channels (Core 5.4, Vol 3, Part A,
    /// 4.25).
    static let maximumEnhancedBearers = 8
    /// The smallest ATT_MTU of an enhanced bearer (Core 5.4, Vol 3, Part G, 5.3.1).
    static let minimumEnhancedMTU = 64
}
