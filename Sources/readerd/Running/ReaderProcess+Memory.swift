import CSystem
import Reactor
import Timekeeping

/// What the start has touched of program and libraries, and serving does not need.
extension ReaderProcess {
    /// After this long the reader has started: what was kept is restored, and the controller is up.
    private static let startTakes = Duration.seconds(5)

    /// Gives back the pages of files that are mapped now, once the reader has started. What serving needs comes back
    /// with the first exchange.
    func giveBackAfterStart() {
        reactor.schedule(at: reactor.now + ReaderProcess.startTakes) { _ = readerd_give_back_file_pages() }
    }
}
