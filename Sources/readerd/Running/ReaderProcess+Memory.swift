// SPDX-License-Identifier: Apache-2.0

import CLinux
import System
import Timekeeping

/// Release of resident pages of the program and its libraries that are not needed for serving.
extension ReaderProcess {
    /// The time after which the start is complete: contents restored, controller available.
    private static let startTakes = Duration.seconds(5)
    /// The interval after that, for pages of rare operations such as a reload or a query of the log.
    private static let pause = Duration.seconds(3600)

    /// Releases file-backed pages after the start, and at intervals. Pages needed for serving are loaded again at the
    /// next exchange, which takes some 100 µs longer.
    func releaseFilePages() {
        releasePages(at: reactor.now + ReaderProcess.startTakes)
    }

    private func releasePages(at deadline: Instant) {
        reactor.schedule(at: deadline) { [self] in
            _ = readerd_give_back_file_pages()
            releasePages(at: reactor.now + ReaderProcess.pause)
        }
    }
}
