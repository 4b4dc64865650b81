// SPDX-License-Identifier: Apache-2.0

import Devices
import MatterNode
import MatterTLV

/// The kind of an emulated device.
enum MatterDeviceKind: String, CaseIterable {
    case lock, light, plug, contact

    /// The device on endpoint 1.
    func device(_ traits: LockTraits) -> MatterDevice {
        switch self {
        case .lock: .lock(traits)
        case .light: .light
        case .plug: .plug
        case .contact: .contact
        }
    }
}

/// The kind of network that an app configures.
enum MatterNetworkKind: String, CaseIterable {
    case wifi, thread, ethernet
}

/// The settings of a node from the options, beside its configuration.
struct MatterSettings {
    var device: MatterDeviceKind
    var attestation: AttestationSet
    /// The Wi-Fi around the node; nil for another network.
    var simulation: WiFiSimulation?
    /// The state directory; nil for a node that ends with the process.
    var files: MatterStateFiles?
    /// The setup codes as lines.
    var codeLines: [String]
}
