import Synchronization

/// Where log lines go, without ever waiting: who reads them may have stopped, and the door must not stop with it.
///
/// A line that does not fit is lost; the next one that fits says how many were.
final class LogStream: Sendable {
    private let descriptor: Int32
    private let lost = Atomic<Int>(0)

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Writes one line, its line feed included, or counts it as lost.
    func write(_ line: String) {
        let missing = lost.load(ordering: .relaxed)
        let whole = missing == 0 ? line : "(\(missing) lines of the log were lost here: nobody read them)\n" + line
        if StandardStream.offer(whole, to: descriptor) {
            lost.subtract(missing, ordering: .relaxed)
        } else {
            lost.add(1, ordering: .relaxed)
        }
    }
}
