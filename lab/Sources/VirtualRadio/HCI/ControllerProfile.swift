// SPDX-License-Identifier: Apache-2.0

/// The capabilities of a virtual controller, and its behaviour where the specification leaves a choice.
public struct ControllerProfile: Equatable, Sendable {
    /// True if it supports the extended advertising commands (LE feature bit 12).
    public var extendedAdvertising = true
    /// The number of advertising sets; unused without extended advertising.
    public var advertisingSets = 8
    /// The maximum length of an ACL packet in octets in both directions.
    public var aclDataLength = 251
    /// The number of ACL packet buffers for the host's data, shared by all links.
    public var aclPackets = 12
    /// True if LE Read Buffer Size returns zeros, so that Read Buffer Size applies (Core 5.4, Vol 4, Part E, 7.8.2).
    public var sharesACLBuffers = false
    /// The maximum number of links.
    public var maximumLinks = 8
    /// True if it supports Read RSSI.
    public var readsRSSI = true
    /// The result of Read RSSI before the first packet of a link: 127 or, with some controllers, 0.
    public var rssiBeforeFirstPacket: Int8 = 127
    /// True if Advertising Set Terminated precedes its Connection Complete event.
    public var terminatedBeforeConnectionComplete = false
    /// True if it supports LE Data Packet Length Extension (LE feature bit 5).
    public var dataLengthExtension = true
    /// True if it supports the Connection Parameters Request procedure (LE feature bit 1).
    public var connectionParametersRequest = true
    /// True if it supports Channel Selection Algorithm #2 (LE feature bit 14).
    public var channelSelectionAlgorithm2 = true
    /// True if it supports LE Power Control, and so reports its transmit power to peers (LE feature bits 33 and 34).
    public var powerControl = false
    /// The transmit power in dBm, −127 to 20. The levels of paths are those at 0 dBm.
    public var transmitPower: Int8 = 0
    /// The maximum number of packets of each side in a connection event.
    public var packetsPerEvent = 6
    /// True if a reset terminates links towards their peers (reason 0x15, at their next connection events); otherwise
    /// the peers' supervision time-outs apply.
    public var terminatesLinksOnReset = true
    /// The number of events from an update of the connection that a central sends to its instant, at least 6 (Core 5.4,
    /// Vol 6, Part B, 5.1.1).
    public var eventsToUpdate: UInt64 = 6
    /// True if hosts for BR/EDR and LE, such as Android's, may ask what concerns BR/EDR: an unsupported command is
    /// answered by its own kind of event and is no violation, and Read Local Extended Features is supported. False for
    /// the strict controller: the answer is Command Status, and the command a violation.
    public var admitsDualModeHosts = false
    /// The capacity of the filter accept list.
    public var filterAcceptListSize = 8
    /// The capacity of the resolving list; 0 without Link Layer privacy (LE feature bit 6).
    public var resolvingListSize = 0
    /// HCI and LL version (Assigned Numbers): 0x0D for 5.4, 0x06 for 4.0.
    public var version: UInt8 = 0x0D

    /// A controller with the properties of `modern`.
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

    /// The minimum: one link, one buffer shared with BR/EDR, no RSSI, no termination of links on reset.
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
