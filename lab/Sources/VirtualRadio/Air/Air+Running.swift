// SPDX-License-Identifier: Apache-2.0

public import Timekeeping

extension Air {
    /// Lets time pass on the air and its hosts until `end`, from one deadline to the next.
    ///
    /// - Parameters:
    ///   - deadline: the hosts' next deadline.
    ///   - step: performs the hosts' due actions at `now` and exchanges their packets; true ends the run.
    /// - Returns: true if a step has ended the run; the air's time is then that step's, and `end` otherwise.
    @discardableResult
    public func run(until end: Instant, deadline: () -> Instant?, step: () -> Bool) -> Bool {
        if step() { return true }
        while let next = Instant.earlier(nextDeadline, deadline()), next <= end {
            advance(to: max(next, now))
            if step() { return true }
        }
        advance(to: end)
        return step()
    }
}

extension VirtualController {
    /// Exchanges H4 packets with a host until neither side has one.
    ///
    /// - Parameters:
    ///   - pop: copies the host's next packet into its argument; false if no packet is pending.
    ///   - handle: handles one packet of the controller in the host.
    /// - Returns: true if there were any.
    @discardableResult
    public func exchange(pop: (inout [UInt8]) -> Bool, receive handle: (Span<UInt8>) -> Void) -> Bool {
        var packet: [UInt8] = []
        var moves = false
        while true {
            if pop(&packet) {
                receive(packet.span)
            } else if popPacket(into: &packet) {
                handle(packet.span)
            } else {
                return moves
            }
            moves = true
        }
    }
}
