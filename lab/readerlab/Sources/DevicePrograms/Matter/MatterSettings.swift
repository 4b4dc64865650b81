// SPDX-License-Identifier: Apache-2.0

package import Devices
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
package struct MatterSettings {
    package var device: MatterDeviceKind
    package var attestation: AttestationSet
    /// The simulated Wi-Fi networks; nil for a node on another network.
    package var simulation: WiFiSimulation?
    /// The state directory; nil for a node whose state ends with the process.
    package var files: MatterStateFiles?
    /// The setup codes as lines.
    package var codeLines: [String]

    package init(
        device: MatterDeviceKind, attestation: AttestationSet, simulation: WiFiSimulation? = nil,
        files: MatterStateFiles? = nil, codeLines: [String]
    ) {
        self.device = device
        self.attestation = attestation
        self.simulation = simulation
        self.files = files
        self.codeLines = codeLines
    }
}
