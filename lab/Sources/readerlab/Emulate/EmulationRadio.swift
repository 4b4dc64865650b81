// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Peripheral

/// The options for the radio of an emulated device.
enum EmulationRadio {
    /// Validates the options for the controller and the address.
    static func check(hci: String, address: String?) throws {
        do throws(TransportNameError) {
            _ = try TransportName(hci)
        } catch .onlyInLab {
            throw ValidationError("--hci: the virtual air is only in the demo; name a controller, as hci-socket:0")
        } catch {
            throw ValidationError("--hci: \(error)")
        }
        if let address, EmulationAddress.parse(address) == nil {
            throw ValidationError(
                "--address \(address.debugDescription) is no random static address: write six octets, the first from "
                    + "C0 to FF, as C0:11:22:33:44:55")
        }
    }
}
