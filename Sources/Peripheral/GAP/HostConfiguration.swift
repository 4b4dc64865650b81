/// What a host is told about limits and times; every one has a default.
public struct HostConfiguration: Sendable {
    /// Size of the link table, 1 to 64; a connection beyond it is ended at once with reason 0x14.
    public var links = 16
    /// The ATT_MTU that is offered to every client, 23 to 517.
    public var maximumMTU = 517
    /// How long a command may take.
    public var commandTimeout = Duration.seconds(2)
    /// How long a new link waits to learn which advertising set it belongs to; its data is held meanwhile.
    public var identificationWait = Duration.milliseconds(10)
    /// After what time a private address is made anew, 1 s to 1 h: TGAP(private_addr_int) (Core 5.4, Vol 3, Part C,
    /// Appendix A). Each address stays up to an eighth longer, at random.
    public var addressRotation = Duration.seconds(900)
    /// Whether longer data PDUs are asked for on each link.
    public var requestsDataLength = true
    /// The connection interval to ask for where the link's is longer; nil asks for none.
    public var preferredInterval: ClosedRange<Duration>? = .milliseconds(15) ... .milliseconds(30)
    /// How many octets of notifications may wait on one link, at least 1024.
    public var notificationQueueOctets = 4096
    /// What centrals may open credit-based channels to. Enhanced ATT bearers (SPSM 0x0027) are the servers' own: they come
    /// with `GATTServer.Configuration.enhancedBearers`, in place of a service of that number here.
    public var channelServices: [ChannelService] = []

    /// The defaults.
    public init() {}
}
