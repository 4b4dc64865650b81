// SPDX-License-Identifier: Apache-2.0

public import AccessProtocol
public import Credentials
public import Peripheral

/// An event in the reader, for the log, the lab's timeline and metrics.
public enum ReaderNotice: Equatable, Sendable {
    /// The controller is up.
    case controllerReady(ControllerDescription)
    /// The controller cannot read RSSI, and there are modes whose gate needs it: their links will be refused.
    case rssiUnavailable
    /// No controller can advertise these modes as configured: they stay off the air.
    case unserved([AdvertisingMode])
    /// The readings of the RSSI are not usable, as of the last answer: links of gated modes will be refused.
    case rssiUnusable(RSSIReading)
    /// There is a usable reading again.
    case rssiUsable
    /// The controller failed and is started again.
    case controllerFailed(ControllerFault)
    /// The controller has confirmed that advertising is on, or that it is off, or has refused it.
    case advertising(AdvertisingState)
    /// The controller has refused the advertising of these modes repeatedly; it is tried again.
    case advertisingRefused([AdvertisingMode], AdvertisingRefusal)
    /// A phone connected; nil if the mode is not known.
    case connected(LinkID, AdvertisingMode?, peer: BluetoothAddress)
    /// The link's RSSI was read while verifying, in dBm; the path loss in dB, if the phone's power is known.
    case measured(LinkID, dBm: Int8, pathLoss: Int? = nil)
    /// The link's RSSI was read for a trace or a site survey, in dBm.
    case traced(LinkID, dBm: Int8)
    /// The phone is near: the median that opened the link, in dBm.
    case near(LinkID, median: Int8)
    /// The reader closes the link.
    case refused(PhoneID, Refusal)
    /// A message was invalid or refused; the code, and whether the phone was answered.
    case messageRefused(PhoneID, StatusCode, told: Bool)
    /// A command token was accepted and its command carried out with this result.
    case executed(PhoneID, credential: String, command: String, StatusCode)
    /// A credential with a good signature was decided about; the decision, and the status in the answer.
    case decided(PhoneID, CredentialDecision, StatusCode)
    /// The credential of a command is on the blacklist (event 8); the command was not carried out.
    case blacklisted(PhoneID, credential: String)
    /// These settings of a pushed configuration, by the backend's name for it, were ignored: they may not be pushed, or
    /// the clock was not set.
    case configurationIgnored(name: String, [PushedSetting], isClockSet: Bool)
    /// The phone could not be answered, because it has not subscribed to the characteristic.
    case unanswerable(LinkID)
    /// An equal request within the re-arm time got the same answer; the door did not move.
    case repeated(PhoneID, credential: String)
    /// The door is secured, and its outputs are set.
    case doorStarted
    /// An event of the door.
    case door(DoorEvent)
    /// A phone that touches the reader has selected the access application.
    case tapped(PhoneID)
    /// The session of such a phone has ended.
    case tapEnded(PhoneID)
    /// A card has proven no identity: the kind of its application, nil if it has none that this reader knows, and the
    /// reason.
    case cardRefused(PhoneID, CardKind?, CardRefusal)
    /// The octets of the mailbox of a phone that has opened the door; they prove nothing.
    case mailbox(PhoneID, [UInt8])
    /// The link has ended, with the code of the reason (Core 5.4, Vol 1, Part F).
    case disconnected(LinkID, reason: UInt8)

    /// The phone that it is about; nil for the reader.
    public var phone: PhoneID? {
        switch self {
        case .connected(let link, _, _), .measured(let link, _, _), .traced(let link, _), .near(let link, _),
            .unanswerable(let link), .disconnected(let link, _):
            .link(link)
        case .refused(let phone, _), .messageRefused(let phone, _, _), .executed(let phone, _, _, _),
            .decided(let phone, _, _), .blacklisted(let phone, _), .repeated(let phone, _), .tapped(let phone),
            .tapEnded(let phone), .cardRefused(let phone, _, _), .mailbox(let phone, _):
            phone
        case .controllerReady, .rssiUnavailable, .rssiUnusable, .rssiUsable, .unserved, .controllerFailed, .advertising,
            .advertisingRefused, .configurationIgnored, .doorStarted, .door:
            nil
        }
    }
}
