// SPDX-License-Identifier: Apache-2.0

import Configuration
import Logging
import Peripheral

/// `--btsnoop`: captures the controller's traffic in a file. After an error the capture ends with one warning, and the
/// reader continues.
final class PacketCapture {
    private var file: BTSnoopFile?
    private let log: Logger

    /// Creates the file.
    ///
    /// - Throws: An error that ends the program, since the capture was requested.
    init(path: String, log: Logger) throws(ReaderdError) {
        do throws(CaptureFileError) {
            file = try BTSnoopFile(path: path)
        } catch {
            throw .failed("--btsnoop: \(error)")
        }
        self.log = log
    }

    /// True if the capture may contain secrets: with provisioning, phones pair, so HCI carries the keys of their links,
    /// and the passphrase unencrypted.
    ///
    /// - Throws: An error unless the options permit such a capture.
    static func hasSecrets(_ options: RunOptions, _ settings: ReaderSettings) throws(ReaderdError) -> Bool {
        guard options.capture != nil, settings.provisioning.wifi != nil else { return false }
        guard options.capturesSecrets else {
            throw .usage(
                "--btsnoop: with [provisioning] the capture would contain phones' link keys and Wi-Fi passphrases; "
                    + "remove provisioning.wifi, or permit them with --btsnoop-with-secrets")
        }
        return true
    }

    /// Captures one packet, with its type octet.
    func record(_ packet: Span<UInt8>, _ direction: BTSnoop.Direction) {
        do throws(CaptureFileError) { try file?.record(packet, direction) } catch { stop(error) }
    }

    /// Writes the packets since the last call.
    func flush() {
        do throws(CaptureFileError) { try file?.flush() } catch { stop(error) }
    }

    private func stop(_ error: CaptureFileError) {
        file = nil
        log.warning("capture ended: \(error)")
    }
}
