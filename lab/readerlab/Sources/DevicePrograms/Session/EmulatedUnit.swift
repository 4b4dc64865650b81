// SPDX-License-Identifier: Apache-2.0

package import Devices
package import Emulation
package import HostLoop
import JSON
package import Peripheral
package import Timekeeping

/// One device of an emulation for app developers: its protocol, and the effects of faults. The session calls it.
package protocol EmulatedUnit: AnyObject {
    /// The advertised name.
    var name: String { get }
    /// The steps at which faults can be injected.
    var steps: [EmulatedStep] { get }
    /// The expected behaviour of its apps.
    var expectations: AppExpectations { get }
    /// Further properties that identify the device to users and programs, in addition to name and address.
    var facts: [(name: String, text: String)] { get }

    /// Its simulated Wi-Fi, if it has one.
    var wifi: SimulatedWiFi? { get }

    /// Defines its services and handlers, as the device with this index, counted from 0. The session sets the handlers
    /// for connecting, disconnecting and pairing.
    func define(_ number: Int) -> DeviceDefinition<EmulationSession>

    /// Adapts the host's configuration if it is the only device.
    func adapt(_ host: inout HostConfiguration)

    /// Starts the device when the controller is ready for the first time.
    func start(_ session: EmulationSession, _ context: inout DeviceContext)
    /// The time of the next call of `advance`; nil for none.
    var deadline: Instant? { get }
    /// Performs the due actions.
    func advance(_ session: EmulationSession, _ context: inout DeviceContext)
    /// Handles a new connection of an app.
    func began(_ link: LinkID, _ session: EmulationSession, _ context: inout DeviceContext)
    /// Handles a failed pairing.
    func pairingFailed(_ link: LinkID, _ session: EmulationSession, _ context: inout DeviceContext)
    /// Handles the end of a link of the device.
    func ended(_ link: LinkID, _ session: EmulationSession, _ context: inout DeviceContext)
    /// Changes the simulated networks; false if the network to change does not exist.
    func change(_ wifi: WiFiChange, _ session: EmulationSession, _ context: inout DeviceContext) -> Bool
}

extension EmulatedUnit {
    package var wifi: SimulatedWiFi? { nil }
    package func adapt(_ host: inout HostConfiguration) {}
    package func start(_ session: EmulationSession, _ context: inout DeviceContext) {}
    package func began(_ link: LinkID, _ session: EmulationSession, _ context: inout DeviceContext) {}
    package func pairingFailed(_ link: LinkID, _ session: EmulationSession, _ context: inout DeviceContext) {}
    package func ended(_ link: LinkID, _ session: EmulationSession, _ context: inout DeviceContext) {}
    package func change(_ wifi: WiFiChange, _ session: EmulationSession, _ context: inout DeviceContext) -> Bool {
        false
    }
}
