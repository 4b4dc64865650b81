// SPDX-License-Identifier: Apache-2.0

public import Commands
import Fleet
import Glibc
import MQTT
import Timekeeping

/// The program around an order: publishes it, and waits for the reader's answer.
public final class FleetOrderProgram {
    /// An order, and its octets.
    public typealias SignedOrder = (order: FleetOrder, message: [UInt8])

    /// The pause before the same order is sent again. A reader executes it once.
    private static let resendPause = Duration.seconds(3)

    private let sign: (FleetSigner) throws(CommandError) -> SignedOrder
    private let wait: Int
    private let json: Bool
    private let signer: FleetSigner
    private let exchange: FleetExchange
    private var signed: SignedOrder?
    private var outcome: FleetOrder.Outcome?

    /// - Parameter wait: the time to wait for the answer, in seconds.
    /// - Parameter sign: signs the order when it is sent, because its validity begins then.
    public init(
        _ access: FleetAccess, _ signer: FleetSigner, wait: Int, json: Bool,
        sign: @escaping (FleetSigner) throws(CommandError) -> SignedOrder
    ) throws(CommandError) {
        (self.signer, self.wait, self.json, self.sign) = (signer, wait, json, sign)
        exchange = try FleetExchange(access, FleetTopics(device: signer.device))
    }

    /// Runs until the outcome. Returns the exit code.
    public func run() throws(CommandError) -> Int32 {
        try exchange.run(seconds: wait) { [weak self] in self?.receive($0) }
        guard let signed, let outcome else { throw .failed("ended without an outcome") }
        ConsoleOutput.write(
            json ? signed.order.json(outcome) : signed.order.line(outcome), to: STDOUT_FILENO)
        return FleetOrder.code(outcome)
    }

    private func receive(_ event: FleetExchange.Event) {
        switch event {
        case .ready: begin()
        case .published(_, .noSubscriber):
            end(.undelivered("the reader's link is not connected to the broker"))
        case .published(_, let reason) where reason.isFailure:
            end(.undelivered("the broker refuses it (\(reason)); correct its ACL for down/cmd"))
        case .published: break
        case .received(let payload): receive(payload)
        case .over: end(.unanswered(seconds: wait))
        }
    }

    private func begin() {
        do throws(CommandError) { signed = try sign(signer) } catch { return exchange.end(error) }
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
            ConsoleOutput.write("readerlab fleet command: \(error.text)", to: STDERR_FILENO)
        }
    }

    private func end(_ outcome: FleetOrder.Outcome) {
        self.outcome = outcome
        exchange.end()
    }
}
