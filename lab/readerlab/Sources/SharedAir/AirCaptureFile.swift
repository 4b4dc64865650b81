// SPDX-License-Identifier: Apache-2.0

package import Commands
import Peripheral
import Reader
package import VirtualRadio

/// `--capture`: a file in the pcapng format with the packets on an air and between its controllers and their hosts.
/// Only its owner can read it: keys of links pass between hosts and controllers.
package final class AirCaptureFile {
    /// The maximum number of octets that wait to be written.
    private static let capacity = 64 * 1024

    private let file: CaptureFile

    /// Creates the file, or truncates an existing one.
    package init(_ path: String) throws(CommandError) {
        do throws(CaptureFileError) { file = try CaptureFile(path: path, capacity: AirCaptureFile.capacity) } catch {
            throw .misuse("--capture: \(error)")
        }
    }

    /// An empty capture of an air that this command runs.
    ///
    /// - Parameter epochAtOrigin: the wall clock time of `Instant.origin`, in nanoseconds since 1970-01-01 UTC.
    package static func capture(of command: String, epochAtOrigin: Int64) -> AirCapture {
        AirCapture(comment: command, application: "readerlab \(FirmwareVersion.text)", epochAtOrigin: epochAtOrigin)
    }

    /// Writes octets of a capture.
    package func write(_ octets: [UInt8]) throws(CommandError) {
        file.octets += octets
        do throws(CaptureFileError) { try file.flush() } catch { throw .failed("--capture: \(error)") }
    }
}
