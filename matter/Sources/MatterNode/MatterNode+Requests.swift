// SPDX-License-Identifier: Apache-2.0

import MatterInteraction
import MatterSession
import MatterTLV
import Timekeeping
import WiFi

/// The requests of the data model, and the outputs of the interaction model.
extension MatterNode {
    mutating func perform(_ request: ModelRequest, at now: Instant) {
        switch request {
        case .changed(let path): server.changed(path)
        case .record(let event):
            if server.record(event)?.mustPersist == true { model.isStateChanged = true }
        case .notice(let notice): effects.append(.notice(notice))
        case .bind(let session, let fabric):
            channel.setFabric(fabric, of: SessionID(rawValue: session))
            sessions[SessionID(rawValue: session)]?.fabric = fabric
        case .fabricsChanged: areFabricsStale = true
        case .endFabric(let index, let session):
            server.fabricRemoved(index, effects: &interactionEffects)
            endSessions(of: index, except: session, at: now)
            if let session, sessions[SessionID(rawValue: session)]?.fabric == index {
                leave(SessionID(rawValue: session), at: now)
            }
        case .endSessions(let index, let session):
            endSessions(of: index, except: session, at: now)
            if let session { leave(SessionID(rawValue: session), at: now) }
        case .endPASE(let session):
            for (id, accessor) in sessions where accessor.authentication == .pase {
                if id.rawValue == session { leave(id, at: now) } else { close(id, at: now) }
            }
        case .erase: server = InteractionServer(firstSubscription: model.random.number())
        case .scan(let name): effects.append(.scanWiFi(name))
        case .join(let join): effects.append(.joinWiFi(join))
        case .leave: effects.append(.leaveWiFi)
        case .actuate(let actuation): effects.append(.actuate(actuation))
        case .order(let order): effects.append(.order(order))
        case .openWindow(let request): effects.append(.openWindow(request))
        case .aliro(let request): effects.append(.aliro(request))
        case .recordPINs(let request): effects.append(.recordPINs(request))
        case .complete(let ticket, let outcome):
            if model.interposer?.delays(outcome, ticket, at: now) == true { return }
            server.complete(ticket, with: outcome, effects: &interactionEffects)
        }
    }

    private mutating func endSessions(of index: FabricIndex, except session: UInt16?, at now: Instant) {
        for id in channel.sessions(of: index) where id.rawValue != session { close(id, at: now) }
    }

    mutating func handle(_ output: InteractionEffect, at now: Instant) {
        switch output {
        case .send(let opcode, let payload, let exchange, let expectingReply):
            if storage.isPending {
                if !storage.hold(output) { channel.closeExchange(ExchangeID(rawValue: exchange)) }
                return
            }
            if reportExchanges.contains(exchange), opcode == MatterNode.reportData,
                model.interposer?.dropsReport() == true
            {
                return
            }
            if !expectingReply { reportExchanges.remove(exchange) }
            channel.send(
                MatterMessage(opcode: opcode, payload: payload), on: ExchangeID(rawValue: exchange),
                expectingReply: expectingReply, at: now, effects: &channelEffects)
        case .close(let exchange):
            reportExchanges.remove(exchange)
            channel.closeExchange(ExchangeID(rawValue: exchange))
        case .openReport(let session, let subscription):
            let exchange = channel.openExchange(on: SessionID(rawValue: session), at: now)?.rawValue
            if let exchange { reportExchanges.insert(exchange) }
            server.exchangeOpened(
                subscription, exchange: exchange, model: model, at: now, effects: &interactionEffects)
        case .sessionSuspect(let session): close(SessionID(rawValue: session), at: now)
        case .notice(let notice): handle(notice)
        }
    }

    private static let reportData: UInt8 = 5

    private mutating func handle(_ notice: InteractionNotice) {
        switch notice {
        case .rejected(let opcode, _, let status):
            model.notice(.refused("message \(opcode) with status \(status.rawValue)"))
        case .commandRefused(let path, let session, let status):
            guard let accessor = sessions[SessionID(rawValue: session)] else { break }
            model.notice(.command(path, accessor, .status(status)))
        case .subscribed(let subscription, let session, let interval):
            let fabric = sessions[SessionID(rawValue: session)]?.fabric ?? 0
            model.notice(.subscribed(fabric: fabric, subscription: subscription, maximumInterval: interval))
        case .unsubscribed(let subscription, _): model.notice(.unsubscribed(subscription: subscription))
        case .abandoned: model.notice(.refused("a transaction was abandoned"))
        }
    }
}
