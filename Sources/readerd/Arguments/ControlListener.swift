// SPDX-License-Identifier: Apache-2.0

import Glibc
import System

/// The place of the control socket, and the opening of the reader's sockets.
enum ControlListener {
    /// The default path of the socket.
    static let defaultPath = defaultDirectory + "/control.sock"
    /// Its directory, created by the service manager (RuntimeDirectory=readerd).
    static let defaultDirectory = "/run/readerd"
    /// Access for the owner and the group; members of the group may open the door.
    static let mode: UInt32 = 0o660

    /// Listens at `path`; `key` is the option or the setting that names it.
    static func listen(
        at path: String, mode: UInt32 = ControlListener.mode, key: String = "--control"
    ) throws(ReaderdError) -> UnixListener {
        do throws(UnixListener.Fault) {
            return try UnixListener(path: path, mode: mode, isLocked: true)
        } catch {
            let remedy = "create the directory for readerd's user, or name another socket with \(key)"
            throw switch error {
            case .taken: .failed("\(path): another readerd listens; stop it, or name another socket with \(key)")
            case .notSocket: .failed("\(path): not a socket; remove it, or name another with \(key)")
            case .lock(let code): .file(path + ".lock", "open it", errno: code, remedy: remedy)
            case .socket(ENAMETOOLONG):
                .failed("\(path): a socket's path has 107 octets at most; name another with \(key)")
            case .socket(let code): .file(path, "listen", errno: code, remedy: remedy)
            }
        }
    }
}
