// SPDX-License-Identifier: Apache-2.0

import CLinux
import Timekeeping

/// Release of resident pages of the program and its libraries that are not needed for serving.
extension Reactor {
    /// The time after which the start is complete: contents restored, peers available.
    private static let startTakes = Duration.seconds(5)
    /// The interval after that, for pages of rare operations such as a reload or a query of the log.
    private static let pause = Duration.seconds(3600)

    /// Releases file-backed pages after the start, and at intervals. Pages needed for serving are loaded again at the
    /// next exchange, which takes some 100 µs longer.
    public func releaseFilePages() { releasePages(at: now + Reactor.startTakes) }

    private func releasePages(at deadline: Instant) {
        schedule(at: deadline) { [unowned self] in
            _ = readerd_give_back_file_pages()
            releasePages(at: now + Reactor.pause)
        }
    }
}
