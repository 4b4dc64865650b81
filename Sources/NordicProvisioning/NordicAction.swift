// SPDX-License-Identifier: Apache-2.0

public import Peripheral
public import WiFiStation

/// An action that a provisioning device requests, in order.
public enum NordicAction: Equatable, Sendable {
    /// Send a value.
    case send(NordicMessage)
    /// Advertise this instead of any previous advertisement.
    case advertise(NordicAdvertisement)
    /// Stop advertising until the next `advertise`.
    case stopAdvertising
    /// Store the networks in non-volatile memory, with mode 0600.
    case store(StoredNetworks)
    /// End a link.
    case disconnect(LinkID, HCIStatus)
}

/// A value for a client.
public struct NordicMessage: Equatable, Sendable {
    /// The name of the message.
    public var step: NordicStep
    /// The characteristic that carries it.
    public var characteristic: NordicCharacteristic
    /// The recipient.
    public var link: LinkID
    /// The octets.
    public var octets: [UInt8]
    /// The octets to send instead if `octets` exceed the link's ATT_MTU; nil for none.
    public var shorter: [UInt8]?

    /// A value.
    public init(
        step: NordicStep, characteristic: NordicCharacteristic, link: LinkID, octets: [UInt8], shorter: [UInt8]? = nil
    ) {
        self.step = step
        self.characteristic = characteristic
        self.link = link
        self.octets = octets
        self.shorter = shorter
    }

    /// True if it is indicated; otherwise it is notified.
    public var isIndication: Bool { characteristic == .controlPoint }

    /// The message for a maximum value length of `limit` octets; nil if it does not fit.
    public func fitting(_ limit: Int) -> NordicMessage? {
        if octets.count <= limit { return self }
        guard let shorter, shorter.count <= limit else { return nil }
        var message = self
        message.octets = shorter
        return message
    }
}

/// The service's characteristics.
public enum NordicCharacteristic: String, Sendable, CaseIterable {
    /// The version, which is read.
    case information
    /// Requests, and responses as indications.
    case controlPoint = "control-point"
    /// Networks and states as notifications.
    case dataOut = "data-out"
}

/// The names of the messages that a device sends.
public enum NordicStep: String, Sendable, CaseIterable {
    /// The response to GET_STATUS.
    case status
    /// The response to START_SCAN.
    case scanStarted = "scan-started"
    /// The response to STOP_SCAN.
    case scanStopped = "scan-stopped"
    /// The response to SET_CONFIG.
    case configured
    /// The response to FORGET_CONFIG.
    case forgotten
    /// The response to an unknown request.
    case refused
    /// The response to a malformed request.
    case undecodable
    /// A network from a scan.
    case record
    /// State 0.
    case disconnected
    /// State 1.
    case authentication
    /// State 2.
    case association
    /// State 3.
    case obtainingAddress = "obtaining-address"
    /// State 4.
    case connected
    /// State 5.
    case connectionFailed = "connection-failed"
}

/// The advertising of a device.
public struct NordicAdvertisement: Equatable, Sendable {
    /// The data of ADV_IND.
    public var data: [UInt8]
    /// The data of SCAN_RSP.
    public var scanResponse: [UInt8]
    /// The advertising interval.
    public var interval: Duration
}
