// SPDX-License-Identifier: Apache-2.0

public import Peripheral

extension DeviceProgram {
    /// Runs the devices on a controller until SIGINT or SIGTERM, on the calling thread.
    ///
    /// - Parameter capture: the file that records all packets; nil for none.
    /// - Throws: `HostLoopError` if the transport is lost, so that a supervisor can start the program again.
    public consuming func run(on name: TransportName, capture: BTSnoopFile? = nil) throws(HostLoopError) {
        let loop = try HostLoop(self, on: name, capture: capture)
        try loop.run { _ in }
    }
}
