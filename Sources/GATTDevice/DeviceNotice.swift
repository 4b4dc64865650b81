public import Peripheral

/// What happened to a device, for whoever watches it.
public enum DeviceNotice: Equatable, Sendable {
    /// The controller works, and the device can be found.
    case ready(ControllerDescription)
    /// The controller failed; the host starts it again.
    case controllerFailed(ControllerFault)
    /// A client has connected to one of the devices, counted from 0, by its address at that time, if that is known.
    case connected(LinkID, peer: BluetoothAddress, device: Int, ownAddress: BluetoothAddress?)
    /// A link has ended.
    case disconnected(LinkID, reason: HCIStatus)
    /// A client has agreed on an ATT_MTU.
    case mtuExchanged(LinkID, Int)
    /// A client wrote a value.
    case written(LinkID, DeviceValue)
    /// A client read a value; told where the table was made with `showsReads`.
    case read(LinkID, DeviceValue)
    /// A client set what it wants of a value; nothing is the end of it.
    case subscribed(LinkID, AttributeHandle, BluetoothUUID, ClientConfiguration)
    /// A value was notified, as much of it as the link's ATT_MTU takes.
    case notified(LinkID, DeviceValue)
    /// A value was indicated, as much of it as the link's ATT_MTU takes.
    case indicated(LinkID, DeviceValue)
    /// A client has confirmed the indication of a value.
    case confirmed(LinkID, AttributeHandle, BluetoothUUID)
    /// The device shows these six digits, which are to be entered at the client; leading zeros count.
    case passkeyDisplayed(LinkID, UInt32)
    /// A client that has this, as a code or over NFC, pairs with it.
    case outOfBand(OutOfBandData)
    /// The device asks for the six digits that the client shows.
    case passkeyWanted(LinkID)
    /// The device shows these six digits, and asks whether the client shows the same.
    case compared(LinkID, UInt32)
    /// The link is protected otherwise than before; the bonded peer, if it has proved to be that.
    case securityChanged(LinkID, LinkSecurityLevel, peer: BluetoothAddress?)
    /// A pairing is complete. If its keys could not be kept, why.
    case paired(LinkID, notKept: BondStoreError?)
    /// A pairing failed, or was refused.
    case pairingFailed(LinkID, PairingFailure)
    /// A client has opened a channel to this service.
    case channelOpened(LinkID, spsm: UInt16)
    /// A client sent this on a channel, and is sent it back.
    case channelReceived(LinkID, spsm: UInt16, octets: [UInt8])
    /// A channel was closed, by either end or with its link.
    case channelClosed(LinkID, spsm: UInt16)
    /// A notification or indication was left out: the link's queue is full, the indication before is not confirmed, or the
    /// client may not have the value.
    case leftOut(LinkID, AttributeHandle, BluetoothUUID, NotificationOutcome)
}

/// A value with the attribute that it is of.
public struct DeviceValue: Equatable, Sendable {
    /// The attribute's handle.
    public var handle: AttributeHandle
    /// The attribute's type.
    public var type: BluetoothUUID
    /// The octets.
    public var octets: [UInt8]

    /// The value of this attribute.
    public init(handle: AttributeHandle, type: BluetoothUUID, octets: [UInt8]) {
        self.handle = handle
        self.type = type
        self.octets = octets
    }
}
