import Logging
import Peripheral

/// `--btsnoop`: what goes to and comes from the controller, kept in a file. A capture that fails is given up with one
/// warning: the door has to go on.
final class PacketCapture {
    private var file: BTSnoopFile?
    private let log: Logger

    /// Makes the file; that it cannot be made ends the program, since somebody asked for it.
    init(path: String, log: Logger) throws(ReaderdError) {
        do throws(BTSnoopFileError) {
            file = try BTSnoopFile(path: path)
        } catch {
            throw .failed("--btsnoop: \(error)")
        }
        self.log = log
    }

    /// Keeps one packet, with its type octet.
    func record(_ packet: Span<UInt8>, _ direction: BTSnoop.Direction) {
        do throws(BTSnoopFileError) { try file?.record(packet, direction) } catch { giveUp(error) }
    }

    /// Writes what was kept since the last call.
    func flush() {
        do throws(BTSnoopFileError) { try file?.flush() } catch { giveUp(error) }
    }

    private func giveUp(_ error: BTSnoopFileError) {
        file = nil
        log.warning("the capture ends here: \(error)")
    }
}
