// SPDX-License-Identifier: Apache-2.0

public import Peripheral

/// The identifier of a connection.
public struct SimBLEConnectionID: Hashable, Comparable, Sendable {
    /// A consecutive number.
    public let rawValue: UInt64

    /// In the order of arrival.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// An action for the owner of a server.
public enum SimBLEEffect: Equatable, Sendable {
    /// Octets for a connection.
    case send(SimBLEConnectionID, [UInt8])
    /// The connection ends behind what was sent; the server has removed it.
    case close(SimBLEConnectionID)
    case notice(SimBLENotice)
}

/// An event of a server, for its user.
public enum SimBLENotice: Equatable, Sendable {
    /// The controller is initialized.
    case ready
    /// The controller failed; it is started again.
    case failed(ControllerFault)
    /// An app has sent its name, which it chooses.
    case app(String)
    /// A peer was refused, for this reason.
    case refused(String)
    /// A scan has begun, for devices with any of these services; nil for all.
    case scanning([BluetoothUUID]?)
    case scanStopped
    /// The controller refused to scan.
    case scanRefused(HCIStatus)
    case connected(BluetoothAddress)
    case connectionFailed(BluetoothAddress, HCIStatus)
    case disconnected(BluetoothAddress, HCIStatus)
    /// There has been no connection for a time: the scan and the links of apps have ended.
    case appsEnded
}
