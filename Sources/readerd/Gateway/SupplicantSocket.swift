import WiFiProvisioning
import System
import Timekeeping

/// The socket between a station and its wpa_supplicant: does what the station asks for, and hands it what comes.
final class SupplicantSocket {
    /// The most datagrams that are taken at once: what remains is told again.
    private static let datagramsAtOnce = 64

    private let reactor: Reactor
    private let path: String
    private let own: String
    private var socket: LocalDatagramSocket?
    private var watch: Watch?

    /// A socket to the supplicant at `path`, with a name of its own, which is not opened yet.
    init(_ reactor: Reactor, to path: String, own: String) {
        self.reactor = reactor
        self.path = path
        self.own = own
    }

    /// Does what `station` asks for; whether it asked for anything. `readable` is called when the supplicant has said something.
    func perform(_ station: inout SupplicantStation, readable: @escaping () -> Void) -> Bool {
        var hasActed = false
        while let action = station.nextAction() {
            hasActed = true
            do throws(SystemError) {
                switch action {
                case .open:
                    try open(readable)
                    station.opened(at: reactor.now)
                case .send(let datagram): try socket?.send(datagram)
                case .close: close()
                }
            } catch {
                close()
                station.failed(at: reactor.now)
            }
        }
        return hasActed
    }

    /// Hands `station` what has come.
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

    /// Closes the socket; no matter if there is none.
    func close() {
        watch?.cancel()
        watch = nil
        socket = nil
    }
}
