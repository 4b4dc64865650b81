// SPDX-License-Identifier: Apache-2.0

import Fleet
import MQTT
import System
import Timekeeping

/// The back end of a bench: receives the events of all readers, and publishes the marks.
final class FleetBenchBackEnd {
    private static let spread = Duration.seconds(1)

    private let broker: Broker
    private let reactor: Reactor
    private let stored: (String, UInt64) -> Void
    private var identity: TLSIdentity?
    private var connection: MQTTConnection?
    private var reconnection = Reconnection(spread: spread)
    private var random = SystemRandomNumberGenerator()

    /// A back end that calls `stored` with a reader and the number of its last stored event.
    init(_ broker: Broker, _ reactor: Reactor, stored: @escaping (String, UInt64) -> Void) throws(ProgramFailure) {
        (self.broker, self.reactor, self.stored) = (broker, reactor, stored)
        identity = try TLSIdentity(broker)
    }

    /// Connects.
    func start() {
        reconnection.begin(at: reactor.now)
        let made = MQTTConnection(broker, identity, client: "readerd-bench", will: nil, reactor) {
            [weak self] in self?.receive($0)
        }
        connection = made
        made.start()
    }

    /// Ends the connection.
    func end() { connection?.close() }

    private func receive(_ event: MQTTConnection.Event) {
        switch event {
        case .connected:
            reconnection.connect(at: reactor.now)
            connection?.subscribe(FleetTopics.allEvents)
        case .received(let message): receive(message.payload, message.topic)
        case .failed: retry()
        case .subscribed, .published: break
        }
    }

    private func receive(_ payload: [UInt8], _ topic: String) {
        guard let device = FleetTopics.device(of: topic), let batch = try? EventBatch.Signed(payload).batch else {
            return
        }
        stored(device, batch.last)
        let mark = DeliveryMark(log: batch.log, upTo: batch.last)
        _ = connection?.publish(mark.text, topic: FleetTopics(device: device).mark, isRetained: true)
    }

    private func retry() {
        connection = nil
        let next = reconnection.fail(at: reactor.now, random: &random)
        reactor.schedule(at: next) { [weak self] in self?.start() }
    }
}
