// SPDX-License-Identifier: Apache-2.0

import Glibc
import NIOCore
import NIOPosix

/// SIGINT and SIGTERM, for which the main thread waits.
struct EndingSignals {
    init() {
        var set = EndingSignals.set
        pthread_sigmask(SIG_BLOCK, &set, nil)
        signal(SIGPIPE, SIG_IGN)
    }

    private static var set: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for number in [SIGINT, SIGTERM] { sigaddset(&set, number) }
        return set
    }

    /// Waits for either.
    func wait() {
        var set = EndingSignals.set
        var number: CInt = 0
        while sigwait(&set, &number) != 0 {}
    }

    /// Ends the program with the other end of a pipe on standard input: with the process that started it, even if that
    /// was killed.
    func endWithInput(on loop: any EventLoop) {
        var status = stat()
        guard fstat(STDIN_FILENO, &status) == 0, [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT) else { return }
        let descriptor = dup(STDIN_FILENO)
        guard descriptor >= 0 else { return }
        NIOPipeBootstrap(group: loop)
            .takingOwnershipOfDescriptor(input: descriptor)
            .whenSuccess { channel in
                channel.closeFuture.whenComplete { _ in kill(getpid(), SIGTERM) }
            }
    }
}
