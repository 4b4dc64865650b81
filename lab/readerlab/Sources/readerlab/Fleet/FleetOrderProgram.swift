// SPDX-License-Identifier: Apache-2.0

import Fleet
import Glibc
import MQTT
import Timekeeping

/// The program around an order: publishes it, and waits for the reader's answer.
final class FleetOrderProgram {
    /// The pause before the same order is sent again: a reader takes it once.
    private static let resendPause = Duration.seconds(3)

    private let command: FleetOrderCommand
    private let signer: FleetSigner
    private let exchange: FleetExchange
    private var signed: (order: FleetOrder, message: [UInt8])?
    private var outcome: FleetOrder.Outcome?

    init(_ command: FleetOrderCommand, _ signer: FleetSigner) throws(CommandError) {
        (self.command, self.signer) = (command, signer)
        exchange = try FleetExchange(command.desk, FleetTopics(device: signer.device))
    }

    /// Runs until the outcome. Returns the exit code.
    func run() throws(CommandError) -> Int32 {
        try exchange.run(seconds: command.wait) { [weak self] in self?.take($0) }
        guard let signed, let outcome else { throw .failed("ended without an outcome") }
        EmulationOutput.write(
            command.desk.json ? signed.order.json(outcome) : signed.order.line(outcome), to: STDOUT_FILENO)
        return FleetOrder.code(outcome)
    }

    private func take(_ event: FleetExchange.Event) {
        switch event {
        case .ready: begin()
        case .published(_, .noSubscriber):
            end(.undelivered("the reader's link is not connected to the broker"))
        case .published(_, let reason) where reason.isFailure:
            end(.undelivered("the broker refuses it (\(reason)); correct its ACL for down/cmd"))
        case .published: break
        case .received(let payload): receive(payload)
        case .over: end(.unanswered(seconds: command.wait))
        }
    }

    private func begin() {
        do throws(CommandError) { signed = try command.sign(by: signer) } catch { return exchange.end(error) }
        exchange.underWay = "the order may still be carried out"
        send()
    }

    private func send() {
        guard let signed else { return }
        _ = exchange.publish(
            signed.message, topic: exchange.topics.command, isRetained: false, correlation: signed.order.order.id)
        exchange.schedule(after: FleetOrderProgram.resendPause) { [weak self] in self?.send() }
    }

    private func receive(_ payload: [UInt8]) {
        guard let order = signed?.order else { return }
        do throws(CommandError) {
            guard let answer = try order.answer(in: payload, key: signer.reader.key) else { return }
            end(.answered(answer))
        } catch {
            EmulationOutput.write("readerlab fleet command: \(error.text)", to: STDERR_FILENO)
        }
    }

    private func end(_ outcome: FleetOrder.Outcome) {
        self.outcome = outcome
        exchange.end()
    }
}
