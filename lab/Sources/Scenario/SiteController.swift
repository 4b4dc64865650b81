// SPDX-License-Identifier: Apache-2.0

import VirtualRadio

/// The controller of a host at a site: on the virtual air, or behind a program's transport.
protocol SiteController: AnyObject {
    /// Exchanges H4 packets with a host until neither side has one.
    ///
    /// - Parameters:
    ///   - pop: copies the host's next packet into its argument; false without one.
    ///   - receive: handles one packet of the controller in the host.
    @discardableResult
    func exchange(pop: (inout [UInt8]) -> Bool, receive handle: (Span<UInt8>) -> Void) -> Bool
    /// Descriptions of the host's violations of the specification; empty for a controller that does not report them.
    var violations: [String] { get }
}

extension VirtualController: SiteController {}
