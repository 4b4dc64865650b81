// SPDX-License-Identifier: Apache-2.0

import Devices
package import MatterNode
import MatterTLV

/// The kind of an emulated device.
package enum MatterDeviceKind: String, CaseIterable {
    case lock, light, plug, contact

    /// The device on endpoint 1.
    package func device(_ traits: LockTraits) -> MatterDevice {
        switch self {
        case .lock: .lock(traits)
        case .light: .light
        case .plug: .plug
        case .contact: .contact
        }
    }
}

/// The kind of network that an app configures.
package enum MatterNetworkKind: String, CaseIterable {
    case wifi, thread, ethernet
}

/// The settings of a node from the options, except its configuration.
struct MatterSettings {
    var device: MatterDeviceKind
    var attestation: AttestationSet
    /// The simulated Wi-Fi networks; nil for a node on another network.
    var simulation: WiFiSimulation?
    /// The state directory; nil for a node whose state ends with the process.
    var files: MatterStateFiles?
    /// The setup codes as lines.
    var codeLines: [String]
}
