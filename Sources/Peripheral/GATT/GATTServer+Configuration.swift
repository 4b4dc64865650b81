/// True if values may be written in parts (Core 5.4, Vol 3, Part F, 3.4.6.1).
public enum PreparedWritePolicy: Equatable, Sendable {
    /// Up to the limits.
    case allowed
    /// Each Prepare Write is answered with this error, such as Request Not Supported or Write Not Permitted.
    case refused(ATTErrorCode)
}

extension GATTServer {
    /// What a server allows its clients.
    public struct Configuration: Equatable, Sendable {
        /// The ATT_MTU that is offered, at least 23. 517 carries the longest value in every PDU: 512 octets and the five
        /// of a prepared write.
        public var maximumMTU = 517
        /// How much may be prepared.
        public var preparedWrites = PreparedWriteLimits()
        /// True if anything may be prepared.
        public var preparedWriting = PreparedWritePolicy.allowed
        /// True if writes may be prepared for values that the device handles itself, if they may be at all.
        public var preparedWritingToDynamic = PreparedWritePolicy.allowed
        /// True if prepared writes to several attributes are only executed if each of them has the reliable-write bit
        /// (Core 5.4, Vol 3, Part G, 3.3.3.1 and 4.9.5); else Request Not Supported.
        public var demandsReliableWriteBit = true
        /// The fewest octets, 7 to 16, of a key that protects values which demand encryption.
        public var minimumKeySize = 7
        /// How many bearers a link may have besides the fixed channel, 0 to 8. EATT is offered if there are any.
        public var enhancedBearers = 0
        /// How long the device may take over a request before the client is told Unlikely Error; under the 30 s after
        /// which the client gives up the link (Core 5.4, Vol 3, Part F, 3.3.3).
        public var answerTime = Duration.seconds(20)

        /// The defaults.
        public init() {}

        /// The same, each field within its limits.
        var limited: Configuration {
            var limited = self
            limited.maximumMTU = max(GATTServer.defaultMTU, min(maximumMTU, Int(UInt16.max)))
            limited.minimumKeySize = max(7, min(minimumKeySize, LinkSecurityLevel.maximumKeySize))
            limited.enhancedBearers = max(0, min(enhancedBearers, GATTServer.maximumEnhancedBearers))
            limited.answerTime = max(.zero, min(answerTime, GATTServer.transactionTimeout - .seconds(1)))
            return limited
        }
    }

    /// More bearers than a client opens: one L2CAP request makes at most five channels (Core 5.4, Vol 3, Part A, 4.25).
    static let maximumEnhancedBearers = 8
    /// The smallest ATT_MTU of an enhanced bearer (Core 5.4, Vol 3, Part G, 5.3.1).
    static let minimumEnhancedMTU = 64
}
