// SPDX-License-Identifier: Apache-2.0

import CBOR
import Crypto
import Fleet
import Reader
import Timekeeping

@testable import Remote

/// Orders of a back end with two keys, and a reader that verifies them, on a clock of the test's.
struct RemoteBench {
    /// The second in which every test begins, since 1970.
    static let begin: Int64 = 1_800_000_000
    static let device = "7761307931597753"

    let current: P256PrivateKey
    let former: P256PrivateKey
    let keys: [CommandKey]
    var orders: RemoteOrders
    /// Seconds since 1970; nil for a clock that is not set.
    var now: Int64? = RemoteBench.begin
    /// The latest time that the clock has shown.
    var latest: Int64?
    var permitted = RemoteCommand.allCases
    private var number: UInt64 = 0

    init() throws {
        (current, former) = (try P256PrivateKey.generate(), try P256PrivateKey.generate())
        keys = [
            try CommandKey(current.publicKey),
            try CommandKey(former.publicKey, until: CivilTime(epochSeconds: RemoteBench.begin + 59)),
        ]
        orders = RemoteOrders(device: RemoteBench.device, keys: keys)
        orders.restore(nil)
    }

    var moment: Moment { Moment(instant: .origin, epochSeconds: now, latestSeconds: latest) }

    /// An order of the current key for 30 s, with this octet as its identifier.
    func order(
        _ octet: UInt8 = 1, counter: UInt64 = 1, _ command: String = "pulse",
        change: (inout RemoteOrder) -> Void = { _ in }
    ) -> RemoteOrder {
        let begin = UInt64(RemoteBench.begin)
        var order = RemoteOrder(
            reader: RemoteBench.device, key: keys[0].id, id: [UInt8](repeating: octet, count: RemoteOrder.idCount),
            counter: counter, notBefore: begin, expires: begin + 30, command: command)
        change(&order)
        return order
    }

    /// The message of an order.
    func message(_ order: RemoteOrder, by key: P256PrivateKey? = nil) throws -> [UInt8] {
        let body = try order.body()
        var signature: [UInt8] = []
        let octets = RemoteOrder.Signed.signedOctets(body)
        try (key ?? current).sign(octets.span, into: &signature)
        return try RemoteOrder.Signed.message(body, signature: signature)
    }

    mutating func receive(_ octets: [UInt8], isRetained: Bool = false) -> RemoteOrders.Step {
        number += 1
        return orders.receive(
            octets, isRetained: isRetained, number: number, permitted: permitted, zone: .utc, at: moment)
    }

    mutating func receive(
        _ order: RemoteOrder, by key: P256PrivateKey? = nil, isRetained: Bool = false
    ) throws -> RemoteOrders.Step {
        receive(try message(order, by: key), isRetained: isRetained)
    }

    /// The reason for which an order is refused at once; nil if it is not.
    mutating func refusal(
        _ order: RemoteOrder, by key: P256PrivateKey? = nil, isRetained: Bool = false
    ) throws -> RemoteAnswer.Reason? {
        guard case .answer(let answer) = try receive(order, by: key, isRetained: isRetained) else { return nil }
        return answer.reason
    }

    /// Has an order kept and carried out; the octets that are on the disk before the door acts.
    mutating func perform(_ order: RemoteOrder) throws -> [UInt8]? {
        guard case .keep(let ticket, _, let octets) = try receive(order) else { return nil }
        guard case .act = orders.kept(ticket, true, at: moment) else { return nil }
        _ = orders.acted(ticket, nil)
        return octets
    }
}
