// SPDX-License-Identifier: Apache-2.0

/// The limits of the link to a fleet.
public enum FleetLimits {
    /// The version of the messages between the reader and the process of its link. Both are of one release.
    public static let channelVersion = 4
    /// The maximum number of events in a batch.
    public static let eventsPerBatch = 50
    /// The maximum length of a batch's message in octets, unless the broker's limit is lower: brokers' hard limits
    /// begin at 128 KB.
    public static let batchCount = 16_384
    /// The least maximum packet size of a broker, in octets, with which the link works: a batch of one event, a state
    /// with all faults, a discovery message, or an order fits.
    public static let leastPacket = 4096
    /// The maximum length of a publication without its message, in octets: fixed header, topic, identifier, properties
    /// (MQTT 5, 3.3) with correlation data.
    public static let packetOverhead = 160
    /// The maximum length of a message of the channel in octets: a batch in its envelope, a state or an order.
    public static let lineCount = 24_576
    /// The maximum number of batches beyond the back end's mark, which occupy 64 KB of memory.
    public static let batchesAhead = 4
    /// The maximum number of unacknowledged messages. Further live events are dropped; they remain in the log.
    public static let unacknowledged = 20
    /// The maximum size of all unacknowledged messages in octets. With 150 KB of them the process grew by 276 KB; 256
    /// KB are allowed for sending.
    public static let unacknowledgedOctets = 96 * 1024
    /// The time to wait for a due acknowledgement of a subscription or message before the connection is abandoned.
    public static let acknowledgeWithin = Duration.seconds(30)
    /// The interval at which the link repeats its unchanged status to the reader.
    public static let statusInterval = Duration.seconds(10)
    /// The time without a message of the link after which the reader no longer trusts its status.
    public static let silenceLimit = Duration.seconds(25)
    /// The time in seconds before the broker publishes the will, so that a short interruption is not reported.
    public static let willDelaySeconds: UInt32 = 30
    /// The time within which a reader responds to Home Assistant's start. The readers of a fleet spread their
    /// responses.
    public static let announceWithin = Duration.seconds(2)...Duration.seconds(10)
    /// The time for the back end's retained mark to arrive after subscribing; without one the log is sent from its
    /// beginning.
    public static let markWait = Duration.seconds(2)
    /// The time for the reader to answer; a read without an answer is repeated.
    public static let readWait = Duration.seconds(5)
    /// The time without progress after which batches are sent again. It doubles up to the limit.
    public static let resendPause = Duration.seconds(2)
    /// The longest time without progress before batches are sent again.
    public static let longestResendPause = Duration.seconds(30)
    /// The time without progress after which a fault is reported.
    public static let undeliveredAfter = Duration.seconds(60)
    /// The maximum length of a signed order in octets.
    public static let orderCount = 2048
    /// The maximum length of a chunk of a desired state in octets: in digits it is shorter than a signed order.
    public static let chunkCount = 1536
    /// The maximum number of chunks of a desired state, whose digests fit a signed order: 3400 entries of the
    /// blacklist, and the settings.
    public static let chunksPerState = 48
    /// The maximum number of orders that the reader has not answered. Further orders are dropped, and have to be sent
    /// again.
    public static let ordersAhead = 8
    /// The time after which an order without an answer no longer counts.
    public static let orderWait = Duration.seconds(60)
    /// The maximum length of correlation data in octets (MQTT 5, 3.3.2.3.6).
    public static let correlationCount = 64
    /// The length of a log's identifier in octets.
    public static let logCount = 16
    /// The maximum length of a name, a version, or a fault's text in octets.
    public static let textCount = 256
}
