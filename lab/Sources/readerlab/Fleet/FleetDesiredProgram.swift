// SPDX-License-Identifier: Apache-2.0

import Fleet
import Glibc
import MQTT
import System
import Timekeeping

/// The program around a desired state: leaves its chunks and then the order at the broker, and asks until the reader
/// has it in force.
final class FleetDesiredProgram {
    /// The pause before the same order is sent again, which is a question for the state of things.
    private static let pause = Duration.seconds(2)
    /// The first reason code of a failure (MQTT 5, 2.4).
    private static let firstFailure = 0x80

    private let command: FleetDesiredCommand
    private let signer: FleetSigner
    private let chunks: [[UInt8]]
    private let broker: Broker
    private let reactor: Reactor
    private var connection: MQTTConnection?
    private var sent: (desired: FleetDesired, message: [UInt8])?
    /// The chunks that the broker has not acknowledged.
    private var waiting: Set<Int32> = []
    private var last: RemoteAnswer?
    private var outcome: FleetDesired.Outcome?
    private var failure: EmulationError?

    init(
        _ command: FleetDesiredCommand, _ signer: FleetSigner, _ chunks: [[UInt8]], _ broker: Broker
    ) throws(EmulationError) {
        (self.command, self.signer, self.chunks, self.broker) = (command, signer, chunks, broker)
        do throws(SystemError) {
            signal(SIGPIPE, SIG_IGN)
            reactor = try Reactor()
        } catch {
            throw EmulationError(code: 1, "\(error)")
        }
    }

    private var topics: FleetTopics { FleetTopics(device: signer.device) }

    /// Runs until the outcome. Returns the exit code.
    func run() throws(EmulationError) -> Int32 {
        do throws(ProgramFailure) {
            connection = try MQTTConnection(
                broker, try TLSIdentity(broker), identity: command.identity, will: nil, reactor
            ) { [weak self] in self?.take($0) }
        } catch {
            throw FleetCommand.misuse(error.description)
        }
        connection?.start()
        let limit = reactor.schedule(at: reactor.now + .seconds(command.wait)) { [weak self] in self?.timeOut() }
        do throws(SystemError) { try reactor.run() } catch { throw EmulationError(code: 1, "\(error)") }
        withExtendedLifetime(limit) {}
        connection?.close()
        if let failure { throw failure }
        guard let sent, let outcome else { throw EmulationError(code: 1, "ended without an outcome") }
        EmulationOutput.write(
            command.json
                ? sent.desired.json(outcome, seconds: command.wait) : sent.desired.line(outcome, seconds: command.wait),
            to: STDOUT_FILENO)
        return FleetDesired.code(outcome)
    }

    private func take(_ event: MQTTConnection.Event) {
        switch event {
        case .connected: connection?.subscribe(topics.answers)
        case .subscribed(let reason) where reason >= FleetDesiredProgram.firstFailure:
            end("the broker refuses the subscription to answers (reason \(reason)), so nothing was sent; mend its ACL")
        case .subscribed: begin()
        case .published(_, let reason) where reason >= FleetDesiredProgram.firstFailure:
            end(.refused("the broker refuses it (reason \(reason)); mend its ACL for down/desired and down/desired/+"))
        case .published(let message, _):
            // The order is the last, so that a reader does not ask for chunks in vain.
            if waiting.remove(message) != nil, waiting.isEmpty { ask() }
        case .received(let payload, _, _, _): receive(payload)
        case .failed(_, let text):
            end(sent == nil ? "\(text); nothing was sent" : "\(text); the reader may still take the state")
        }
    }

    private func begin() {
        guard sent == nil else { return }
        do throws(EmulationError) {
            let desired = try FleetDesired(
                chunks, to: signer.device, name: signer.reader.name, key: signer.key.id, try signer.stamp(),
                days: command.valid)
            sent = (desired, try signer.key.message(desired.order))
        } catch {
            return end(error)
        }
        tell("\(signer.reader.name): \(chunks.count) chunks to the broker")
        for index in 0..<FleetLimits.chunksPerState {
            // An empty message removes a chunk of a longer state.
            let octets = index < chunks.count ? chunks[index] : []
            guard let message = connection?.publish(octets: octets, topic: topics.desiredChunk(index), isRetained: true)
            else { return }
            waiting.insert(message)
        }
    }

    private func ask() {
        guard let sent, outcome == nil, failure == nil else { return }
        _ = connection?.publish(
            octets: sent.message, topic: topics.desired, isRetained: true, correlation: sent.desired.order.id)
        reactor.schedule(at: reactor.now + FleetDesiredProgram.pause) { [weak self] in self?.ask() }
    }

    private func receive(_ payload: [UInt8]) {
        guard let desired = sent?.desired else { return }
        do throws(EmulationError) {
            guard
                let answer = try RemoteAnswer.verified(
                    payload, to: desired.order, of: desired.reader, key: signer.reader.key)
            else { return }
            guard answer.result == .pending else { return end(.answered(answer)) }
            if answer != last {
                tell("\(desired.reader): \(answer.missing ?? 0) of \(chunks.count) chunks are missing")
            }
            last = answer
        } catch {
            tell("readerlab fleet desired: \(error.text)")
        }
    }

    /// Progress is no result: it goes to the standard error.
    private func tell(_ text: String) { EmulationOutput.write(text, to: STDERR_FILENO) }

    private func timeOut() {
        guard sent != nil else { return end("\(broker): no answer within \(command.wait) s; nothing was sent") }
        end(.open(last))
    }

    private func end(_ outcome: FleetDesired.Outcome) {
        self.outcome = outcome
        reactor.stop()
    }

    private func end(_ text: String) { end(EmulationError(code: 1, text)) }

    private func end(_ error: EmulationError) {
        failure = error
        reactor.stop()
    }
}
