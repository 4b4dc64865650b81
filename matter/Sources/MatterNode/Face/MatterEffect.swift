// SPDX-License-Identifier: Apache-2.0

public import MatterSession
public import WiFi

/// A request of the node to its program. Effects are performed in order.
public enum MatterEffect: Sendable {
    /// Transmit a datagram or BTP message.
    case send([UInt8], to: TransportPeer)
    /// Advertise this, and replace the previous advertisement.
    case advertise(MatterAdvertisement)
    /// Replace the stored document by these octets, then call `stored(document)` or `storingFailed(document)`. Replies
    /// that promise durability wait for it.
    case persist([UInt8], document: UInt64)
    /// Scan for networks, with a name to probe for. The events go to `receive(_:at:)`.
    case scanWiFi(WiFiName?)
    /// Join a network. The events go to `receive(_:at:)`.
    case joinWiFi(WiFiJoin)
    /// Leave the network.
    case leaveWiFi
    /// Move the device.
    case actuate(MatterActuation)
    /// Decide an order to the lock; then call `answer(_:isDone:at:)`.
    case order(LockOrder)
    /// Decide a window of an administrator (`MatterConfiguration.asksForWindows`); then call `answer(_:isDone:at:)`.
    case openWindow(WindowRequest)
    /// Update the Aliro reader; then call `answer(aliro:_:at:)`.
    case aliro(AliroRequest)
    /// Record changes of PINs; then call `answer(_:isDone:at:)`.
    case recordPINs(PINRequest)
    /// Disconnect a Bluetooth link.
    case disconnect(TransportPeer)
    /// A step for a person or a transcript.
    case notice(MatterNotice)
}

/// A movement of the device.
public enum MatterActuation: Equatable, Sendable {
    /// Bolt out.
    case lock
    /// Bolt in.
    case unlock
    /// Bolt and latch in.
    case unlatch
    /// The load on or off.
    case power(Bool)
    /// Identify the device to people for this time; 0 to end.
    case identify(seconds: UInt16)
    /// Show an effect (EffectIdentifierEnum).
    case effect(UInt8)
}

/// An operation outside Matter, or a state of the device's inputs.
public enum MatterOperation: Equatable, Sendable {
    /// The lock was moved, and reports it.
    case locked(LockAction, LockSource)
    /// The lock was moved by a phone with this Aliro key, and reports it.
    case lockedByAliro(LockAction, AliroKeyKind, index: UInt16)
    /// A document has granted a phone access to the lock with the Aliro reader.
    case aliroGranted(AliroGrantedKey)
    /// The state of the lock without an operation, as at the start; nil if it is unknown.
    case lockState(LockState?)
    /// The lock was not moved.
    case lockRefused(LockAction, LockSource, LockOperationError)
    /// The error with which the lock begins to refuse orders of Matter; nil if it accepts them again.
    case refusing(LockOperationError?)
    /// True if the lock can execute orders of Matter.
    case actuator(Bool)
    /// The operating mode was set at the lock.
    case operatingMode(LockMode)
    /// An alarm of the lock.
    case alarm(LockAlarm)
    /// The door contact; nil if its state is unknown.
    case door(DoorState?)
    /// The safety inputs' demand on the lock; Matter never overrides it.
    case hold(LockHold)
    /// The load was switched by hand.
    case power(Bool)
    /// The contact of a contact sensor; true if closed.
    case contact(Bool)
    /// The battery, if the node has one (`MatterConfiguration.hasBattery`).
    case battery(BatteryState)
}
