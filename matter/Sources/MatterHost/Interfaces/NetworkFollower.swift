// SPDX-License-Identifier: Apache-2.0

import CLinux

/// The current network interfaces of this machine, as reported by the kernel.
public final class NetworkFollower {
    /// The length of the buffer in octets, which the kernel's messages do not exceed.
    private static let bufferCount = 32_768
    /// The maximum number of datagrams read at once.
    private static let datagramsAtOnce = 64
    /// The maximum number of consecutive attempts to read all entries, if they change meanwhile.
    private static let attemptLimit = 8
    private static let getLink: UInt16 = 18
    private static let getAddress: UInt16 = 22

    /// The descriptor, for a loop's watch.
    public let descriptor: CInt
    private var table = NetworkTable()
    /// The table under construction, and the current request; nil without a request.
    private var making: (table: NetworkTable, request: UInt16)?
    private var sequence: UInt32 = 0
    private var attempts = 0

    /// Begins to follow the kernel, and reads the present interfaces.
    ///
    /// - Throws: `NetworkFault` if the kernel has no rtnetlink, or the process may not use it.
    public init() throws(NetworkFault) {
        let opened = readerd_route_open()
        guard opened >= 0 else {
            throw NetworkFault(
                text: "cannot follow the network interfaces: \(NetworkFault.reason(-opened)); permit AF_NETLINK")
        }
        descriptor = opened
        begin()
        // The kernel answers synchronously.
        while making != nil, ready() {}
    }

    deinit { readerd_close(descriptor) }

    /// The interfaces that are up, including the loopback.
    public var interfaces: [NetworkInterface] { table.interfaces }

    /// Requests all entries again, to compare the table with the kernel's state.
    public func compare() {
        attempts = 0
        if making == nil { begin() }
    }

    /// Reads what the kernel has sent. Returns true if there may be more, or a change.
    @discardableResult
    public func ready() -> Bool {
        var buffer = [UInt8](repeating: 0, count: NetworkFollower.bufferCount)
        var hasRead = false
        for _ in 0..<NetworkFollower.datagramsAtOnce {
            let count = readerd_route_receive(descriptor, &buffer, buffer.count)
            if count == -Int64(readerd_error_again) { break }
            hasRead = true
            // Messages were lost or cannot be parsed: request all entries again.
            guard count > 0 else {
                begin()
                continue
            }
            handle(buffer.span.extracting(0..<Int(count)))
        }
        return hasRead
    }

    private func handle(_ octets: Span<UInt8>) {
        do throws(NetworkTable.Fault) {
            guard var making else {
                try table.receive(octets)
                return
            }
            let end = try making.table.receive(octets)
            self.making = making
            switch end {
            case nil: break
            case .interrupted: begin()
            case .complete where making.request == NetworkFollower.getLink: request(NetworkFollower.getAddress)
            case .complete:
                table = making.table
                self.making = nil
                attempts = 0
            }
        } catch {
            begin()
        }
    }

    /// Requests all entries. After too many consecutive attempts the table stays unchanged until `compare`.
    private func begin() {
        guard attempts < NetworkFollower.attemptLimit else {
            (making, attempts) = (nil, 0)
            return
        }
        attempts += 1
        making = (NetworkTable(after: table), NetworkFollower.getLink)
        request(NetworkFollower.getLink)
    }

    private func request(_ type: UInt16) {
        sequence &+= 1
        making?.request = type
        if readerd_route_request(descriptor, type, sequence) < 0 { making = nil }
    }
}
