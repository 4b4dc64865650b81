// SPDX-License-Identifier: Apache-2.0

public import Peripheral
public import Phone
public import Timekeeping
public import VirtualRadio

/// A phone on the virtual air: a central and its controller. Subclasses handle ATT.
open class AirPhone: AirParty {
    /// The phone's host.
    public var central = Central()
    /// The current link, if any.
    public private(set) var link: LinkID?
    /// The advertisements received while scanning.
    public private(set) var found: [AdvertisementReport] = []
    private let controller: VirtualController

    /// Creates a phone that is not started.
    public required init(_ controller: VirtualController) { self.controller = controller }

    /// Called with each received ATT PDU.
    open func receive(_ pdu: [UInt8], at now: Instant) {}

    /// Called when the link has ended, for this reason.
    open func linkLost(_ reason: HCIStatus) {}

    /// The next time at which `advance` is needed.
    open var nextDeadline: Instant? { central.nextDeadline }

    /// Performs everything that is due.
    open func advance(to now: Instant) { central.advance(to: now) }

    /// Exchanges packets between host and controller; returns whether there were any.
    open func settle(at now: Instant) -> Bool {
        let moves = controller.exchange(
            pop: { central.popPacket(into: &$0) }, receive: { central.receive($0, at: now) })
        while let event = central.popEvent() {
            switch event {
            case .report(let report): found.append(report)
            case .connected(let link, _, _): self.link = link
            case .disconnected(_, let reason):
                link = nil
                linkLost(reason)
            case .attribute(_, let pdu): receive(pdu, at: now)
            default: break
            }
        }
        return moves
    }
}
