// SPDX-License-Identifier: Apache-2.0

public import Peripheral
public import Protobuf
public import WiFi

/// An event of a provisioning device, for observation; it never contains a passphrase.
public enum NordicNotice: Equatable, Sendable {
    /// A client has read the version.
    case informationRead(LinkID)
    /// A client wrote a request, of whose passphrase only the length is described.
    case requested(LinkID, NordicRequest)
    /// A client wrote this number of octets, which are not a valid request.
    case undecodable(LinkID, ProtobufError, count: Int)
    /// A client wrote the client characteristic configuration of a characteristic.
    case subscribed(LinkID, NordicCharacteristic, ClientConfiguration)
    /// A client has confirmed the last indication.
    case confirmed(LinkID)
    /// A message was sent.
    case sent(NordicMessage)
    /// A message was not sent, with the reason.
    case notSent(NordicMessage, NordicSendFailure)
    /// The device is joining a network.
    case joining(WiFiName, NordicJoinReason)
    /// The device has joined the network.
    case joined(WiFiName, IPv4Address?)
    /// The network could not be joined.
    case joinFailed(WiFiName, WiFiJoinFailure)
    /// The connection to the network is lost.
    case lost
    /// A network was stored, or is held until power-off if `isVolatile`.
    case stored(WiFiName, isVolatile: Bool)
    /// There is no room for the network. The client is not notified.
    case notStored(WiFiName)
    /// All networks were removed.
    case forgotten
    /// A network was omitted from the scan records: its name would crash the stock app.
    case recordLeftOut(WiFiName)
}

/// The reason why a device joins a network.
public enum NordicJoinReason: String, Sendable, CaseIterable {
    /// A client has configured it.
    case configured
    /// It is stored.
    case stored
    /// The previously configured network could not be joined.
    case rollBack = "roll-back"
}

/// The reason why a message was not sent.
public enum NordicSendFailure: Equatable, Sendable {
    /// It exceeds the link's ATT_MTU; the client has not exchanged a larger one.
    case tooLong(limit: Int)
    /// The client has not subscribed.
    case notSubscribed
    /// The client has not confirmed the previous indication.
    case notConfirmed
    /// The link has ended, or its queue is full.
    case gone
}
