// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Peripheral

/// The adapter that a name means, among those present.
@Suite struct AdapterNameTests {
    private static let controllers = "../../devices/pci0000:00/0000:00:14.0/usb1/"
    private let present = [
        PresentAdapter(
            number: 0, address: 0x001A_7DDA_7113, devicePath: controllers + "1-1/1-1.4/1-1.4:1.0/bluetooth/hci0"),
        PresentAdapter(number: 1, address: 0x001A_7DDA_7113, devicePath: controllers + "1-1/1-1:1.0/bluetooth/hci1"),
        PresentAdapter(
            number: 4, address: 0xDCA6_3200_0001,
            devicePath: "../../devices/platform/soc/fe201000.serial/serial0/serial0-0/bluetooth/hci4"),
        PresentAdapter(number: 5, address: 0, devicePath: "../../devices/virtual/bluetooth/hci5"),
    ]

    private func number(_ name: AdapterName) -> Result<UInt16, TransportFault> {
        do throws(TransportFault) { return .success(try name.number(among: present)) } catch { return .failure(error) }
    }

    @Test func numberAddressAndPort() {
        #expect(number(4) == .success(4))
        #expect(number(.address(0xDCA6_3200_0001)) == .success(4))
        #expect(number(.usb("1-1.4")) == .success(0))
        // A port, and not all that is behind it.
        #expect(number(.usb("1-1")) == .success(1))
    }

    @Test func absentAdapterIsNoOther() {
        for name in [9, .address(0x1111_1111_1111), .usb("1-1.5"), .usb("2-1"), .usb("1-1.40")] as [AdapterName] {
            #expect(number(name) == .failure(.noSuchAdapter))
        }
        // An adapter that is not set up has no address.
        #expect(number(.address(0)) == .failure(.noSuchAdapter))
    }

    @Test func sharedAddressIsNotGuessed() {
        #expect(number(.address(0x001A_7DDA_7113)) == .failure(.ambiguousAdapter([0, 1])))
        #expect(
            TransportFault.ambiguousAdapter([0, 1]).description
                == "hci0 and hci1 have this address; name the adapter by its USB port (ls -l /sys/class/bluetooth)")
    }
}
