// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import CBOR
import Configuration
import Crypto
import Fleet
import Reader
import Remote
import Timekeeping

/// The desired state of a back end: orders and chunks in any order, altered, of several versions, with disks that fail
/// and power cuts. What is in force is always one signed state as a whole, and its version never falls.
func fuzzDesired(_ input: inout FuzzInput) {
    var rig = DesiredRig()
    while let step = input.next() {
        switch step % 8 {
        case 0: rig.receive(chunk: input.block(), index: Int(input.octet() % 50))
        case 1, 2: rig.order(version: UInt64(input.octet() % 8))
        case 3, 4: rig.chunk(version: UInt64(input.octet() % 8), index: Int(input.octet() % 3), to: Int(step >> 6))
        case 5: rig.keep(isKept: step & 8 == 0)
        case 6: rig.reconsider()
        default: rig.cutPower()
        }
    }
}

private struct DesiredRig {
    private static let device = "7761307931597753"
    private static let key = certain { try CommandKey(ShortKey()) }
    private static let moment = Moment(instant: .origin, epochSeconds: 1_800_000_000)

    private var orders = DesiredRig.started(nil)
    /// The setting on the disk, and the write that is under way.
    private var disk: [UInt8]?
    private var write: DesiredState.Complete?
    private var highest: UInt64 = 0

    private static func started(_ kept: [UInt8]?) -> RemoteOrders {
        var orders = RemoteOrders(device: device, keys: [key])
        orders.restore(nil)
        orders.desired.restore(kept)
        return orders
    }

    /// The chunks of a version: one to three, of which the last one of version 5 is no chunk.
    private static func chunks(_ version: UInt64) -> [[UInt8]] {
        (0...Int(version % 3)).map { index in
            version == 5 && index == 2
                ? [0x80]
                : certain {
                    try DesiredChunk(
                        blacklist: [DesiredChunk.Entry(credential: "V\(version)N\(index)", end: nil)],
                        settings: index == 0 ? ["door.pulse-s": .integer(Int64(version) + 1)] : nil
                    ).octets()
                }
        }
    }

    mutating func order(version: UInt64) {
        let digests = DesiredRig.chunks(version).map { chunk in
            let digest = certain { try SHA256.hash(chunk.span) }
            return digest.indices.map { digest[$0] }
        }
        let order = RemoteOrder(
            reader: DesiredRig.device, key: DesiredRig.key.id, id: [UInt8](repeating: 1, count: RemoteOrder.idCount),
            counter: version, notBefore: 1_800_000_000, expires: 1_800_000_001, command: DesiredManifest.command,
            arguments: DesiredManifest.arguments(digests: digests))
        let body = certain { try order.body() }
        let signature = ShortKey.sign(RemoteOrder.Signed.signedOctets(body).span)
        let message = certain { try RemoteOrder.Signed.message(body, signature: [signature]) }
        let step = orders.receive(
            message, isRetained: true, number: 1, permitted: [], settable: OwnedPart.allCases, zone: .utc,
            at: DesiredRig.moment)
        guard case .answer(let answer) = step else { finding("an order without an answer") }
        if answer.result == .done {
            require(version == highest && disk != nil, "a state is told to be in force that is not on the disk")
        }
        check()
    }

    mutating func chunk(version: UInt64, index: Int, to place: Int) {
        let chunks = DesiredRig.chunks(version)
        guard index < chunks.count else { return }
        receive(chunk: chunks[index], index: place == 0 ? index : place)
    }

    mutating func receive(chunk octets: [UInt8], index: Int) {
        let before = orders.desired.report
        let taken = orders.desired.receive(
            chunk: octets, index: index, settable: OwnedPart.allCases, list: Blacklist(capacity: 16),
            at: DesiredRig.moment)
        require(orders.desired.report.version == before.version, "a chunk changes what is in force")
        guard let taken else { return check() }
        require(write == nil, "two states are kept at once")
        require(taken.version > highest || disk == nil, "a version that does not rise is kept")
        let names = taken.blacklist?.map(\.credentialID.text) ?? []
        let expected = DesiredRig.chunks(taken.version).indices.map { "V\(taken.version)N\($0)" }
        require(names == expected, "a state of other chunks is kept")
        require(DesiredRig.started(taken.octets).desired.settings != nil, "what is kept cannot be read again")
        write = taken
        check()
    }

    mutating func keep(isKept: Bool) {
        guard let ended = write else { return }
        write = nil
        if isKept { (disk, highest) = (ended.octets, ended.version) }
        orders.desired.kept(ended.version, isKept)
        check()
    }

    mutating func reconsider() {
        orders.desired.reconsider()
        check()
    }

    mutating func cutPower() {
        orders = DesiredRig.started(disk)
        write = nil
        check()
    }

    private func check() {
        let report = orders.desired.report
        require(report.version == (disk == nil ? nil : highest), "another version is told than the disk has")
        if let pending = report.pending {
            require(pending.missing <= pending.chunks, "more chunks are missing than there are")
            require(disk == nil || pending.version > highest, "a lower version is under way")
        }
    }
}
