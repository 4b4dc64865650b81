// SPDX-License-Identifier: Apache-2.0

import VirtualRadio

/// The controller of a host at a site: one on the virtual air, or one that a program reaches by a transport.
protocol SiteController: AnyObject {
    /// Exchanges H4 packets with a host until neither side has one.
    ///
    /// - Parameters:
    ///   - pop: copies the host's next packet into its argument; false without one.
    ///   - receive: handles one packet of the controller in the host.
    @discardableResult
    func exchange(pop: (inout [UInt8]) -> Bool, receive handle: (Span<UInt8>) -> Void) -> Bool
    /// Descriptions of what the host did against the specification; empty for a controller that does not tell.
    var violations: [String] { get }
}

extension VirtualController: SiteController {}
