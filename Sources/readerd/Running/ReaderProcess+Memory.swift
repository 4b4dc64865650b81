import CLinux
import System
import Timekeeping

/// What has been touched of program and libraries, and serving does not need.
extension ReaderProcess {
    /// After this long the reader has started: what was kept is restored, and the controller is up.
    private static let startTakes = Duration.seconds(5)
    /// How long what only rare things need, such as a reload or a query of the log, stays at most.
    private static let pause = Duration.seconds(3600)

    /// Gives back the pages of files that are mapped, once the reader has started, and now and then. What serving
    /// needs comes back with the next exchange, which takes some 100 µs longer.
    func giveBackFilePages() {
        giveBack(at: reactor.now + ReaderProcess.startTakes)
    }

    private func giveBack(at deadline: Instant) {
        reactor.schedule(at: deadline) { [self] in
            _ = readerd_give_back_file_pages()
            giveBack(at: reactor.now + ReaderProcess.pause)
        }
    }
}
