public import Crypto
public import Peripheral

/// What a phone is told: which readers it looks for, what it shows them, and how it behaves.
public struct AccessPhoneConfiguration: Sendable {
    /// The service that it scans for, and talks to.
    public var service: BluetoothUUID
    /// The token that it shows, delimited, as its backend gave it.
    public var token: [UInt8]
    /// The reader's public key, as its backend gave it.
    public var terminal: P256PublicKey
    /// The weakest advertisement that makes it connect, in dBm.
    public var connectsAt: Int8 = -126
    /// How it connects.
    public var connection = ConnectionSettings()
    /// Time until the next attempt after a failure, a refusal included.
    public var retryAfterFailure: Duration = .milliseconds(500)
    /// Time until the next attempt after success.
    public var retryAfterSuccess: Duration = .seconds(2)
    /// How many times it connects at most.
    public var attempts = Int.max
    /// How long it waits for an answer on a link, as the published phones do.
    public var answerTimeout: Duration = .seconds(10)

    /// A phone with the published timing.
    public init(service: BluetoothUUID, token: [UInt8], terminal: P256PublicKey) {
        self.service = service
        self.token = token
        self.terminal = terminal
    }
}

/// What a phone tells the person who holds it.
public enum AccessPhoneNotice: Equatable, Sendable {
    /// It has found a reader and connects; the advertisement's strength in dBm, if known.
    case found(BluetoothAddress, rssi: Int8?)
    /// The link is up.
    case connected
    /// The reader carried out the command; the result's data.
    case completed([UInt8])
    /// The exchange failed.
    case failed(PhoneFailure)
    /// The reader lacks the service or a characteristic, or answered GATT requests wrongly.
    case unusable(String)
    /// The link is gone, with the controller's reason; before `completed` this is a refusal.
    case disconnected(HCIStatus)
}
