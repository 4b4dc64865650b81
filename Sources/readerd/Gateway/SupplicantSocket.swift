// SPDX-License-Identifier: Apache-2.0

import Crypto
import WiFiStation
import System
import Timekeeping

/// The socket between a station and wpa_supplicant: carries out the station's actions, and passes on received
/// datagrams.
final class SupplicantSocket {
    /// The maximum number of datagrams read at once; the rest is signalled again.
    private static let datagramsAtOnce = 64

    private let reactor: Reactor
    private let path: String
    private let own: String
    private var socket: LocalDatagramSocket?
    private var watch: Watch?

    /// Creates a socket to the supplicant at `path`, bound to `own` when it is opened.
    init(_ reactor: Reactor, to path: String, own: String) {
        self.reactor = reactor
        self.path = path
        self.own = own
    }

    /// Carries out the actions of `station`; false if there was none. `readable` is called when datagrams arrive.
    func perform(_ station: inout SupplicantStation, readable: @escaping () -> Void) -> Bool {
        var hasActed = false
        while let action = station.nextAction() {
            hasActed = true
            do throws(SystemError) {
                switch action {
                case .open:
                    try open(readable)
                    station.opened(at: reactor.now)
                case .send(let datagram): try socket?.send(datagram.octets)
                case .close: close()
                }
            } catch {
                close()
                station.failed(at: reactor.now)
            }
        }
        return hasActed
    }

    /// Passes received datagrams to `station`.
    func receive(_ station: inout SupplicantStation) {
        do throws(SystemError) {
            for _ in 0..<SupplicantSocket.datagramsAtOnce {
                let now = reactor.now
                guard let socket, try socket.receive({ station.receive($0, at: now) }) else { return }
            }
        } catch {
            close()
            station.failed(at: reactor.now)
        }
    }

    private func open(_ readable: @escaping () -> Void) throws(SystemError) {
        close()
        let socket = try LocalDatagramSocket(to: path, own: own)
        watch = try reactor.watch(socket.descriptor, .readable) { _ in readable() }
        self.socket = socket
    }

    /// Closes the socket, if it is open.
    func close() {
        watch?.cancel()
        watch = nil
        socket = nil
    }
}
