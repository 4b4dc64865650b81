/// What a virtual controller can do, and how it behaves where the specification leaves a choice.
public struct ControllerProfile: Sendable {
    /// Whether it has the extended advertising commands (LE feature bit 12).
    public var extendedAdvertising = true
    /// How many advertising sets it holds; means nothing without extended advertising.
    public var advertisingSets = 8
    /// Octets of one ACL packet, both ways: the host's limit, and the size in which the host gets its data.
    public var aclDataLength = 251
    /// How many ACL packets of the host it holds, for all links together.
    public var aclPackets = 12
    /// Whether LE Read Buffer Size answers zeros, so that Read Buffer Size counts (Core 5.4, Vol 4, Part E, 7.8.2).
    public var sharesACLBuffers = false
    /// How many links it keeps.
    public var maximumLinks = 8
    /// Whether it has the Read RSSI command.
    public var readsRSSI = true
    /// What Read RSSI answers before the first packet of the link was received: 127 or, as some do, 0.
    public var rssiBeforeFirstPacket: Int8 = 127
    /// Whether Advertising Set Terminated comes before the Connection Complete event that it belongs to.
    public var terminatedBeforeConnectionComplete = false
    /// Whether it has the LE data packet length extension (LE feature bit 5).
    public var dataLengthExtension = true
    /// Whether it has the connection parameters request procedure (LE feature bit 1).
    public var connectionParametersRequest = true
    /// Whether it has channel selection algorithm #2 and says so (LE feature bit 14).
    public var channelSelectionAlgorithm2 = true
    /// How many packets each side sends at most in one connection event.
    public var packetsPerEvent = 6
    /// Whether it tells its peers when its host resets it (reason 0x15, at their next connection events); if not,
    /// they learn of it by their supervision time-outs.
    public var terminatesLinksOnReset = true
    /// How many addresses the filter accept list holds.
    public var filterAcceptListSize = 8
    /// HCI and LL version (Assigned Numbers): 0x0D for 5.4, 0x06 for 4.0.
    public var version: UInt8 = 0x0D

    /// A controller with these defaults: those of `modern`.
    public init() {}

    /// A current controller: extended advertising, eight sets, long packets.
    public static let modern = ControllerProfile()

    /// A 4.0 controller: one advertiser, 27-octet packets, no extensions.
    public static let legacy: ControllerProfile = {
        var profile = ControllerProfile()
        profile.extendedAdvertising = false
        profile.advertisingSets = 1
        profile.aclDataLength = 27
        profile.aclPackets = 8
        profile.rssiBeforeFirstPacket = 0
        profile.dataLengthExtension = false
        profile.connectionParametersRequest = false
        profile.channelSelectionAlgorithm2 = false
        profile.version = 0x06
        return profile
    }()

    /// The least that still works: one link, one buffer shared with BR/EDR, no RSSI, no farewell on reset.
    public static let minimal: ControllerProfile = {
        var profile = ControllerProfile.legacy
        profile.aclPackets = 1
        profile.sharesACLBuffers = true
        profile.maximumLinks = 1
        profile.readsRSSI = false
        profile.packetsPerEvent = 1
        profile.terminatesLinksOnReset = false
        return profile
    }()
}
