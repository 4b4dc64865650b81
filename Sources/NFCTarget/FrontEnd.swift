import CNFC
import Glibc

/// Why there can be no front end at all.
public enum FrontEndError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The process has no descriptor left.
    case noDescriptor
    /// The process has no thread left.
    case noThread

    /// In one line.
    public var description: String {
        switch self {
        case .noDescriptor: "nfc.connection: no file descriptor is left for the NFC front end"
        case .noThread: "nfc.connection: no thread is left for the NFC front end"
        }
    }
}

/// An NFC front end that plays a card, on a thread of its own: libnfc waits in its calls, for a phone or for a chip that does
/// not answer, and whoever uses this never does.
///
/// A chip that is not there, falls silent or answers nonsense is closed and opened again, with growing pauses.
public final class FrontEnd {
    /// The longest response that fits an exchange with the chip; longer ones are not sent.
    public static let responseLimit = Int(READERD_NFC_RESPONSE_LIMIT)

    private let queue: FrontEndQueue
    private let library: Library

    /// Has libnfc say nothing on standard error, unless the environment asks it to. To be called while there is one thread.
    public static func quiet() { readerd_nfc_quiet() }

    /// Starts the thread, which opens what the connection string names.
    public init(connection: String) throws(FrontEndError) {
        queue = try FrontEndQueue()
        guard let library = Library() else { throw .noThread }
        self.library = library
        let worker = Unmanaged.passRetained(FrontEndWorker(connection, queue, library))
        var thread = pthread_t()
        guard pthread_create(&thread, nil, frontEndThread, worker.toOpaque()) == 0 else {
            worker.release()
            throw .noThread
        }
        pthread_detach(thread)
    }

    deinit { queue.end() }

    /// Readable while there are events.
    public var descriptor: Int32 { queue.descriptor }

    /// Moves the events so far behind those in `events`.
    public func takeEvents(into events: inout [FrontEndEvent]) { queue.takeEvents(into: &events) }

    /// Answers the command with this number; too late, or a second time, it is dropped.
    public func respond(_ response: [UInt8], to number: UInt64) { queue.respond(response, to: number) }

    /// Lets the phone and the chip go, and ends the thread; false if that takes longer, as with a chip that is silent just now.
    @discardableResult public func close(within milliseconds: Int) -> Bool {
        queue.end()
        // A wait that begins just now may miss that it is to end: it is told again.
        let step = 20
        for _ in 0..<max(1, milliseconds / step) {
            library.abort()
            if queue.waitForEnd(.milliseconds(step)) { return true }
        }
        return false
    }
}

/// libnfc with its device. One thread uses it; any may abort.
final class Library: @unchecked Sendable {
    let pointer: OpaquePointer

    init?() {
        guard let pointer = readerd_nfc_create() else { return nil }
        self.pointer = pointer
    }

    deinit { readerd_nfc_destroy(pointer) }

    func abort() { readerd_nfc_abort(pointer) }
}

private func frontEndThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    Unmanaged<FrontEndWorker>.fromOpaque(context).takeRetainedValue().run()
    return nil
}
