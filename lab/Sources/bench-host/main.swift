// SPDX-License-Identifier: Apache-2.0

import Glibc
import Peripheral
import System

/// `bench-host NAME` serves the table of the load generator on the controller NAME; `bench-host --constant NAME`
/// answers constants instead, to measure the cost of the socket alone. It ends with the connection.
let arguments = CommandLine.arguments.dropFirst()
let isConstant = arguments.first == "--constant"
let names = isConstant ? arguments.dropFirst() : arguments

/// The maximum number of phones of the load generator.
let links = 64

func complain(_ text: String) -> Never {
    let line = Array("bench-host: \(text)\n".utf8)
    write(STDERR_FILENO, line, line.count)
    exit(1)
}

guard let text = names.first, names.count == 1, !text.hasPrefix("-") else {
    complain("usage: bench-host [--constant] TRANSPORT (such as unix:PATH)")
}

do {
    let transport = try HCITransport.open(TransportName(text))
    if isConstant {
        var loop = try ConstantLoop(transport.descriptor, links: links)
        loop.run()
    } else {
        let process = DeviceProcess(try Reactor(), transport: transport, device: try BenchDevice(links: links))
        try process.run()
    }
} catch {
    complain("\(error)")
}
