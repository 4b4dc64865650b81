import ArgumentParser
import Peripheral

/// The radio that an emulated device is on, as options name it.
enum EmulationRadio {
    /// Refuses a controller or an address that is none.
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
