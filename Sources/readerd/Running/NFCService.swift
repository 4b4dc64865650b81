import NFCTarget

/// Between the reader and its NFC front end: what the chip is at, and which command waits for its response.
///
/// On the reactor's thread; it never waits for the chip.
final class NFCService {
    /// The state of the chip.
    enum State: Equatable {
        /// It is being opened for the first time.
        case opening
        /// It listens. What libnfc calls it.
        case ready(String)
        /// It does not do as it should, and is tried again. Why.
        case failed(String)

        /// One word, for machines.
        var name: String {
            switch self {
            case .opening: "opening"
            case .ready: "ready"
            case .failed: "failed"
            }
        }
    }

    /// A change of the state that is reported.
    enum Change: Equatable {
        /// The chip has come, or has come back.
        case ready(String, isBack: Bool)
        /// It has failed: told once, until it has come back.
        case failed(String)
    }

    /// The connection string.
    let connection: String
    private let frontEnd: FrontEnd
    private(set) var state = State.opening
    /// The number of failures, each new attempt included.
    private(set) var failures: UInt64 = 0
    /// The number of activations by phones.
    private(set) var activations: UInt64 = 0
    /// The number of commands from phones.
    private(set) var commands: UInt64 = 0
    private var hasFailed = false
    /// The command that waits for its response.
    private var awaited: UInt64?
    private var events: [FrontEndEvent] = []

    init(connection: String) throws(ReaderdError) {
        self.connection = connection
        do throws(FrontEndError) { frontEnd = try FrontEnd(connection: connection) } catch {
            throw .failed("\(error)")
        }
    }

    /// Readable while there are events.
    var descriptor: Int32 { frontEnd.descriptor }

    /// The events since the last call.
    func takeEvents() -> [FrontEndEvent] {
        events.removeAll(keepingCapacity: true)
        frontEnd.takeEvents(into: &events)
        for event in events { count(event) }
        return events
    }

    private func count(_ event: FrontEndEvent) {
        switch event {
        case .opened, .released: break
        case .failed: failures &+= 1
        case .activated: activations &+= 1
        case .command: commands &+= 1
        }
    }

    /// The change to report for an event; nil for none, or one that was reported.
    func take(_ event: FrontEndEvent) -> Change? {
        switch event {
        case .opened(let name):
            state = .ready(name)
            defer { hasFailed = false }
            return .ready(name, isBack: hasFailed)
        case .failed(let why):
            state = .failed(why)
            defer { hasFailed = true }
            return hasFailed ? nil : .failed(why)
        case .activated, .command, .released: return nil
        }
    }

    /// This command waits for its response; nil for none.
    func awaitResponse(to number: UInt64?) { awaited = number }

    /// Sends the response, if a command waits and there is one.
    func respond(_ response: @autoclosure () -> [UInt8]) {
        guard let number = awaited else { return }
        let octets = response()
        guard !octets.isEmpty else { return }
        awaited = nil
        frontEnd.respond(octets, to: number)
    }

    /// Lets the chip go; false if it does not answer in time, which is no harm: the end of the process does that as well.
    @discardableResult func close() -> Bool { frontEnd.close(within: NFCService.farewell) }

    /// The time for releasing the chip, in milliseconds.
    private static let farewell = 300
}
