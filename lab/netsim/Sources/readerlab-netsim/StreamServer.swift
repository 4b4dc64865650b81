// SPDX-License-Identifier: Apache-2.0

import Commands
import Glibc
import NIOCore
import NIOHTTP2
import NIOPosix
import PacketStreamer
import System
import Timekeeping

/// PacketStreamer on one event loop: connections, their calls, and the pool of places.
final class StreamServer {
    /// The maximum number of connections. An emulator has one or two.
    static let maximumConnections = 32
    /// The maximum number of calls of a connection: a chip each.
    static let maximumCalls = 16
    /// The largest header list of a request, in octets. A gRPC client sends some 300.
    static let maximumHeaders = 8192
    /// The window of a connection and of a call: what a client may send that is not yet read, in octets.
    static let connectionWindow = 1 << 20, callWindow = 65535
    /// The number of PING, SETTINGS and PRIORITY frames within 30 s that end a connection. A gRPC client sends up to
    /// ten PINGs a second, to measure the connection.
    static let maximumControlFrames = 3000
    /// The pace of lines about faults: a client that repeats a refused call must not fill a log.
    static let faults = TokenBucket.Pace(size: 20, interval: .milliseconds(500))
    /// The time for the first call of a connection, and for `initial_info` of a call.
    static let firstMessageTime = TimeAmount.seconds(10)
    /// The time for a client to receive the end of its call.
    static let endTime = TimeAmount.seconds(5)

    let loop: any EventLoop
    private(set) var pool: PlacePool
    private var connections = 0
    private var calls = 0
    private var faults = TokenBucket(StreamServer.faults, at: .origin)
    /// The faults without a line since the last with one.
    private var hidden = 0

    init(_ pool: PlacePool, on loop: any EventLoop) {
        (self.pool, self.loop) = (pool, loop)
    }

    /// Listens. Returns the address with the actual port.
    func listen(_ address: SocketAddress) -> EventLoopFuture<SocketAddress> {
        let own = NIOLoopBound(self, eventLoop: loop)
        return ServerBootstrap(group: loop)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try own.value.accept(channel) }
            }
            .bind(to: address)
            .map { $0.localAddress ?? address }
    }

    private func accept(_ channel: any Channel) throws {
        guard connections < StreamServer.maximumConnections else {
            fault("a connection was refused: \(connections) are open")
            channel.close(promise: nil)
            return
        }
        connections += 1
        let own = NIOLoopBound(self, eventLoop: loop)
        channel.closeFuture.whenComplete { _ in own.value.connections -= 1 }
        let connection = ConnectionHandler(self)
        let bound = NIOLoopBound(connection, eventLoop: loop)
        var settings = NIOHTTP2Handler.ConnectionConfiguration()
        settings.initialSettings = [
            HTTP2Setting(parameter: .maxConcurrentStreams, value: StreamServer.maximumCalls),
            HTTP2Setting(parameter: .maxHeaderListSize, value: StreamServer.maximumHeaders),
            HTTP2Setting(parameter: .initialWindowSize, value: StreamServer.callWindow),
        ]
        settings.targetWindowSize = StreamServer.connectionWindow
        settings.controlFrameRateLimit.maximumCount = StreamServer.maximumControlFrames
        var streams = NIOHTTP2Handler.StreamConfiguration()
        streams.targetWindowSize = StreamServer.callWindow
        _ = try channel.pipeline.syncOperations.configureHTTP2Pipeline(
            mode: .server, connectionConfiguration: settings, streamConfiguration: streams
        ) { stream in
            stream.eventLoop.makeCompletedFuture {
                bound.value.hasCalls = true
                try stream.pipeline.syncOperations.addHandler(own.value.call())
            }
        }
        try channel.pipeline.syncOperations.addHandler(connection)
    }

    private func call() -> CallHandler {
        calls += 1
        return CallHandler(self, number: calls)
    }

    // MARK: - Places

    /// Reserves a place; nil if none is free.
    func reservePlace() -> PlacePool.Place? { pool.reserve() }

    /// Frees a place, after its connection has closed.
    func free(_ place: PlacePool.Place) { pool.free(place) }

    // MARK: - Notes

    /// Reports an event, at a place or for the whole server.
    func report(_ text: String, at place: PlacePool.Place? = nil) {
        ConsoleOutput.write(["note", place?.name ?? "-", text].joined(separator: "\t"), to: STDOUT_FILENO)
    }

    /// Reports a fault, if not many came before.
    func fault(_ text: String, at place: PlacePool.Place? = nil) {
        guard faults.admit(at: MonotonicClock.now) else { return hidden += 1 }
        if hidden > 0 { report("\(hidden) more streams or connections ended with a fault") }
        hidden = 0
        report(text, at: place)
    }
}

/// The end of a connection's pipeline: its faults, and its time for the first call.
private final class ConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame

    private let server: StreamServer
    /// True after the first call.
    var hasCalls = false
    private var isFaulty = false

    init(_ server: StreamServer) { self.server = server }

    func handlerAdded(context: ChannelHandlerContext) {
        let own = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let timer = context.eventLoop.scheduleTask(in: StreamServer.firstMessageTime) {
            let (handler, context) = own.value
            if !handler.hasCalls {
                handler.end("no call came within \(StreamServer.firstMessageTime.seconds) s", context)
            }
        }
        context.channel.closeFuture.whenComplete { _ in timer.cancel() }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        end(SocketFault.reason(error, otherwise: "it is not valid HTTP/2"), context)
    }

    private func end(_ reason: String, _ context: ChannelHandlerContext) {
        guard !isFaulty else { return }
        isFaulty = true
        server.fault("a connection ended: \(reason)")
        context.close(promise: nil)
    }
}

extension TimeAmount {
    fileprivate var seconds: Int64 { nanoseconds / 1_000_000_000 }
}

/// Text for errors of sockets.
enum SocketFault {
    /// The system's text; `otherwise` for an error of another kind.
    static func reason(_ error: any Error, otherwise: String = "no answer") -> String {
        (error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? otherwise
    }
}
