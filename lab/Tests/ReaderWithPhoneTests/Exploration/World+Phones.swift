// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Peripheral
import TestSupport
import Timekeeping

@testable import Reader
@testable import ReaderTestSupport

/// Phones over Bluetooth LE, and phones that touch the reader's card.
extension World {
    func connect(_ slot: Int, set: UInt8 = 0) throws {
        generation += 1
        let id = LinkID(slot: slot, generation: generation)
        links[slot] = id
        reader.receive(
            .connected(
                id,
                LinkDescription(
                    peer: .randomStatic(from: 100 + UInt64(slot)), advertisingSet: set, interval: .milliseconds(25))),
            port: &port, random: &random, at: moment)
        try settle()
    }

    func show(_ card: Card, _ slot: Int) throws {
        if links[slot] == nil { try connect(slot) }
        guard let id = links[slot], let exchange = wallet.exchanges[card] else { return }
        random = CountingRandom()
        port.notified = []
        for frame in exchange.handshake { write(frame, id) }
        guard port.notified.count == 1 else { throw Violation(.answeredOnce, "the handshake has no answer") }
        port.notified = []
        for frame in exchange.request { write(frame, id) }
        try judgeRequests(of: .token, "\(card)", objection(to: card))
        if reader.links.link(id)?.session.isExecuting ?? false || !port.notified.isEmpty { judge.owed[id] = now }
        if flaw == .grantForgotten { reader.ledger.entries.removeAll { $0.opening != nil } }
        try settle()
    }

    private func objection(to card: Card) -> String? {
        card.opens ? judge.objection(to: card, shown: shown) : "it asks for something else"
    }

    /// Looks at the openings that a credential has caused.
    private func judgeRequests(of holder: Judge.Holder, _ name: String, _ objection: String?) throws {
        for request in reader.openRequests where judge.grants[request.token] == nil {
            if let objection { throw Violation(.onlyWhoMay, "\(name) is to be let in: \(objection)") }
            judge.grants[request.token] = Judge.Grant(event: request.event, holder: holder)
        }
    }

    private static let selection = octets("00A4040009F0726561646572640100")

    /// A phone touches the reader, which plays the card.
    func tap(_ card: Card) throws {
        guard let exchange = wallet.exchanges[card] else { return }
        random = CountingRandom()
        transmit(World.selection)
        for message in [exchange.handshake, exchange.request] {
            let octets = Array(message.joined())
            for start in stride(from: 0, to: octets.count, by: 240) {
                let part = octets[start..<min(start + 240, octets.count)]
                let isLast = part.endIndex == octets.count
                transmit([isLast ? 0x80 : 0x90, 0x10, 0, 0, UInt8(part.count)] + part + (isLast ? [0] : []))
            }
            while reader.contactlessResponse.suffix(2).first == 0x61 { transmit(TestSupport.octets("00C0000000")) }
        }
        try judgeRequests(of: .token, "\(card) over NFC", objection(to: card))
        reader.contactlessReset()
    }

    private func transmit(_ command: [UInt8]) {
        reader.receive(command: command.span, port: &port, random: &random, at: moment)
    }

    /// A phone of another service connects, and answers the reader's first message.
    func link(_ badge: Badge) throws {
        try connect(0, set: 1)
        guard let id = links[0], let (written, subscribed) = table.handles(of: .pkoc), let notified = subscribed,
            let model = badges[badge] as? PKOCBadge
        else { return }
        func receive(_ event: HostEvent) { reader.receive(event, port: &port, random: &random, at: moment) }
        for _ in 0..<3 { receive(.rssi(id, .value(-45))) }
        port.notified = []
        receive(.subscribed(id, notified, .notification))
        guard let hello = port.notified.first?.2 else { return }
        port.notified = []
        port.eventOctets = try model.credential(hello)
        judge.owed[id] = now
        receive(.written(id, written, value: 0..<port.eventOctets.count))
        let objection = judge.objection(to: badge, shown: shown, isLockedOut: isLockedOut)
        try judgeRequests(of: .badge(badge), "the \(badge.nature) phone of PKOC", objection)
    }

    func write(_ frame: [UInt8], _ id: LinkID) {
        port.eventOctets = frame
        reader.receive(
            .written(id, table.services[0].rx, value: 0..<frame.count), port: &port, random: &random, at: moment)
    }

    func end(_ slot: Int) throws {
        guard let id = links[slot] else { return }
        links[slot] = nil
        judge.owed[id] = nil
        if flaw == .slotKept { return }
        reader.receive(
            .disconnected(id, reason: .remoteUserTerminated), port: &port, random: &random, at: moment)
    }
}
