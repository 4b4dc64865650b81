// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import Peripheral

/// The errors of the user channel, as Linux gives them.
@Suite struct AdapterFaultTests {
    @Test func eachErrnoHasItsOwnFaultAndRemedy() {
        let table: [(CInt, TransportFault, String)] = [
            (EAFNOSUPPORT, .noBluetooth, "modprobe bluetooth"),
            (EPROTONOSUPPORT, .noBluetooth, "modprobe bluetooth"),
            (EPERM, .notPermitted, "CAP_NET_ADMIN"),
            (ENODEV, .noSuchAdapter, "/sys/class/bluetooth"),
            (EBUSY, .adapterIsBusy, "try again"),
            (EUSERS, .adapterIsTaken, "stop that process"),
            (ERFKILL, .radioIsBlocked, "rfkill unblock bluetooth"),
            (EIO, .cannotOpen(code: EIO), "check the device"),
        ]
        for (code, fault, remedy) in table {
            #expect(TransportFault.ofAdapter(code) == fault)
            let description = TransportError(transport: .hciSocket(3), fault: fault).description
            #expect(description.hasPrefix("hci-socket:3: "))
            #expect(description.contains(remedy))
            #expect(!description.contains("\n"))
        }
        #expect(TransportFault.adapterIsUp.description.contains("hci-take = true"))
        #expect(Set(table.map(\.1.description)).count == table.count - 1)
    }

    /// The answer of this machine: a kernel without Bluetooth reports that; another has no adapter of that number, or
    /// denies the permission.
    @Test func anAdapterThatIsNotThereIsAnError() {
        let error = #expect(throws: TransportError.self) { try HCITransport.open(.hciSocket(65534)) }
        let possible: [TransportFault] = [.noBluetooth, .noSuchAdapter, .notPermitted]
        #expect(error.map { possible.contains($0.fault) } == true)
        let probe = socket(31, CInt(SOCK_RAW.rawValue), 1)
        if probe < 0 {
            #expect(error?.fault == .noBluetooth)
        } else {
            close(probe)
        }
    }
}
