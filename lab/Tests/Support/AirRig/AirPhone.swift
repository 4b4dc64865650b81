public import Peripheral
public import Phone
public import Timekeeping
public import VirtualRadio

/// A phone on the virtual air: a central and its controller. Subclasses handle ATT.
open class AirPhone {
    /// The phone's host.
    public var central = Central()
    /// The current link, if any.
    public private(set) var link: LinkID?
    /// The advertisements received while scanning.
    public private(set) var found: [AdvertisementReport] = []
    private let controller: VirtualController
    private var packet: [UInt8] = []

    /// Creates a phone that is not started.
    public required init(_ controller: VirtualController) { self.controller = controller }

    /// Called with each received ATT PDU.
    open func receive(_ pdu: [UInt8], at now: Instant) {}

    /// Called when the link has ended.
    open func linkLost() {}

    /// The next time at which `advance` is needed.
    open var nextDeadline: Instant? { central.nextDeadline }

    /// Performs everything that is due.
    open func advance(to now: Instant) { central.advance(to: now) }

    /// Exchanges packets between host and controller; returns whether there were any.
    open func settle(at now: Instant) -> Bool {
        var moves = false
        while central.popPacket(into: &packet) {
            controller.receive(packet.span)
            moves = true
        }
        while controller.popPacket(into: &packet) {
            central.receive(packet.span, at: now)
            moves = true
        }
        while let event = central.popEvent() {
            switch event {
            case .report(let report): found.append(report)
            case .connected(let link, _, _): self.link = link
            case .disconnected:
                link = nil
                linkLost()
            case .attribute(_, let pdu): receive(pdu, at: now)
            default: break
            }
        }
        return moves
    }
}
