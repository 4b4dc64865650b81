public import Peripheral

/// What a provisioning device wants done, in this order.
public enum NordicAction: Equatable, Sendable {
    /// Send a value.
    case send(NordicMessage)
    /// Be found like this from now on.
    case advertise(NordicAdvertisement)
    /// Be found no more, until the next `advertise`.
    case stopAdvertising
    /// Write the networks to where they outlast the power, with mode 0600.
    case store(StoredNetworks)
    /// End a link.
    case disconnect(LinkID, HCIStatus)
}

/// A value for a client.
public struct NordicMessage: Equatable, Sendable {
    /// What it is about.
    public var step: NordicStep
    /// Where it is sent.
    public var characteristic: NordicCharacteristic
    /// Whom to.
    public var link: LinkID
    /// The octets.
    public var octets: [UInt8]
    /// What to send in their place if they do not fit the link's ATT_MTU; nil for nothing.
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

    /// Whether it is indicated, and confirmed by the client; what is not is notified.
    public var isIndication: Bool { characteristic == .controlPoint }

    /// What is sent of it where values have at most `limit` octets; nil if that is nothing.
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
    /// The version, to be read.
    case information
    /// Requests, and answers as indications.
    case controlPoint = "control-point"
    /// Networks and states as notifications.
    case dataOut = "data-out"
}

/// What a device sends, by name.
public enum NordicStep: String, Sendable, CaseIterable {
    /// The answer to GET_STATUS.
    case status
    /// The answer to START_SCAN.
    case scanStarted = "scan-started"
    /// The answer to STOP_SCAN.
    case scanStopped = "scan-stopped"
    /// The answer to SET_CONFIG.
    case configured
    /// The answer to FORGET_CONFIG.
    case forgotten
    /// The answer to a request that asks for nothing known.
    case refused
    /// The answer to what is no request.
    case undecodable
    /// A network that was found.
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

/// How a device is to be found.
public struct NordicAdvertisement: Equatable, Sendable {
    /// The octets of ADV_IND.
    public var data: [UInt8]
    /// The octets of SCAN_RSP.
    public var scanResponse: [UInt8]
    /// Time between two advertising events.
    public var interval: Duration

    /// An advertisement.
    public init(data: [UInt8], scanResponse: [UInt8], interval: Duration) {
        self.data = data
        self.scanResponse = scanResponse
        self.interval = interval
    }
}
