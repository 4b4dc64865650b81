// SPDX-License-Identifier: Apache-2.0

public import Emulation
public import Peripheral

/// An event of an emulated device, for observation.
public enum DeviceNotice: Equatable, Sendable {
    /// The controller is ready, and has confirmed that a device advertises.
    case ready(ControllerDescription)
    /// The controller refuses to advertise the device with this index, counted from 0; it is tried again.
    case advertisingRefused(device: Int, AdvertisingRefusal)
    /// The controller has confirmed the advertising of the device with this index after refusals.
    case advertisingResumed(device: Int)
    /// The controller failed; the host restarts it.
    case controllerFailed(ControllerFault)
    /// A client has connected to the device with this index, counted from 0. `ownAddress` is the device's address at
    /// that time, if known.
    case connected(LinkID, peer: BluetoothAddress, device: Int, ownAddress: BluetoothAddress?)
    /// A link has ended.
    case disconnected(LinkID, reason: HCIStatus)
    /// The ATT_MTU of a link has been exchanged.
    case mtuExchanged(LinkID, Int)
    /// A client wrote a value.
    case written(LinkID, DeviceValue)
    /// A client read a value; reported if the table was made with `holdsValues`.
    case read(LinkID, DeviceValue)
    /// A client wrote the client characteristic configuration of a value; an empty one ends the subscription.
    case subscribed(LinkID, AttributeHandle, BluetoothUUID, ClientConfiguration)
    /// A value was notified, cut to the link's ATT_MTU.
    case notified(LinkID, DeviceValue)
    /// A value was indicated, cut to the link's ATT_MTU.
    case indicated(LinkID, DeviceValue)
    /// A client has confirmed the indication of a value.
    case confirmed(LinkID, AttributeHandle, BluetoothUUID)
    /// A request was refused with an ATT error; the type of its attribute, if known.
    case refused(LinkID, RefusedRequest, BluetoothUUID?)
    /// A fault has refused a request.
    case failed(LinkID, RefusedRequest, BluetoothUUID)
    /// The device with this index, counted from 0, was reloaded from its changed file.
    case replaced(device: Int)
    /// The device displays these six digits, to be entered at the client; leading zeros count.
    case passkeyDisplayed(LinkID, UInt32)
    /// Out-of-band data, with which a client that has it from a code or over NFC pairs.
    case outOfBand(OutOfBandData)
    /// The device requests the six digits that the client displays.
    case passkeyWanted(LinkID)
    /// The device displays these six digits, and asks whether the client displays the same.
    case compared(LinkID, UInt32)
    /// The security level of a link changed. `peer` is the bonded peer, if proven.
    case securityChanged(LinkID, LinkSecurityLevel, peer: BluetoothAddress?)
    /// The bond of this identity was removed to make room for a bond with the link's client.
    case bondRemoved(LinkID, BluetoothAddress)
    /// A pairing is complete. `storeError` is the reason why no bonding was offered although the client asked for it.
    case paired(LinkID, storeError: BondStoreError?)
    /// A pairing failed, or was refused.
    case pairingFailed(LinkID, PairingFailure)
    /// A client has opened a channel to the service with this SPSM.
    case channelOpened(LinkID, spsm: UInt16)
    /// A client sent an SDU on a channel, which is echoed.
    case channelReceived(LinkID, spsm: UInt16, octets: [UInt8])
    /// A channel was closed, by either end or with its link.
    case channelClosed(LinkID, spsm: UInt16)
    /// A notification or indication was omitted: the link's queue is full, the previous indication is not confirmed,
    /// or the link's security is insufficient.
    case leftOut(LinkID, AttributeHandle, BluetoothUUID, NotificationOutcome)
    /// A value was cut to this number of octets by the ATT_MTU that the client has agreed on.
    case cut(LinkID, DeviceValue, room: Int)
    /// A value was dropped by a fault.
    case dropped(LinkID, DeviceValue)
    /// A planned fault occurred at this step.
    case fault(LinkID, step: String, Fault)
    /// A command of the scenario was executed, with this answer.
    case executed(EmulationCommand, [String])
    /// The client has made a mistake about a profile, as a rule and a sentence.
    case mistaken(LinkID, AttributeHandle, rule: String, sentence: String)
    /// The client has ended the link this long after a request that was not answered yet.
    case gaveUp(LinkID, AttributeHandle, BluetoothUUID, after: Duration)
}

/// A value and its attribute.
public struct DeviceValue: Equatable, Sendable {
    /// The attribute's handle.
    public var handle: AttributeHandle
    /// The attribute's type.
    public var type: BluetoothUUID
    /// The octets.
    public var octets: [UInt8]

    /// The value of an attribute.
    public init(handle: AttributeHandle, type: BluetoothUUID, octets: [UInt8]) {
        self.handle = handle
        self.type = type
        self.octets = octets
    }
}
