public import Peripheral
public import Phone
public import Timekeeping
public import VirtualRadio

/// A phone on the virtual air: a central and its controller. What it makes of ATT is its subclass's.
open class AirPhone {
    /// The phone's host.
    public var central = Central()
    /// The link, while there is one.
    public private(set) var link: LinkID?
    /// What was heard while the phone listened.
    public private(set) var found: [AdvertisementReport] = []
    private let controller: VirtualController
    private var packet: [UInt8] = []

    /// A phone that is switched off.
    public required init(_ controller: VirtualController) { self.controller = controller }

    /// An ATT PDU has come.
    open func receive(_ pdu: [UInt8], at now: Instant) {}

    /// The link has ended.
    open func linkLost() {}

    /// When `advance` is wanted next.
    open var nextDeadline: Instant? { central.nextDeadline }

    /// Does what is due.
    open func advance(to now: Instant) { central.advance(to: now) }

    /// Moves packets between host and controller; whether there were any.
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
