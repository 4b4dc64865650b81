// SPDX-License-Identifier: Apache-2.0

import CardPolling
import NFC

/// The link between the reader and its NFC front end: the chip's state, the command that awaits its response, and the
/// card that awaits an order.
///
/// On the reactor's thread; never blocks.
final class NFCService {
    /// The state of the chip.
    enum State: Equatable {
        /// The chip is being opened for the first time.
        case opening
        /// The chip listens or polls; with its name from libnfc.
        case ready(String)
        /// The chip failed, with the reason, and is opened again.
        case failed(String)

        /// The state in one word, for programs.
        var name: String {
            switch self {
            case .opening: "opening"
            case .ready: "ready"
            case .failed: "failed"
            }
        }
    }

    /// A change of the state to report.
    enum Change: Equatable {
        /// The chip is available, or available again.
        case ready(String, isBack: Bool)
        /// The chip failed; reported once until it is available again.
        case failed(String)
    }

    /// libnfc's connection string.
    let connection: String
    let role: NFCRole
    private let frontEnd: NFCFrontEnd
    private(set) var state = State.opening
    /// The number of failures, including repeated attempts.
    private(set) var failures: UInt64 = 0
    /// The number of activations by phones.
    private(set) var activations: UInt64 = 0
    /// The number of commands from phones.
    private(set) var commands: UInt64 = 0
    /// Cards that were not served, by reason.
    private(set) var rejections: [CardRejection: UInt64] = [:]
    private var hasFailed = false
    /// The number of the command that awaits its response.
    private var awaited: UInt64?
    /// The number of the order that a card awaits.
    private var awaitedOrder: UInt64?
    private var events: [NFCFrontEndEvent] = []

    init(connection: String, settings: PollSettings = PollSettings()) throws(ReaderdError) {
        self.connection = connection
        role = settings.role
        do throws(NFCFrontEndError) {
            frontEnd = try NFCFrontEnd(connection: connection, settings: settings)
        } catch { throw .failed("\(error)") }
    }

    /// Changes the polling frame from the next round on.
    func setPollingFrame(_ octets: [UInt8]) { frontEnd.setPollingFrame(octets) }

    /// The counts of the poll role.
    var pollCounts: PollCounts { frontEnd.pollCounts }

    /// Readable while there are events.
    var descriptor: Int32 { frontEnd.descriptor }

    /// Returns the events since the last call.
    func takeEvents() -> [NFCFrontEndEvent] {
        events.removeAll(keepingCapacity: true)
        frontEnd.takeEvents(into: &events)
        for event in events { count(event) }
        return events
    }

    private func count(_ event: NFCFrontEndEvent) {
        switch event {
        case .opened, .released, .card, .response, .cardLost, .fieldEmpty: break
        case .cardRejected(_, let reason): rejections[reason, default: 0] &+= 1
        case .failed: failures &+= 1
        case .activated: activations &+= 1
        case .command: commands &+= 1
        }
    }

    /// Returns the change to report for an event; nil for none, or a reported one.
    func receive(_ event: NFCFrontEndEvent) -> Change? {
        switch event {
        case .opened(let name):
            state = .ready(name)
            defer { hasFailed = false }
            return .ready(name, isBack: hasFailed)
        case .failed(let why):
            state = .failed(why)
            defer { hasFailed = true }
            return hasFailed ? nil : .failed(why)
        case .activated, .command, .released, .card, .response, .cardLost, .cardRejected,
            .fieldEmpty:
            return nil
        }
    }

    /// Sets the command that awaits its response; nil for none.
    func awaitResponse(to number: UInt64?) { awaited = number }

    /// Sends the response, if a command awaits one and it is not empty.
    func respond(_ response: @autoclosure () -> [UInt8]) {
        guard let number = awaited else { return }
        let octets = response()
        guard !octets.isEmpty else { return }
        awaited = nil
        frontEnd.respond(octets, to: number)
    }

    /// Sets the order that a card awaits; nil for none.
    func awaitOrder(_ number: UInt64?) { awaitedOrder = number }

    /// Gives the order, if a card awaits one and there is one.
    func give(_ order: @autoclosure () -> CardOrder?) {
        guard let number = awaitedOrder, let order = order() else { return }
        awaitedOrder = nil
        frontEnd.give(order, to: number)
    }

    /// Releases the chip; false if it does not answer in time. The end of the process releases it in any case.
    @discardableResult func close() -> Bool { frontEnd.close(within: NFCService.closeTimeout) }

    /// The time for releasing the chip, in milliseconds.
    private static let closeTimeout = 300
}
