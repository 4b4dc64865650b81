// SPDX-License-Identifier: Apache-2.0

import MatterHost
import TestSupport

/// Messages of rtnetlink at a table of interfaces, and comparisons with the kernel. Interfaces are in order and have
/// names and addresses of possible lengths.
func fuzzNetlink(_ input: inout FuzzInput) {
    var table = NetworkTable()
    while let step = input.next() {
        if step & 15 == 0 {
            table = NetworkTable(after: table)
        } else {
            let octets = input.block()
            _ = try? table.receive(octets.span)
        }
        let interfaces = table.interfaces
        require(zip(interfaces, interfaces.dropFirst()).allSatisfy { $0.index < $1.index }, "not in order")
        for interface in interfaces {
            require(interface.name.utf8.count <= 45, "a name of \(interface.name.utf8.count) octets")
            require(interface.hardwareAddress.count == 6, "another hardware address")
            require(Set(interface.networks).count == interface.networks.count, "an address twice")
        }
    }
}
