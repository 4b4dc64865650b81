// SPDX-License-Identifier: Apache-2.0

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
