// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Crypto
import Peripheral
import Proximity
import Timekeeping

/// The Bluetooth LE transport: the host's events in, frames and the end of links out.
extension AccessReader {
    mutating func connected<Port: ReaderPort & ~Copyable>(
        _ id: LinkID, _ description: LinkDescription, port: inout Port, at now: Instant
    ) {
        let mode = configuration.mode(ofSet: description.advertisingSet)?.mode
        report(.connected(id, mode, peer: description.peer))
        let parameters = configuration.gate(forSet: description.advertisingSet)
        let gate = parameters.map {
            ProximityGate(configuration: $0, connectionInterval: description.interval, at: now)
        }
        let surveyEnd = surveyEnd(at: now)
        let limitsPathLoss = parameters?.maximumPathLoss != nil && surveyEnd == nil
        let refusal = links.refusal(
            of: description.peer, gated: gate != nil || surveyEnd != nil, limitsPathLoss: limitsPathLoss, at: now)
        let link = RadioLink(
            id, peer: description.peer, mode: mode, gate: gate, limitsPathLoss: limitsPathLoss,
            times: configuration.linkTimes, at: now)
        if surveyEnd != nil || tracesRSSI {
            link.readings = ReadingSchedule(
                interval: (parameters ?? .init()).interval, connectionInterval: description.interval, at: now)
        }
        if let surveyEnd {
            link.state = .surveyed(idle: min(surveyEnd, now + AccessReader.surveyedTime))
            // It makes no room: it ends soon enough.
            link.yieldsAt = link.ends
        }
        links.add(link, refusal, port: &port, at: now, into: &effects)
        if link.wantsTransmitPower { port.readTransmitPower(id, at: now) }
    }

    /// Serves no phone: nothing is advertised, and a phone that touches the reader is refused. To be called before the
    /// first one.
    public mutating func refusePhones() { links.refusePhones() }

    /// True if no phone is served, or each is answered by −21.
    public var refusesPhones: Bool { links.isClosed || policy.isUnknown }

    mutating func measured<Port: ReaderPort & ~Copyable>(
        _ id: LinkID, _ reading: RSSIReading, port: inout Port, random: inout some RandomSource, at moment: Moment
    ) {
        if links.rssi.receive(reading) { report(.rssiUsable) }
        guard let link = links.link(id), !link.state.isClosing, case .value(let dBm) = reading else { return }
        link.hasReading = true
        guard !link.state.isOver(at: moment.instant) else {
            return links.advance(link, to: moment.instant, port: &port, into: &effects)
        }
        let evidence = DistanceEvidence.rssi(dBm: dBm, transmitPower: link.transmitPower)
        if link.state.isVerifying {
            report(.measured(id, dBm: dBm, pathLoss: evidence.pathLoss))
        } else if link.readings != nil {
            report(.traced(id, dBm: dBm))
        }
        switch link.state.receive(evidence, at: moment.instant) {
        case .open(let median):
            link.median = median
            report(.near(id, median: median))
            beginExchange(on: link, port: &port, random: &random, at: moment)
            for frame in link.held.takeAll() {
                if link.exchanged == nil {
                    receive(frame: frame.span, link, port: &port, random: &random, at: moment)
                } else {
                    exchanged(frame.span, link, port: &port, at: moment)
                }
            }
        case .refuse(let refusal): links.refuse(link, refusal, port: &port, at: moment.instant, into: &effects)
        case .wait, .sample: break
        }
    }

    mutating func written<Port: ReaderPort & ~Copyable>(
        _ id: LinkID, _ handle: AttributeHandle, _ frame: Span<UInt8>, port: inout Port,
        random: inout some RandomSource, at moment: Moment
    ) {
        guard let link = links.link(id), !link.state.isClosing else { return }
        guard !link.state.isOver(at: moment.instant) else {
            return links.advance(link, to: moment.instant, port: &port, into: &effects)
        }
        if let other = table.link(writing: handle) { return written(frame, to: other, link, port: &port, at: moment) }
        // The gate of another service's mode may be wider than that of the access profile.
        guard let service = table.service(rx: handle), link.mode?.isOfAccessProfile ?? true, link.exchanged == nil
        else { return }
        // All frames of an answer go to one characteristic.
        if !link.isAnswering { link.answerOn = service.tx }
        if link.state.isServed {
            receive(frame: frame, link, port: &port, random: &random, at: moment)
        } else if !link.held.append(frame) {
            links.refuse(link, .earlyDataExceeded, port: &port, at: moment.instant, into: &effects)
        }
    }

    private mutating func receive<Port: ReaderPort & ~Copyable>(
        frame: Span<UInt8>, _ link: RadioLink, port: inout Port, random: inout some RandomSource, at moment: Moment
    ) {
        guard link.state.isServed else { return }
        defer { links.limitLinks(ofCredentialOn: link, port: &port, at: moment.instant, into: &effects) }
        // One message at a time: a frame before the answer has been sent as a whole is dropped.
        guard !link.isBusy, !link.isAnswering else {
            return report(.messageRefused(link.id, .unavailable, told: false))
        }
        switch link.assembler.receive(frame) {
        case .incomplete, .dropped: break
        case .tooLong:
            rejectTooLong(from: link)
            sendAnswers(port: &port, at: moment.instant)
        case .rejected(let status): reject(status, from: link)
        case .message(let status):
            receive(status, link.assembler.payload.span, from: link, random: &random, at: moment)
            link.assembler.reset()
            sendAnswers(port: &port, at: moment.instant)
        }
    }

    /// Sends the new answers over Bluetooth LE and NFC.
    mutating func sendAnswers<Port: ReaderPort & ~Copyable>(port: inout Port, at now: Instant) {
        while let id = nextAnswer(of: .bluetooth)?.id.link { writable(id, port: &port, at: now) }
        sendContactlessAnswers(at: now)
    }

    /// Sends the rest of the answer on a link.
    mutating func writable<Port: ReaderPort & ~Copyable>(_ id: LinkID, port: inout Port, at now: Instant) {
        guard let link = links.link(id) else { return }
        switch link.send(port: &port, at: now) {
        case .busy: return
        case .accepted: break
        case .notSubscribed, .gone, .tooLong: report(.unanswerable(id))
        }
        links.answerLeft(link, at: now)
    }
}
