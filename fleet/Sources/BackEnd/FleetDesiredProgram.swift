// SPDX-License-Identifier: Apache-2.0

public import Commands
import Fleet
import Glibc
import MQTT
import Timekeeping

/// The program around a desired state: publishes its chunks and then the order as retained messages, and asks until
/// the reader has applied it.
public final class FleetDesiredProgram {
    /// The pause before the same order is sent again, which requests the current progress.
    private static let pause = Duration.seconds(2)

    private let wait: Int
    private let days: UInt64
    private let json: Bool
    private let signer: FleetSigner
    private let chunks: [[UInt8]]
    private let exchange: FleetExchange
    private var sent: (desired: FleetDesired, message: [UInt8])?
    /// The chunks that the broker has not acknowledged.
    private var waiting: Set<UInt16> = []
    private var last: RemoteAnswer?
    private var outcome: FleetDesired.Outcome?

    /// - Parameter wait: the time to wait for the reader, in seconds.
    /// - Parameter days: the days in which the reader may apply the state.
    public init(
        _ access: FleetAccess, _ signer: FleetSigner, _ chunks: [[UInt8]], wait: Int, days: UInt64, json: Bool
    ) throws(CommandError) {
        (self.signer, self.chunks) = (signer, chunks)
        (self.wait, self.days, self.json) = (wait, days, json)
        exchange = try FleetExchange(access, FleetTopics(device: signer.device))
    }

    /// Runs until the outcome. Returns the exit code.
    public func run() throws(CommandError) -> Int32 {
        try exchange.run(seconds: wait) { [weak self] in self?.receive($0) }
        guard let sent, let outcome else { throw .failed("ended without an outcome") }
        ConsoleOutput.write(
            json
                ? sent.desired.json(outcome, seconds: wait) : sent.desired.line(outcome, seconds: wait),
            to: STDOUT_FILENO)
        return FleetDesired.code(outcome)
    }

    private func receive(_ event: FleetExchange.Event) {
        switch event {
        case .ready: begin()
        case .published(_, let reason) where reason.isFailure:
            end(.refused("the broker refuses it (\(reason)); correct its ACL for down/desired and down/desired/+"))
        case .published(let message, _):
            // The order is sent last, so that the reader does not request chunks that the broker lacks.
            if waiting.remove(message) != nil, waiting.isEmpty { ask() }
        case .received(let payload): receive(payload)
        case .over: end(.open(last))
        }
    }

    private func begin() {
        do throws(CommandError) {
            let desired = try FleetDesired(
                chunks, to: signer.device, name: signer.reader.name, key: signer.key.id, try signer.stamp(),
                days: days)
            sent = (desired, try signer.key.message(desired.order))
        } catch {
            return exchange.end(error)
        }
        exchange.underWay = "the reader may still take the state"
        report("\(signer.reader.name): \(chunks.count) chunks to the broker")
        for index in 0..<FleetLimits.chunksPerState {
            // An empty message removes a chunk of a longer state.
            let octets = index < chunks.count ? chunks[index] : []
            guard
                let message = exchange.publish(octets, topic: exchange.topics.desiredChunk(index), isRetained: true)
            else { return }
            waiting.insert(message)
        }
    }

    private func ask() {
        guard let sent else { return }
        _ = exchange.publish(
            sent.message, topic: exchange.topics.desired, isRetained: true, correlation: sent.desired.order.id)
        exchange.schedule(after: FleetDesiredProgram.pause) { [weak self] in self?.ask() }
    }

    private func receive(_ payload: [UInt8]) {
        guard let desired = sent?.desired else { return }
        do throws(CommandError) {
            guard
                let answer = try RemoteAnswer.verified(
                    payload, to: desired.order, of: desired.reader, key: signer.reader.key)
            else { return }
            guard answer.result == .pending else { return end(.answered(answer)) }
            if answer != last {
                report("\(desired.reader): \(answer.missing ?? 0) of \(chunks.count) chunks are missing")
            }
            last = answer
        } catch {
            report("readerlab fleet desired: \(error.text)")
        }
    }

    /// Writes progress to standard error, since it is not a result.
    private func report(_ text: String) { ConsoleOutput.write(text, to: STDERR_FILENO) }

    private func end(_ outcome: FleetDesired.Outcome) {
        self.outcome = outcome
        exchange.end()
    }
}
