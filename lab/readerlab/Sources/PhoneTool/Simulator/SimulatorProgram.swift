// SPDX-License-Identifier: Apache-2.0

package import Commands
import Console
import Crypto
import Glibc
import HostLoop
import JSON
package import Peripheral
package import SimBLE
import System
import Timekeeping

/// The program around a `SimBLEServer`: the socket for apps, the controller, the file with port and token, the output.
package final class SimulatorProgram {
    /// The options.
    package struct Options {
        package var hci: TransportName
        /// The random static address of the central.
        package var address: BluetoothAddress
        package var settings = SimBLESettings()
        /// The TCP port; 0 for any.
        package var port: UInt16
        /// The file for port and token.
        package var state: String
        package var capture: BTSnoopFile?
        package var json: Bool

        package init(
            hci: TransportName, address: BluetoothAddress, port: UInt16, state: String, capture: BTSnoopFile?,
            json: Bool
        ) {
            (self.hci, self.address, self.port, self.state) = (hci, address, port, state)
            (self.capture, self.json) = (capture, json)
        }
    }

    /// The address for apps: an event connection has no token, so other machines must not reach it.
    private static let host = "127.0.0.1"
    /// The maximum number of octets queued for a connection that reads nothing.
    private static let waitingLimit = 1 << 20

    private let options: Options
    private let socket: ListeningSocket
    private let token: SimBLEToken
    private let loop: HostLoop<SimBLEServer>
    private let output: LineOutput
    private let begin: Instant
    private var listening: Watch?
    private var streams: [SimBLEConnectionID: OctetStream] = [:]

    /// Opens the socket and the controller.
    package init(_ options: Options) throws(CommandError) {
        self.options = options
        var random = SystemRandomSource()
        token = SimBLEToken(&random)
        let server = SimBLEServer(token: token, address: options.address, settings: options.settings)
        do throws(HostLoopError) {
            loop = try HostLoop(server, on: options.hci, capture: options.capture)
        } catch { throw .failed("\(error)") }
        socket = try ListeningSocket(host: SimulatorProgram.host, port: options.port)
        output = LineOutput(STDOUT_FILENO, on: loop.reactor)
        begin = loop.reactor.now
    }

    /// Runs until a signal.
    package func run() throws(CommandError) {
        try writeState()
        defer { close() }
        do {
            listening = try loop.reactor.watch(socket.descriptor, .readable) { [weak self] _ in self?.accept() }
        } catch { throw .failed("the socket for apps: \(error)") }
        write(SimulatorText(.listening(port: port, state: options.state)))
        loop.reopen { ConsoleOutput.write("readerlab: \($0); trying again", to: STDERR_FILENO) }
        do throws(HostLoopError) {
            try loop.run { [weak self] server in self?.perform(&server) }
        } catch { throw .failed("\(error)") }
    }

    private var port: UInt16 { socket.port ?? options.port }

    /// Writes the file as the published helper does; only its owner can read it.
    private func writeState() throws(CommandError) {
        let state: JSONObject = ["port": Int(port), "token": token.text]
        do throws(DurableFile.Failure) {
            try DurableFile.replace(options.state, with: Array((state.text + "\n").utf8))
        } catch {
            throw .failed("\(error.path): cannot \(error.step.rawValue): \(String(cString: strerror(error.errno)))")
        }
    }

    private func close() {
        unlink(options.state)
        listening?.cancel()
        for stream in streams.values { stream.stop() }
        streams.removeAll()
        output.close()
    }

    // MARK: - Connections

    private func accept() {
        while let connection = socket.accept() {
            let stream = OctetStream(connection, isSocket: true)
            loop.act { server, now in
                guard let id = server.connected(at: now) else { return }
                do throws(SystemError) {
                    try stream.watch(on: loop.reactor) { [weak self] in self?.ready(id) }
                    streams[id] = stream
                } catch { server.disconnected(id, at: now) }
            }
        }
    }

    /// Handles a connection that has sent octets, has ended, or accepts octets again.
    private func ready(_ id: SimBLEConnectionID) {
        guard let stream = streams[id] else { return }
        loop.act { server, now in
            let isOpen = stream.read { server.receive($0, from: id, at: now) }
            if !isOpen || !stream.flush() { drop(id, &server) }
        }
    }

    private func drop(_ id: SimBLEConnectionID, _ server: inout SimBLEServer) {
        streams.removeValue(forKey: id)?.stop()
        server.disconnected(id, at: loop.reactor.now)
    }

    /// Performs the effects of the server.
    private func perform(_ server: inout SimBLEServer) {
        while let effect = server.nextEffect() {
            switch effect {
            case .send(let id, let octets):
                guard let stream = streams[id] else { continue }
                stream.append(octets)
                if !stream.flush() || stream.waiting > SimulatorProgram.waitingLimit { drop(id, &server) }
            case .close(let id): streams.removeValue(forKey: id)?.stop()
            case .notice(let notice): write(SimulatorText(.notice(notice)))
            }
        }
    }

    private func write(_ text: SimulatorText) {
        let milliseconds = (loop.reactor.now - begin).wholeMilliseconds
        output.write(options.json ? text.json(atMilliseconds: milliseconds) : text.line(atMilliseconds: milliseconds))
    }
}
