/// What the host tells the device that runs on it.
public enum HostEvent: Equatable, Sendable {
    /// The controller has been started; advertising and links are possible from now on.
    case ready(ControllerDescription)
    /// The controller failed, or the transport was lost: every link is gone (each has had its `disconnected`), and
    /// the host starts again by itself, or when the transport is back.
    case controllerFailed(ControllerFault)
    /// A central has connected, and it is known to which advertising set, and so to which device.
    case connected(LinkID, LinkDescription)
    /// The link is gone; its identifier will not be seen again.
    case disconnected(LinkID, reason: HCIStatus)
    /// The connection interval was changed.
    case intervalChanged(LinkID, Duration)
    /// The answer to `readRSSI`.
    case rssi(LinkID, RSSIReading)
    /// The client has agreed on an ATT_MTU.
    case mtuExchanged(LinkID, Int)
    /// The client wrote a value that the device wants delivered; the octets are `eventOctets[value]`, until the next
    /// input to the host.
    case written(LinkID, AttributeHandle, value: Range<Int>)
    /// The client has set the configuration of the characteristic whose value has this handle.
    case subscribed(LinkID, AttributeHandle, ClientConfiguration)
    /// The client asks for a value that the device handles, from this offset on. To be answered with the whole value by
    /// `Host.respond`, or by `Host.refuse`, at once or within `GATTServer.Configuration.answerTime`.
    case readRequested(AttributeRequestID, AttributeHandle, offset: Int)
    /// The client wants to write a value that the device handles: `eventOctets[value]`, until the next input to the host.
    /// To be answered by `Host.accept` or `Host.refuse`, in the same time; an indication may go before the answer.
    case writeRequested(AttributeRequestID, AttributeHandle, value: Range<Int>)
    /// The client has confirmed the indication of this value.
    case confirmed(LinkID, AttributeHandle)
    /// A notification was refused as `.busy` before, and there is room again.
    case writable(LinkID)
    /// Show these six digits until `paired` or `pairingFailed`; leading zeros count.
    case displayPasskey(LinkID, UInt32)
    /// Ask for the six digits that the central shows; the answer goes to `enterPasskey`.
    case requestPasskey(LinkID)
    /// Show these six digits, and ask whether the central shows the same; the answer goes to `answerComparison`.
    case compare(LinkID, UInt32)
    /// The link is protected otherwise than before.
    case securityChanged(LinkID, LinkSecurityLevel)
    /// The pairing is complete. If its keys could not be kept, why; it then holds for this link only.
    case paired(LinkID, notKept: BondStoreError?)
    /// There is no pairing any more, or it was refused.
    case pairingFailed(LinkID, PairingFailure)
    /// The central has opened a channel to one of `HostConfiguration.channelServices`.
    case channelOpened(LinkID, ChannelID, ChannelDescription)
    /// An SDU has come; the octets are `eventOctets[value]`, until the next input to the host.
    case channelReceived(LinkID, ChannelID, value: Range<Int>)
    /// An SDU was refused as `.busy` before, and there is room again on the channel.
    case channelWritable(LinkID, ChannelID)
    /// The central takes SDUs of up to `peerMTU` octets on the channel from now on.
    case channelReconfigured(LinkID, ChannelID, peerMTU: Int)
    /// The channel is closed, by either end or with its link; every opened one is, before the link's `disconnected`.
    case channelClosed(LinkID, ChannelID)
}

/// A client characteristic configuration (Core 5.4, Vol 3, Part G, 3.3.3.3).
public struct ClientConfiguration: OptionSet, Hashable, Sendable {
    /// The two octets as the client writes them.
    public var rawValue: UInt16
    /// The configuration with these bits.
    public init(rawValue: UInt16) { self.rawValue = rawValue }
    /// The server may notify.
    public static let notification = ClientConfiguration(rawValue: 0x0001)
    /// The server may indicate.
    public static let indication = ClientConfiguration(rawValue: 0x0002)
}

/// What is known of a link when it comes up.
public struct LinkDescription: Equatable, Sendable {
    /// The central's address as the controller gave it.
    public var peer: BluetoothAddress
    /// The advertising set that it connected to; nil if the controller did not say in time.
    public var advertisingSet: UInt8?
    /// Which of the host's devices the link belongs to, counted from 0 in the order they were given.
    public var device: Int
    /// The address of this device that the central connected to; nil if its set, or the address, is not known.
    public var ownAddress: BluetoothAddress?
    /// The connection interval.
    public var interval: Duration

    /// A link with these properties.
    public init(
        peer: BluetoothAddress, advertisingSet: UInt8?, device: Int = 0, ownAddress: BluetoothAddress? = nil,
        interval: Duration
    ) {
        self.device = device
        self.ownAddress = ownAddress
        self.peer = peer
        self.advertisingSet = advertisingSet
        self.interval = interval
    }
}

/// A controller's answer to Read RSSI for a link (Core 5.4, Vol 4, Part E, 7.5.4).
public enum RSSIReading: Equatable, Sendable {
    /// Status 0 and −126 to −1 dBm.
    case value(Int8)
    /// Status 0 with 0, a positive number, −127 or 127: the controller has measured nothing.
    case none
    /// The controller answered with an error, or not at all.
    case failed(HCIStatus)
}

/// The controller as it described itself.
public struct ControllerDescription: Equatable, Sendable {
    /// HCI version (Assigned Numbers), 0x0D for 5.4.
    public var hciVersion: UInt8
    /// Assigned company identifier of the maker.
    public var manufacturer: UInt16
    /// Whether extended advertising is used.
    public var extendedAdvertising: Bool
    /// How many advertising sets run at once; 1 with legacy advertising.
    public var advertisingSets: Int
    /// Whether RSSI of a link can be read.
    public var readsRSSI: Bool
    /// Octets of one ACL packet to the controller.
    public var aclDataLength: Int
    /// How many ACL packets the controller holds.
    public var aclPackets: Int

    /// A controller with these properties.
    public init(
        hciVersion: UInt8, manufacturer: UInt16, extendedAdvertising: Bool, advertisingSets: Int, readsRSSI: Bool,
        aclDataLength: Int, aclPackets: Int
    ) {
        self.hciVersion = hciVersion
        self.manufacturer = manufacturer
        self.extendedAdvertising = extendedAdvertising
        self.advertisingSets = advertisingSets
        self.readsRSSI = readsRSSI
        self.aclDataLength = aclDataLength
        self.aclPackets = aclPackets
    }
}

/// Why the controller has to be started again.
public enum ControllerFault: Error, Equatable, Sendable {
    /// A command was not answered in time.
    case commandTimeout(opcode: UInt16)
    /// A command without which nothing works was refused.
    case commandRefused(opcode: UInt16, HCIStatus)
    /// The controller cannot do what is needed, in words.
    case unsuitable(String)
    /// Hardware Error event (Core 5.4, Vol 4, Part E, 7.7.16).
    case hardwareError(code: UInt8)
    /// The transport is gone or out of step.
    case transportLost
}
