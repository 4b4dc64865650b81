// SPDX-License-Identifier: Apache-2.0

#if NetworkDevices
    import Glibc
    package import NIOCore
    import NIOPosix

    /// Lines of standard input, on an event loop.
    package final class TypedLines: ChannelInboundHandler {
        package typealias InboundIn = ByteBuffer

        private let hear: (String) -> Void
        private var lines = CommandLines()

        private init(_ hear: @escaping (String) -> Void) { self.hear = hear }

        /// Calls `hear` with each line. Lines come from a terminal, a pipe or a socket; not from a regular file, and
        /// not to a process in the background of its terminal, which reading would stop.
        package static func follow(on loop: any EventLoop, _ hear: NIOLoopBound<(String) -> Void>) {
            var status = stat()
            guard fstat(STDIN_FILENO, &status) == 0 else { return }
            let isTerminal = isatty(STDIN_FILENO) == 1 && tcgetpgrp(STDIN_FILENO) == getpgrp()
            guard isTerminal || [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT) else { return }
            let descriptor = dup(STDIN_FILENO)
            guard descriptor >= 0 else { return }
            NIOPipeBootstrap(group: loop)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(TypedLines(hear.value))
                    }
                }
                .takingOwnershipOfDescriptor(input: descriptor)
                .whenFailure { _ in close(descriptor) }
        }

        package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let octets = Array(unwrapInboundIn(data).readableBytesView)
            for line in lines.append(octets[...]) where !line.isEmpty { hear(line) }
        }
    }
#endif
