import CLinux
import Glibc

/// A pseudo-terminal with a symbolic link to it, for hosts that reach their controller by a serial line.
///
/// It hangs up when its host closes it, and a terminal that has hung up cannot tell when the next host comes: there is
/// a new one for each.
struct PlaceTerminal {
    /// TIOCSPTLCK and TIOCGPTN of Linux (asm-generic/ioctls.h): Swift's Glibc has neither them nor posix_openpt(3), and
    /// openpty(3) opens the host's side too, so that closing it would be a hang-up.
    private static let setLock: UInt = 0x4004_5431
    private static let getNumber: UInt = 0x8004_5430

    /// The path of the link, which begins with `/`.
    let path: String

    /// The place of a link. Anything but a link is not replaced.
    init(path: String) throws(EmulationError) {
        if path.hasPrefix("/") {
            self.path = path
        } else {
            guard let directory = getcwd(nil, 0) else { throw PlaceTerminal.failure(path, errno) }
            defer { free(directory) }
            self.path = String(cString: directory) + "/" + path
        }
        var status = stat()
        guard lstat(self.path, &status) != 0 || status.st_mode & S_IFMT == S_IFLNK else {
            throw EmulationError(
                code: 1, "pty:\(self.path): is there and no symbolic link; remove it, or name another path")
        }
    }

    /// Opens a new terminal in raw mode, and has the link point to it: the side of the controller.
    func open() throws(EmulationError) -> CInt {
        let master = Glibc.open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        guard master >= 0 else { throw PlaceTerminal.failure(path, errno) }
        do throws(EmulationError) {
            // The settings of the host's side are those of the controller's.
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

    /// Replaces the link by a new one at once, so that there is one at any time.
    private func link(to name: String) throws(EmulationError) {
        let new = path + ".new"
        unlink(new)
        guard symlink(name, new) == 0, rename(new, path) == 0 else { throw PlaceTerminal.failure(path, errno) }
    }

    /// Removes the link.
    func remove() { unlink(path) }

    private static func failure(_ path: String, _ code: CInt) -> EmulationError {
        EmulationError(
            code: 1,
            "pty:\(path): cannot make the terminal or its link: \(String(cString: strerror(code))); name a path in a "
                + "directory that may be written")
    }
}
