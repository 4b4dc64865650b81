// SPDX-License-Identifier: Apache-2.0

public import CardPolling
import CNFC
import System

/// The reason why a front end cannot be created.
public enum NFCFrontEndError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The process has no descriptor left.
    case noDescriptor
    /// The process has no thread left.
    case noThread

    /// One line.
    public var description: String {
        switch self {
        case .noDescriptor: "nfc.connection: no file descriptor left for the NFC front end"
        case .noThread: "nfc.connection: no thread left for the NFC front end"
        }
    }
}

/// An NFC front end, which plays a card, polls cards, or both in turns, on its own thread: calls of libnfc block, while
/// waiting for a phone or for a chip that does not answer, but calls of this class do not.
///
/// A chip that is missing, silent or faulty is closed and reopened with increasing pauses.
public final class NFCFrontEnd {
    /// The maximum length of a response in one exchange with the chip; longer ones are not sent.
    public static let responseLimit = Int(READERD_NFC_RESPONSE_LIMIT)

    private let queue: NFCFrontEndQueue
    private let library: Library

    /// Disables libnfc's output on standard error, unless the environment enables it. Call this while there is only
    /// one thread.
    public static func disableLibraryOutput() { readerd_nfc_quiet() }

    /// True if the poll role works with the driver in the connection string.
    public static func canPoll(_ connection: String) -> Bool { readerd_nfc_takes_commands(connection) }

    /// Starts the thread, which opens the device of the connection string.
    public init(connection: String, settings: PollSettings = PollSettings()) throws(NFCFrontEndError) {
        queue = try NFCFrontEndQueue()
        guard let library = Library() else { throw .noThread }
        self.library = library
        let started = DetachedThread.start { [queue] in NFCFrontEndWorker(connection, settings, queue, library).run() }
        guard started else { throw .noThread }
    }

    deinit { queue.end() }

    /// Readable while events are queued.
    public var descriptor: Int32 { queue.descriptor }

    /// Moves the queued events to the end of `events`.
    public func takeEvents(into events: inout [NFCFrontEndEvent]) { queue.takeEvents(into: &events) }

    /// Answers the command with this number; a late or second response is discarded.
    public func respond(_ response: [UInt8], to number: UInt64) { queue.respond(response, to: number) }

    /// Gives the order with this number to the card; a late or second one is discarded.
    public func give(_ order: CardOrder, to number: UInt64) { queue.give(order, to: number) }

    /// Changes the polling frame from the next round on (`PollSettings.pollingFrame`).
    public func setPollingFrame(_ octets: [UInt8]) { queue.setPollingFrame(octets) }

    /// The counts of the poll role.
    public var pollCounts: PollCounts { queue.pollCounts }

    /// Releases phone and chip, and ends the thread; false if that takes longer, as with a silent chip.
    @discardableResult public func close(within milliseconds: Int) -> Bool {
        queue.end()
        // A wait that is just starting may miss the abort, which is therefore repeated.
        let step = 20
        for _ in 0..<max(1, milliseconds / step) {
            library.abort()
            if queue.waitForEnd(.milliseconds(step)) { return true }
        }
        return false
    }
}

/// libnfc with its device. Used by one thread; any thread may abort.
final class Library: @unchecked Sendable {
    let pointer: OpaquePointer

    init?() {
        guard let pointer = readerd_nfc_create() else { return nil }
        self.pointer = pointer
    }

    deinit { readerd_nfc_destroy(pointer) }

    func abort() { readerd_nfc_abort(pointer) }
}
