import Logging
import Peripheral
import Reader

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

    /// Whether what goes to and comes from the controller may have secrets in it: phones that bring the device into a
    /// network pair, and a host hands their link's key to the controller, as it does the passphrase in clear.
    ///
    /// Throws unless whoever starts the reader has said that such a capture is meant; true if it has to be said aloud.
    static func hasSecrets(_ options: RunOptions, _ settings: ReaderSettings) throws(ReaderdError) -> Bool {
        guard options.capture != nil, settings.provisioning.wifi != nil else { return false }
        guard options.capturesSecrets else {
            throw .usage(
                "--btsnoop: with [provisioning] the capture would hold phones' link keys and Wi-Fi passphrases; remove "
                    + "provisioning.wifi for the time, or, if they may be in the file, add --btsnoop-with-secrets")
        }
        return true
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
