// SPDX-License-Identifier: Apache-2.0

/// The limits and times of a host, with defaults.
public struct HostConfiguration: Sendable {
    /// The size of the link table, 1 to 64; a further connection is ended at once with reason 0x14.
    public var links = 16
    /// The maximum ATT_MTU for every client, 23 to 517.
    public var maximumMTU = 517
    /// The time-out of a command.
    public var commandTimeout = Duration.seconds(2)
    /// The time between two verifications of the controller's state, 1 s to 1 min; nil for none. A controller whose
    /// state is not the host's picture of it, as after a restart, is reset within about this time.
    public var verificationPeriod: Duration? = .seconds(10)
    /// The maximum time for a new link to learn its advertising set; its data is held meanwhile.
    public var identificationWait = Duration.milliseconds(10)
    /// The lifetime of a private address, 1 s to 1 h: TGAP(private_addr_int) (Core 5.4, Vol 3, Part C, Appendix A).
    /// Each address is used up to an eighth longer, at random.
    public var addressRotation = Duration.seconds(900)
    /// True if longer data PDUs are requested on each link.
    public var requestsDataLength = true
    /// The connection interval to request if the link's is longer; nil requests none.
    public var preferredInterval: ClosedRange<Duration>? = .milliseconds(15) ... .milliseconds(30)
    /// The maximum number of octets of waiting notifications per link, at least 1024.
    public var notificationQueueOctets = 4096
    /// The services of credit-based channels. Enhanced ATT bearers (SPSM 0x0027) belong to the servers:
    /// `GATTServer.Configuration.enhancedBearers` replaces a service with that number.
    public var channelServices: [ChannelService] = []

    /// A configuration with the defaults.
    public init() {}
}
