// SPDX-License-Identifier: Apache-2.0

/// A controller that a program reaches by a transport: packets wait here, in both directions.
final class LiveController: SiteController {
    /// Reset (Core 5.4, Vol 4, Part E, 7.3.2), with its H4 type.
    private static let reset: [UInt8] = [0x01, 0x03, 0x0C, 0x00]

    private var fromHost: [[UInt8]] = []
    private var fromController: [[UInt8]] = []
    /// A real controller refuses with a status, and reports nothing else.
    let violations: [String] = []

    @discardableResult
    func exchange(pop: (inout [UInt8]) -> Bool, receive handle: (Span<UInt8>) -> Void) -> Bool {
        var packet: [UInt8] = []
        var moves = false
        while true {
            if pop(&packet) {
                fromHost.append(packet)
            } else if !fromController.isEmpty {
                packet = fromController.removeFirst()
                handle(packet.span)
            } else {
                return moves
            }
            moves = true
        }
    }

    /// Takes a packet of the controller, for the next exchange.
    func received(_ packet: [UInt8]) { fromController.append(packet) }

    /// The next packet for the controller, or nil.
    func nextPacket() -> [UInt8]? { fromHost.isEmpty ? nil : fromHost.removeFirst() }

    /// Ends all activity of the controller, as without power or host.
    func silence() { fromHost.append(LiveController.reset) }
}
