// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Credentials
import Crypto
import Peripheral
import Timekeeping

/// Clients of other services over Bluetooth LE. A proven identity is decided, recorded and carried out as that of a
/// card; slots, gate, time limits and back-off are those of phones of the access profile.
extension AccessReader {
    /// Handles a subscription. It begins an exchange on a link of the service's mode, or of an unknown one, whose gate
    /// is the strictest.
    mutating func subscribed<Port: ReaderPort & ~Copyable>(
        _ id: LinkID, _ handle: AttributeHandle, _ configuration: ClientConfiguration, port: inout Port,
        random: inout some RandomSource, at moment: Moment
    ) {
        guard let service = table.link(notifying: handle), configuration.contains(.notification),
            let link = links.link(id), canBegin(service, on: link)
        else { return }
        link.exchanged = LinkExchange(service)
        beginExchange(on: link, port: &port, random: &random, at: moment)
    }

    /// Handles the value that a client writes to another service: a message, or its version before it opens a channel.
    mutating func written<Port: ReaderPort & ~Copyable>(
        _ value: Span<UInt8>, to service: LinkService, _ link: RadioLink, port: inout Port, at moment: Moment
    ) {
        if service.notified != nil { return exchanged(value, link, port: &port, at: moment) }
        guard canBegin(service, on: link) else { return report(.messageRefused(link.id, .unavailable, told: false)) }
        guard service.kind.accepts(value) else {
            // The door does not signal it: the client may be anywhere.
            report(.cardRefused(link.id, service.kind.credential, .version))
            return links.dismiss(link, port: &port, at: moment.instant, into: &effects)
        }
        link.exchanged = LinkExchange(service)
    }

    /// True if the link may have an exchange of the service: one on each link, and none where a session has begun.
    private func canBegin(_ service: LinkService, on link: RadioLink) -> Bool {
        service.isServed(in: link.mode) && link.exchanged == nil && link.answerOn == nil && !link.state.isClosing
    }

    /// Handles a channel that a client has opened. Without an exchange that waits for it, it is closed.
    mutating func channelOpened<Port: ReaderPort & ~Copyable>(
        _ id: LinkID, _ channel: ChannelID, spsm: UInt16, port: inout Port, random: inout some RandomSource,
        at moment: Moment
    ) {
        guard let link = links.link(id), let service = table.link(spsm: spsm), let exchange = link.exchanged,
            exchange.service.kind == service.kind, exchange.channel == nil, !exchange.hasBegun
        else { return port.closeChannel(id, channel, at: moment.instant) }
        link.exchanged?.channel = channel
        beginExchange(on: link, port: &port, random: &random, at: moment)
    }

    /// Handles an SDU. Before the gate has opened it is held, within the limits of a phone's frames.
    mutating func channelReceived<Port: ReaderPort & ~Copyable>(
        _ id: LinkID, _ channel: ChannelID, _ unit: Span<UInt8>, port: inout Port, at moment: Moment
    ) {
        guard let link = links.link(id), link.exchanged?.channel == channel, !link.state.isClosing else { return }
        guard !link.state.isOver(at: moment.instant) else {
            return links.advance(link, to: moment.instant, port: &port, into: &effects)
        }
        if link.state.isServed {
            exchanged(unit, link, port: &port, at: moment)
        } else if !link.held.append(unit) {
            links.refuse(link, .earlyDataExceeded, port: &port, at: moment.instant, into: &effects)
        }
    }

    /// Handles the end of a channel: its client has left. A decision in progress is carried out: the person stands at
    /// the door.
    mutating func channelClosed(_ id: LinkID, _ channel: ChannelID, at moment: Moment) {
        guard let link = links.link(id), link.exchanged?.channel == channel else { return }
        link.exchanged?.end()
        // Its slot is of use to others.
        if link.proven == nil { link.state.shorten(to: moment.instant + configuration.linkTimes.pause) }
    }

    /// Begins the transaction of a client that is ready, once its gate has opened. A link without a gate has no
    /// exchange: its client would open the door at any distance.
    mutating func beginExchange<Port: ReaderPort & ~Copyable>(
        on link: RadioLink, port: inout Port, random: inout some RandomSource, at moment: Moment
    ) {
        guard link.state.isServed, link.median != nil, let exchange = link.exchanged, exchange.isReady else { return }
        followPolicy()
        let keys = LinkKeys(
            cards: configuration.cards, pkocSite: pkocSite, aliro: aliroDoor, zone: configuration.zone)
        guard var transaction = exchange.service.kind.transaction(keys, random: &random, at: moment) else {
            return follow(.end(.refused(.unavailable), last: []), link, port: &port, at: moment)
        }
        transaction.observe(moment.instant, isUnlocked: isUnlocked)
        let step = transaction.start()
        link.exchanged?.begin(transaction)
        follow(step, link, port: &port, at: moment)
    }

    /// Handles a message of a client. Before its gate has opened, and while a message to it or the decision is awaited,
    /// it is dropped, as a frame of a phone is.
    mutating func exchanged<Port: ReaderPort & ~Copyable>(
        _ message: Span<UInt8>, _ link: RadioLink, port: inout Port, at moment: Moment
    ) {
        guard link.state.isServed, !link.isBusy, !link.isAnswering, link.exchanged?.transaction != nil else {
            return report(.messageRefused(link.id, .unavailable, told: false))
        }
        link.exchanged?.transaction?.observe(moment.instant, isUnlocked: isUnlocked)
        guard let step = link.exchanged?.transaction?.receive(message) else { return }
        // Keys that the transaction has derived.
        defer { wipeStack() }
        // Revocations stand, whatever becomes of the phone that has brought them.
        if let changes = link.exchanged?.transaction?.takeEffects() { apply(changes) }
        link.hasWaited = false
        follow(step, link, port: &port, at: moment)
        links.limitLinks(ofCredentialOn: link, port: &port, at: moment.instant, into: &effects)
    }

    /// True if the door is unlocked; nil if a panel decides about it.
    var isUnlocked: Bool? { grantRoute == .panel ? nil : door.isUnlocked }

    /// Ends the exchanges whose clients have been silent for too long.
    mutating func expireExchanges<Port: ReaderPort & ~Copyable>(port: inout Port, at moment: Moment) {
        for case let link? in links.links where !link.state.isClosing {
            guard let deadline = link.exchanged?.transaction?.deadline, deadline <= moment.instant,
                let step = link.exchanged?.transaction?.expire()
            else { continue }
            follow(step, link, port: &port, at: moment)
        }
    }

    /// Keeps the link until the time that the transaction grants its client, and a moment longer for the last message.
    private func keep(_ link: RadioLink, at moment: Moment) {
        guard let deadline = link.exchanged?.transaction?.deadline else { return }
        link.state.extend(to: deadline + configuration.linkTimes.pause)
    }

    private mutating func follow<Port: ReaderPort & ~Copyable>(
        _ step: LinkStep, _ link: RadioLink, port: inout Port, at moment: Moment
    ) {
        switch step {
        case .send(let message):
            link.exchanged?.message = message
            keep(link, at: moment)
            writable(link.link, port: &port, at: moment.instant)
        case .wait: keep(link, at: moment)
        case .decide(let evidence):
            decide(evidence, link, at: moment)
            if link.proven == nil { writable(link.link, port: &port, at: moment.instant) }
        case .end(let outcome, let last):
            if case .refused(let refusal) = outcome {
                report(refusal, link, link.exchanged?.kind, at: moment)
                link.exchange = refusal == .unavailable ? .failed : .denied
            }
            link.exchanged?.end(last: last)
            // A client over a channel is disconnected, once its last message had time to leave.
            if case .refused = outcome, link.exchanged?.channel != nil {
                link.state.shorten(to: moment.instant + configuration.linkTimes.pause)
            }
            writable(link.link, port: &port, at: moment.instant)
        }
    }
}
