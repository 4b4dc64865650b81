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
        at moment: Moment
    ) {
        guard let pkoc = table.pkoc, handle == pkoc.notified, configuration.contains(.notification),
            let link = links.link(id), link.exchanged == nil, link.mode == .pkoc || link.mode == nil,
            link.answerOn == nil
        else { return }
        link.exchanged = LinkExchange(.pkoc, notified: pkoc.notified)
        beginExchange(on: link, port: &port, at: moment)
    }

    /// Begins the transaction of a client that has subscribed, once its gate has opened. A link without a gate has no
    /// exchange: its client would open the door at any distance.
    mutating func beginExchange<Port: ReaderPort & ~Copyable>(
        on link: RadioLink, port: inout Port, at moment: Moment
    ) {
        guard link.state.isServed, link.median != nil, link.exchanged?.hasBegun == false else { return }
        // No certificate comes over Bluetooth LE, so trusted issuers cannot be asked for here.
        guard configuration.cards.pkocIssuers.isEmpty,
            var transaction = pkocLinkTransaction()
        else {
            return follow(.end(.refused(.unavailable), last: []), link, port: &port, at: moment)
        }
        let step = transaction.start()
        link.exchanged?.begin(transaction)
        follow(step, link, port: &port, at: moment)
    }

    /// Returns nil if there is no random key.
    private func pkocLinkTransaction() -> (any LinkTransaction)? {
        let cards = configuration.cards
        guard let whole = try? PKOCLinkTransaction(reader: cards.pkocReader, site: pkocSite) else { return nil }
        return cards.hasPKOCFragments ? PKOCFragmentedTransaction(whole) : whole
    }

    /// Handles a message of a client. Before its gate has opened, and while a message to it or the decision is awaited,
    /// it is dropped, as a frame of a phone is.
    mutating func exchanged<Port: ReaderPort & ~Copyable>(
        _ message: Span<UInt8>, _ link: RadioLink, port: inout Port, at moment: Moment
    ) {
        guard link.state.isServed, !link.isBusy, !link.isAnswering,
            let step = link.exchanged?.transaction?.receive(message)
        else { return report(.messageRefused(link.id, .unavailable, told: false)) }
        // Keys that the transaction has derived.
        defer { wipeStack() }
        link.hasWaited = false
        follow(step, link, port: &port, at: moment)
        links.limitLinks(ofCredentialOn: link, port: &port, at: moment.instant, into: &effects)
    }

    private mutating func follow<Port: ReaderPort & ~Copyable>(
        _ step: LinkStep, _ link: RadioLink, port: inout Port, at moment: Moment
    ) {
        switch step {
        case .send(let message):
            link.exchanged?.message = message
            writable(link.link, port: &port, at: moment.instant)
        case .wait: break
        case .decide(let evidence):
            decide(evidence, link, at: moment)
            if link.proven == nil { writable(link.link, port: &port, at: moment.instant) }
        case .end(let outcome, let last):
            if case .refused(let refusal) = outcome {
                report(refusal, link, link.exchanged?.kind, at: moment)
                link.exchange = refusal == .unavailable ? .failed : .denied
            }
            link.exchanged?.end(last: last)
            writable(link.link, port: &port, at: moment.instant)
        }
    }
}
