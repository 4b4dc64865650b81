// SPDX-License-Identifier: Apache-2.0

import Crypto
import Fleet
import Reader
import Remote
import Timekeeping

/// Orders of a back end to a reader, forged and signed, repeated and late, with power cuts between: only a signed one
/// is taken, within its time, once, and with a counter that rises.
func fuzzOrders(_ input: inout FuzzInput) {
    var rig = OrdersRig()
    while let step = input.next() {
        switch step % 8 {
        case 0: rig.receive(input.block(), isRetained: step & 8 != 0)
        case 1, 2: rig.receive(rig.order(&input), isRetained: step & 8 != 0)
        case 3, 4: rig.keep(isKept: step & 8 == 0)
        case 5: rig.act(step & 8 == 0 ? nil : .lockdown)
        case 6: rig.move(Int64(Int8(bitPattern: input.octet())))
        default: rig.cutPower()
        }
    }
}

/// A signature is the first octet of the message's SHA-256: what ECDSA costs would be most of a run.
struct ShortKey: SignatureKey {
    let point = certain { try P256Point(([4] + [UInt8](repeating: 7, count: 64)).span) }

    func isValid(signature: Span<UInt8>, for message: Span<UInt8>) -> Bool {
        signature.count == 1 && signature[0] == ShortKey.sign(message)
    }

    static func sign(_ message: Span<UInt8>) -> UInt8 { certain { try SHA256.hash(message) }[0] }
}

private struct OrdersRig {
    private static let device = "7761307931597753"
    private static let begin: Int64 = 1_800_000_000
    private static let key = certain { try CommandKey(ShortKey()) }

    private var orders = OrdersRig.started(nil)
    private var now: Int64? = OrdersRig.begin
    private var latest: Int64 = OrdersRig.begin
    /// The setting on the disk, and writes that are under way, in order.
    private var disk: [UInt8]?
    private var writes: [(ticket: UInt64, octets: [UInt8])] = []
    private var acting: [UInt64] = []
    private var taken: [UInt64: RemoteOrder] = [:]
    private var acted: Set<[UInt8]> = []
    private var lastCounter: UInt64?

    private static func started(_ kept: [UInt8]?) -> RemoteOrders {
        var orders = RemoteOrders(device: device, keys: [key])
        orders.restore(kept)
        return orders
    }

    private var moment: Moment { Moment(instant: .origin, epochSeconds: now, latestSeconds: now.map { _ in latest }) }

    /// An order whose parts are near those that are taken; its last octet decides on the signature.
    func order(_ input: inout FuzzInput) -> [UInt8] {
        let begin = UInt64(OrdersRig.begin + Int64(input.octet()))
        let commands = RemoteCommand.allCases.map(\.rawValue) + ["none"]
        let order = RemoteOrder(
            reader: OrdersRig.device, key: OrdersRig.key.id,
            id: [UInt8](repeating: input.octet(), count: RemoteOrder.idCount), counter: UInt64(input.octet()),
            notBefore: begin, expires: begin + UInt64(input.octet()),
            command: commands[input.number(below: commands.count)])
        let body = certain { try order.body() }
        let signature = ShortKey.sign(RemoteOrder.Signed.signedOctets(body).span)
        return certain { try RemoteOrder.Signed.message(body, signature: [signature ^ (input.octet() == 1 ? 1 : 0)]) }
    }

    mutating func receive(_ octets: [UInt8], isRetained: Bool) {
        let step = orders.receive(
            octets, isRetained: isRetained, number: 1, permitted: RemoteCommand.allCases, zone: .utc, at: moment)
        guard case .keep(let ticket, _, let setting) = step else { return }
        guard let signed = try? RemoteOrder.Signed(octets),
            ShortKey().isValid(signature: signed.signature.span, for: signed.signedOctets.span)
        else { finding("an order without a signature is taken") }
        let order = signed.order
        let mustBeFresh = RemoteCommand(rawValue: order.command)?.mustBeFresh ?? true
        require(!(isRetained && mustBeFresh), "a retained order is taken that must not come late")
        let life = mustBeFresh ? RemoteCommand.freshSeconds : RemoteCommand.otherSeconds
        require(order.expires - order.notBefore <= life, "an order is taken that lives too long")
        require(now.map { UInt64($0) >= order.notBefore } == true, "an order is taken early, or without a clock")
        taken[ticket] = order
        writes.append((ticket, setting))
        require(OrdersRig.started(setting).octets == setting, "what is kept is another when read again")
    }

    /// The oldest write ends.
    mutating func keep(isKept: Bool) {
        guard !writes.isEmpty else { return }
        let (ticket, octets) = writes.removeFirst()
        if isKept { disk = octets }
        guard case .act(let act)? = orders.kept(ticket, isKept, at: moment), let order = taken[ticket] else { return }
        require(isKept, "an order is carried out that is not on the disk")
        require(acted.insert(order.id).inserted, "an order is carried out twice")
        require(lastCounter.map { order.counter > $0 } ?? true, "an order is carried out after a later one")
        require(now.map { max($0, latest) <= Int64(order.expires) } == true, "an order is carried out late")
        require(act.command.rawValue == order.command, "another command is carried out")
        lastCounter = order.counter
        acting.append(ticket)
    }

    mutating func act(_ refusal: RemoteAnswer.Reason?) {
        guard !acting.isEmpty else { return }
        require(orders.acted(acting.removeFirst(), refusal) != nil, "an order that was carried out has no answer")
        if writes.isEmpty { disk = orders.octets }
    }

    /// Moves the clock by so many seconds; by none, unsets it.
    mutating func move(_ seconds: Int64) {
        now = seconds == 0 ? nil : (now ?? OrdersRig.begin) + seconds
        latest = max(latest, now ?? latest)
    }

    mutating func cutPower() {
        orders = OrdersRig.started(disk)
        (writes, acting, taken) = ([], [], [:])
    }
}
