// SPDX-License-Identifier: Apache-2.0

/// An event of the host for the device.
public enum HostEvent: Equatable, Sendable {
    /// The controller is initialized; advertising and links are possible.
    case ready(ControllerDescription)
    /// The controller failed, or the transport was lost: every link has ended (each with its `disconnected`). The host
    /// initializes the controller again, or waits for the transport.
    case controllerFailed(ControllerFault)
    /// The state of advertising has changed, as the controller's answers show it.
    case advertising(AdvertisingStatus)
    /// A central has connected; its advertising set and device are known, or the wait for them has ended.
    case connected(LinkID, LinkDescription)
    /// The link has ended; its identifier is not used again.
    case disconnected(LinkID, reason: HCIStatus)
    /// The connection interval was changed.
    case intervalChanged(LinkID, Duration)
    /// The answer to `readRSSI`.
    case rssi(LinkID, RSSIReading)
    /// The transmit power of the link's central in dBm, as its link layer reports it after `readTransmitPower`: the
    /// first value, and each change; nil if it is no longer known.
    case transmitPower(LinkID, dBm: Int8?)
    /// The controller refused the event mask of transmit powers, or did not answer a command about them: until it is
    /// ready again, `readTransmitPower` has no effect.
    case transmitPowerUnavailable
    /// The ATT_MTU was exchanged.
    case mtuExchanged(LinkID, Int)
    /// The client wrote a write-only value; the octets are `eventOctets[value]`, valid until the next input to the
    /// host.
    case written(LinkID, AttributeHandle, value: Range<Int>)
    /// The client set the configuration of the characteristic with this value handle.
    case subscribed(LinkID, AttributeHandle, ClientConfiguration)
    /// The client reads a dynamic value from this offset. `Host.respond` with the complete value, or `Host.refuse`,
    /// must be called within `GATTServer.Configuration.answerTime`.
    case readRequested(AttributeRequestID, AttributeHandle, offset: Int)
    /// The client writes a dynamic value: `eventOctets[value]`, valid until the next input to the host. `Host.accept`
    /// or `Host.refuse` must be called in the same time; an indication may precede the answer.
    case writeRequested(AttributeRequestID, AttributeHandle, value: Range<Int>)
    /// The client has confirmed the indication of this value.
    case confirmed(LinkID, AttributeHandle)
    /// The server of the link's device has refused a request (`GATTServer.Configuration.reportsRefusals`).
    case refused(LinkID, RefusedRequest)
    /// The queue has room again after a notification was refused as `.busy`.
    case writable(LinkID)
    /// Show these six digits until `paired` or `pairingFailed`, with leading zeros.
    case displayPasskey(LinkID, UInt32)
    /// Request entry of the six digits shown by the central; the answer goes to `enterPasskey`.
    case requestPasskey(LinkID)
    /// Show these six digits, and ask the user to compare them with the central's; the answer goes to
    /// `answerComparison`.
    case compare(LinkID, UInt32)
    /// The security level of the link has changed.
    case securityChanged(LinkID, LinkSecurityLevel)
    /// The bond of this identity, which no link used, was removed: the store was full, and the link's peer has bonded.
    case bondRemoved(LinkID, BluetoothAddress)
    /// The pairing is complete; `storeError` is the reason if no bonding was offered although the central asked for it:
    /// it then holds for this link only, at both sides.
    case paired(LinkID, storeError: BondStoreError?)
    /// The pairing failed or was refused.
    case pairingFailed(LinkID, PairingFailure)
    /// The central has opened a channel to a service in `HostConfiguration.channelServices`.
    case channelOpened(LinkID, ChannelID, ChannelDescription)
    /// An SDU was received; the octets are `eventOctets[value]`, valid until the next input to the host.
    case channelReceived(LinkID, ChannelID, value: Range<Int>)
    /// The channel has room again after an SDU was refused as `.busy`.
    case channelWritable(LinkID, ChannelID)
    /// The central accepts SDUs of up to `peerMTU` octets on the channel.
    case channelReconfigured(LinkID, ChannelID, peerMTU: Int)
    /// The channel was closed, by either end or with its link; it precedes the link's `disconnected`.
    case channelClosed(LinkID, ChannelID)
}

/// The properties of a new link.
public struct LinkDescription: Equatable, Sendable {
    /// The central's address as reported by the controller.
    public var peer: BluetoothAddress
    /// The advertising set that the central connected to; nil if the controller did not report it in time.
    public var advertisingSet: UInt8?
    /// The index of the link's device in the order of `Host.init(devices:)`.
    public var device: Int
    /// The address of this device that the central connected to; nil if it is not known.
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

/// The result of Read RSSI for a link (Core 5.4, Vol 4, Part E, 7.5.4).
public enum RSSIReading: Equatable, Sendable {
    /// Status 0 and −126 to −1 dBm.
    case value(Int8)
    /// Status 0 with 0, a positive number, −127 or 127: no measurement.
    case none
    /// The controller answered with an error, or not at all.
    case failed(HCIStatus)
}

/// The cause of a new initialization of the controller.
public enum ControllerFault: Error, Equatable, Sendable {
    /// A command was not answered in time.
    case commandTimeout(opcode: UInt16)
    /// A required command was refused.
    case commandRefused(opcode: UInt16, HCIStatus)
    /// The controller lacks a required property, in words.
    case unsuitable(String)
    /// Hardware Error event (Core 5.4, Vol 4, Part E, 7.7.16).
    case hardwareError(code: UInt8)
    /// The controller is not in the state that the host has put it into: it was restarted, or an event was lost. In
    /// words.
    case stateLost(String)
    /// The transport is lost or out of synchronization.
    case transportLost
}

extension ControllerFault: CustomStringConvertible {
    /// The failure, in one line: `no answer to LE Set Extended Advertising Enable (0x2039)`.
    public var description: String {
        switch self {
        case .commandTimeout(let opcode): "no answer to \(HCIOpcode.description(of: opcode))"
        case .commandRefused(let opcode, let status):
            "\(HCIOpcode.description(of: opcode)) refused with \(status)"
        case .unsuitable(let why): why
        case .hardwareError(let code): "hardware error \(code)"
        case .stateLost(let why): "the controller has lost its state: \(why)"
        case .transportLost: "the connection to it is lost"
        }
    }
}
