// SPDX-License-Identifier: Apache-2.0

import CLinux
package import Commands
import Glibc

/// A pseudo-terminal with a symbolic link to it, for hosts with a controller on a serial line.
///
/// It hangs up when its host closes it, and cannot report the next host after that, so each host gets a new one.
package struct PlaceTerminal {
    /// TIOCSPTLCK and TIOCGPTN of Linux (asm-generic/ioctls.h): Swift's Glibc has neither these nor posix_openpt(3),
    /// and openpty(3) also opens the host's side, whose closing would be a hang-up.
    private static let setLock: UInt = 0x4004_5431
    private static let getNumber: UInt = 0x8004_5430

    /// The path of the link, absolute.
    package let path: String

    /// Prepares a place at `path`. An existing entry is replaced only if it is a link.
    package init(path: String) throws(CommandError) {
        if path.hasPrefix("/") {
            self.path = path
        } else {
            guard let directory = getcwd(nil, 0) else { throw PlaceTerminal.failure(path, errno) }
            defer { free(directory) }
            self.path = String(cString: directory) + "/" + path
        }
        var status = stat()
        guard lstat(self.path, &status) != 0 || status.st_mode & S_IFMT == S_IFLNK else {
            throw .failed("pty:\(self.path): is there and no symbolic link; remove it, or name another path")
        }
    }

    /// Opens a new terminal in raw mode, and points the link to it. Returns the controller's side.
    package func open() throws(CommandError) -> CInt {
        let master = Glibc.open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        guard master >= 0 else { throw PlaceTerminal.failure(path, errno) }
        do throws(CommandError) {
            // Both sides of a pseudo-terminal share their settings.
            var settings = termios()
            var (number, isLocked) = (CInt(0), CInt(0))
            guard ioctl(master, PlaceTerminal.setLock, &isLocked) == 0,
                ioctl(master, PlaceTerminal.getNumber, &number) == 0, tcgetattr(master, &settings) == 0
            else { throw PlaceTerminal.failure(path, errno) }
            cfmakeraw(&settings)
            guard tcsetattr(master, TCSANOW, &settings) == 0 else { throw PlaceTerminal.failure(path, errno) }
            try link(to: "/dev/pts/\(number)")
        } catch {
            readerd_close(master)
            throw error
        }
        return master
    }

    /// Replaces the link atomically.
    private func link(to name: String) throws(CommandError) {
        let new = path + ".new"
        unlink(new)
        guard symlink(name, new) == 0, rename(new, path) == 0 else { throw PlaceTerminal.failure(path, errno) }
    }

    /// Removes the link.
    package func remove() { unlink(path) }

    private static func failure(_ path: String, _ code: CInt) -> CommandError {
        CommandError.failed(
            "pty:\(path): cannot make the terminal or its link: \(String(cString: strerror(code))); name a path in a "
                + "directory that may be written")
    }
}
