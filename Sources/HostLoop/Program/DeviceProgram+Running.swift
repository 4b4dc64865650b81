public import Peripheral

extension DeviceProgram {
    /// Runs the devices on a controller until SIGINT or SIGTERM, on the thread that calls it. A lost transport ends it
    /// with an error: whoever started it can start it again.
    ///
    /// - Parameter capture: where all packets are kept, if anywhere.
    public consuming func run(on name: TransportName, capture: BTSnoopFile? = nil) throws(HostLoopError) {
        let loop = try HostLoop(self, on: name, capture: capture)
        try loop.run { _ in }
    }
}
