public import AccessProtocol
public import Peripheral

/// What happened in the reader, for whoever tells people: a log, the lab's timeline, later metrics and events.
public enum ReaderNotice: Equatable, Sendable {
    /// The controller is up.
    case controllerReady(ControllerDescription)
    /// The controller cannot read RSSI, and there are modes whose gate needs it: their links will be refused.
    case rssiUnavailable
    /// No controller could advertise these modes as they are set: they stay off the air.
    case unserved([AdvertisingMode])
    /// The controller failed and is started again.
    case controllerFailed(ControllerFault)
    /// Advertising was asked to run, or to stop because all slots are taken.
    case advertising(Bool)
    /// A phone connected; nil if it is not known to which mode.
    case connected(LinkID, AdvertisingMode?, peer: BluetoothAddress)
    /// The link's RSSI was read while verifying, in dBm.
    case measured(LinkID, dBm: Int8)
    /// The phone is near: the median that opened the link, in dBm.
    case near(LinkID, median: Int8)
    /// The reader closes the link.
    case refused(PhoneID, Refusal)
    /// A message was not understood or not allowed; the code, and whether the phone was told.
    case messageRefused(PhoneID, StatusCode, told: Bool)
    /// A command token was accepted and its command carried out with this result.
    case executed(PhoneID, credential: String, command: String, StatusCode)
    /// A credential with a good signature was decided about; what the phone was told, and what is to be recorded.
    case decided(PhoneID, CredentialDecision, StatusCode)
    /// The credential of a command is on the blacklist (event 8); the command was not carried out.
    case blacklisted(PhoneID, credential: String)
    /// Of a configuration that a phone brought, by the backend's name for it, these settings were ignored: they may not be
    /// pushed, or the clock was not set.
    case configurationIgnored(name: String, [PushedSetting], isClockSet: Bool)
    /// The phone could not be answered, since it has not subscribed to the characteristic.
    case unanswerable(LinkID)
    /// The same as a moment before was asked again, and got the same answer; the door did not move for it.
    case repeated(PhoneID, credential: String)
    /// The door is in use: secured, and its outputs are set.
    case doorStarted
    /// Something happened at the door.
    case door(DoorEvent)
    /// A phone that touches the reader has selected the access application.
    case tapped(PhoneID)
    /// Its session is over.
    case tapEnded(PhoneID)
    /// The link is gone.
    case disconnected(LinkID, reason: HCIStatus)
}
