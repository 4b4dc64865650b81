// SPDX-License-Identifier: Apache-2.0

import MatterInteraction
import Timekeeping
import WiFi

/// NetworkCommissioningStatusEnum.
enum NetworkingStatus: UInt8, Sendable {
    case success = 0
    case outOfRange
    case boundsExceeded
    case networkIDNotFound
    case duplicateNetworkID
    case networkNotFound
    case regulatoryError
    case authenticationFailure
    case unsupportedSecurity
    case otherConnectionFailure
    case ipv6Failed
    case ipBindFailed
    case unknownError
}

/// The volatile state of the network interface.
struct NetworkingState: Sendable {
    /// A command that waits for the station.
    enum Pending: Sendable {
        /// ScanNetworks with the access points found.
        case scan(CommandTicket, found: [WiFiNetwork])
        /// ConnectNetwork, searching for the security of the network.
        case search(CommandTicket, found: WiFiNetwork?)
        /// ConnectNetwork, joining.
        case join(CommandTicket)
    }

    var pending: Pending?
    /// The only name that ScanNetworks requested.
    var scanFilter: [UInt8]?
    /// The time limit of the pending command.
    var deadline: Instant?
    /// The time of the next join without a command.
    var rejoinDue: Instant?
    var isConnected = false
    var lastStatus: NetworkingStatus?
    var lastID: [UInt8]?
    var lastError: Int32?
}
