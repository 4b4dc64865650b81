// SPDX-License-Identifier: Apache-2.0

public import Crypto
public import Peripheral

/// The configuration of a phone: the readers it looks for, its token, its timing.
public struct AccessPhoneConfiguration: Sendable {
    /// The UUID of the characteristic to which a phone writes frames.
    public static let rxUUID = BluetoothUUID(high: 0x5892_0001_0BB5_4F7D, low: 0xADA1_988C_7FEC_44E4)
    /// The UUID of the characteristic that notifies the reader's frames.
    public static let txUUID = BluetoothUUID(high: 0xA015_0002_4C92_496C, low: 0x9CF1_0073_67D7_E838)

    /// The UUID of the service that it scans for and uses.
    public var service: BluetoothUUID
    /// The delimited token from the backend.
    public var token: [UInt8]
    /// The reader's public key from the backend.
    public var terminal: P256PublicKey
    /// The minimum RSSI of an advertisement to connect to, in dBm.
    public var connectsAt: Int8 = -126
    /// The share of time in which it listens for readers.
    public var scanning = ScanDuty.always
    /// The parameters of its connections.
    public var connection = ConnectionSettings()
    /// The delay before the next attempt after a failure, refusals included.
    public var retryAfterFailure: Duration = .milliseconds(500)
    /// The delay before the next attempt after success; nil for a single opening.
    public var retryAfterSuccess: Duration? = .seconds(2)
    /// The maximum number of connections.
    public var attempts = Int.max
    /// The MTU that it asks for.
    public var maximumMTU = GATTClient.largestMTU
    /// True if it keeps the handles of a reader's service from one connection to the next.
    public var remembersAttributes = false
    /// The time after which it takes another address; nil for one address for ever.
    public var addressLifetime: Duration?
    /// The frames that it writes.
    public var frames = Frames.own
    /// The time-out for an answer on a link, as in published phones.
    public var answerTimeout: Duration = .seconds(10)

    /// The frames that a phone writes to a reader.
    public enum Frames: Equatable, Sendable {
        /// The frames of its session.
        case own
        /// The frames of its session, each reported by a notice, as an eavesdropper records them.
        case told
        /// These frames, each instead of a frame of its session, and no others: an attacker replays a recording.
        case replayed([[UInt8]])
    }

    /// A phone with the published timing.
    public init(service: BluetoothUUID, token: [UInt8], terminal: P256PublicKey) {
        self.service = service
        self.token = token
        self.terminal = terminal
    }
}

/// An event of a phone, for its user.
public enum AccessPhoneNotice: Equatable, Sendable {
    /// A reader was found, and the phone connects; the RSSI in dBm, if known.
    case found(BluetoothAddress, rssi: Int8?)
    /// The link is established.
    case connected
    /// A frame was written, with `Frames.told`.
    case wrote([UInt8])
    /// The reader executed the command; the data of the result.
    case completed([UInt8])
    /// The exchange failed.
    case failed(PhoneFailure)
    /// The reader lacks the service or a characteristic, or answered GATT requests incorrectly.
    case unusable(String)
    /// The link has ended, with the controller's reason; before `completed` this is a refusal.
    case disconnected(HCIStatus)
}
