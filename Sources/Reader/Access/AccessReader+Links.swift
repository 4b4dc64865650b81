import Crypto
import Peripheral
import Timekeeping

/// From the host's events to the pool of links.
extension AccessReader {
    mutating func connected<Port: PeripheralPort & ~Copyable>(
        _ id: LinkID, _ description: LinkDescription, port: inout Port, at now: Instant
    ) {
        let mode = configuration.mode(ofSet: description.advertisingSet)?.mode
        tell(.connected(id, mode, peer: description.peer))
        let gate = configuration.gate(forSet: description.advertisingSet)
            .map { ProximityGate(configuration: $0, connectionInterval: description.interval, at: now) }
        let refusal = links.refusal(of: description.peer, gated: gate != nil, at: now)
        let link = AccessLink(
            id: .link(id), peer: description.peer, mode: mode, gate: gate, times: configuration.linkTimes, at: now)
        links.add(link, in: id.slot, refusal, port: &port, at: now, into: &effects)
    }

    mutating func measured<Port: PeripheralPort & ~Copyable>(
        _ id: LinkID, _ reading: RSSIReading, port: inout Port, random: inout some RandomSource, at moment: Moment
    ) {
        guard let link = links.link(id), !link.life.isClosing, case .value(let dBm) = reading else { return }
        if !link.life.isServed { tell(.measured(id, dBm: dBm)) }
        switch link.life.receive(.rssi(dBm: dBm), at: moment.instant) {
        case .open(let median):
            link.median = median
            tell(.near(id, median: median))
            for frame in link.held.takeAll() {
                receive(frame: frame.span, link, port: &port, random: &random, at: moment)
            }
        case .refuse(let refusal): links.refuse(link, refusal, port: &port, at: moment.instant, into: &effects)
        case .wait, .sample: break
        }
    }
}
