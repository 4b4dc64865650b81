// SPDX-License-Identifier: Apache-2.0

import Fleet
import Glibc
import MQTT
import System
import Timekeeping

/// The program around an order: connects, subscribes to the reader's answers, publishes, and waits.
final class FleetOrderProgram {
    /// The pause before the same order is sent again: a reader takes it once.
    private static let resendPause = Duration.seconds(3)
    /// The reason code of a broker that has no subscriber (MQTT 5, 3.4.2.1).
    private static let noSubscriber = 0x10

    private let command: FleetOrderCommand
    private let signer: FleetOrderSigner
    private let broker: Broker
    private let reactor: Reactor
    private var connection: MQTTConnection?
    private var signed: (order: FleetOrder, message: [UInt8])?
    private var outcome: FleetOrder.Outcome?
    private var failure: EmulationError?

    init(_ command: FleetOrderCommand, _ signer: FleetOrderSigner, _ broker: Broker) throws(EmulationError) {
        (self.command, self.signer, self.broker) = (command, signer, broker)
        do throws(SystemError) {
            signal(SIGPIPE, SIG_IGN)
            reactor = try Reactor()
        } catch {
            throw EmulationError(code: 1, "\(error)")
        }
    }

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
        guard let signed, let outcome else { throw EmulationError(code: 1, "ended without an outcome") }
        EmulationOutput.write(
            command.json ? signed.order.json(outcome) : signed.order.line(outcome), to: STDOUT_FILENO)
        return FleetOrder.code(outcome)
    }

    private func take(_ event: MQTTConnection.Event) {
        switch event {
        case .connected: connection?.subscribe(FleetTopics(device: signer.device).answers)
        case .subscribed(let reason) where reason >= 0x80:
            end("the broker refuses the subscription to answers (reason \(reason)), so nothing was sent; mend its ACL")
        case .subscribed: begin()
        case .published(_, FleetOrderProgram.noSubscriber):
            end(.undelivered("the reader's link is not connected to the broker"))
        case .published(_, let reason) where reason >= 0x80:
            end(.undelivered("the broker refuses it (reason \(reason)); mend its ACL for down/cmd"))
        case .published: break
        case .received(let payload, _, _, _): receive(payload)
        case .failed(_, let text):
            end(signed == nil ? "\(text); nothing was sent" : "\(text); the order may still be carried out")
        }
    }

    private func begin() {
        guard signed == nil else { return }
        do throws(EmulationError) { signed = try signer.sign() } catch { return end(error) }
        send()
    }

    private func send() {
        guard let signed, outcome == nil, failure == nil else { return }
        _ = connection?.publish(
            octets: signed.message, topic: FleetTopics(device: signer.device).command, isRetained: false,
            correlation: signed.order.order.id)
        reactor.schedule(at: reactor.now + FleetOrderProgram.resendPause) { [weak self] in self?.send() }
    }

    private func receive(_ payload: [UInt8]) {
        guard let order = signed?.order else { return }
        do throws(EmulationError) {
            guard let answer = try order.answer(in: payload, key: signer.reader.key) else { return }
            end(.answered(answer))
        } catch {
            EmulationOutput.write("readerlab fleet command: \(error.text)", to: STDERR_FILENO)
        }
    }

    private func timeOut() {
        guard signed != nil else { return end("\(broker): no answer within \(command.wait) s; nothing was sent") }
        end(.unanswered(seconds: command.wait))
    }

    private func end(_ outcome: FleetOrder.Outcome) {
        self.outcome = outcome
        reactor.stop()
    }

    private func end(_ text: String) { end(EmulationError(code: 1, text)) }

    private func end(_ error: EmulationError) {
        failure = error
        reactor.stop()
    }
}
