public import Peripheral
public import Protobuf

/// What happened to a provisioning device, for whoever watches it. No passphrase is ever told.
public enum NordicNotice: Equatable, Sendable {
    /// A client has read the version.
    case informationRead(LinkID)
    /// A client wrote a request. Its passphrase shows its length alone.
    case requested(LinkID, NordicRequest)
    /// A client wrote so many octets that are no request.
    case undecodable(LinkID, ProtobufError, count: Int)
    /// A client set what it wants of a characteristic.
    case subscribed(LinkID, NordicCharacteristic, ClientConfiguration)
    /// A client has confirmed the last indication.
    case confirmed(LinkID)
    /// A value is on its way.
    case sent(NordicMessage)
    /// A value was not sent, and why.
    case notSent(NordicMessage, NordicSendFailure)
    /// The device tries to get into a network.
    case joining(WiFiName, NordicJoinReason)
    /// It is in.
    case joined(WiFiName, IPv4Address?)
    /// It did not get in.
    case joinFailed(WiFiName, WiFiJoinFailure)
    /// It is not in its network any more.
    case lost
    /// A network is stored, or only remembered until the power is gone.
    case stored(WiFiName, isVolatile: Bool)
    /// There is no room for a network. The client is not told.
    case notStored(WiFiName)
    /// All networks are forgotten.
    case forgotten
    /// A network that was found is not told to the client: its name would crash the stock app.
    case recordLeftOut(WiFiName)
}

/// Why a device tries to get into a network.
public enum NordicJoinReason: String, Sendable, CaseIterable {
    /// A client has said so.
    case configured
    /// It is stored.
    case stored
    /// The one before did not let it in.
    case rollBack = "roll-back"
}

/// Why a value was not sent.
public enum NordicSendFailure: Equatable, Sendable {
    /// It is longer than the link takes; the client never agreed on a larger ATT_MTU.
    case tooLong(limit: Int)
    /// The client did not ask for it.
    case notSubscribed
    /// The client has not confirmed the indication before.
    case notConfirmed
    /// The link is gone, or has more waiting than it ever reads.
    case gone
}
