// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import Peripheral
import System
import Timekeeping

/// A question to `readerd adapter` for an adapter, which waits for the answer on the reactor.
final class AdapterRequest {
    /// Called once with the socket of the user channel, or the fault.
    typealias Completion = (Result<CInt, TransportFault>) -> Void

    /// The time for an answer: a process is started for it, and a driver takes its time to bring an adapter down.
    static let timeout = Duration.seconds(10)

    private let descriptor: CInt
    private var watch: Watch?
    private var timer: Timer?
    private var completion: Completion?

    /// The socket of the unit, if it exists and this process may not take adapters itself.
    static func serviceInUse() -> String? {
        !readerd_has_network_administration() && access(AdapterCommand.socket, F_OK) == 0 ? AdapterCommand.socket : nil
    }

    /// Asks the service at this socket for an adapter.
    ///
    /// - Throws: `noAdapterService`. Otherwise `completion` is called later.
    init(
        _ reactor: Reactor, service: String, _ adapter: AdapterName, timeout: Duration = AdapterRequest.timeout,
        _ completion: @escaping Completion
    ) throws(TransportFault) {
        self.completion = completion
        var isConnecting = false
        descriptor = readerd_connect_unix(service, service.utf8.count, false, &isConnecting)
        guard descriptor >= 0 else { throw .noAdapterService(code: -descriptor) }
        let line = Array("\(adapter)\n".utf8)
        let count = isConnecting ? -Int64(EAGAIN) : readerd_write(descriptor, line, line.count)
        do {
            guard count == line.count else {
                throw TransportFault.noAdapterService(code: count < 0 ? CInt(-count) : EIO)
            }
            watch = try reactor.watch(descriptor, .readable) { [weak self] _ in self?.answered() }
        } catch {
            readerd_close(descriptor)
            throw error as? TransportFault ?? .noAdapterService(code: EMFILE)
        }
        timer = reactor.schedule(at: reactor.now + timeout) { [weak self] in
            self?.complete(.failure(.noAdapterService(code: ETIMEDOUT)))
        }
    }

    private func answered() {
        var octets = [UInt8](repeating: 0, count: AdapterReply.maximumCount)
        var passed: CInt = -1
        let count = readerd_receive_passed(descriptor, &octets, octets.count, &passed)
        if count == -Int64(EAGAIN) { return }
        switch count > 0 ? AdapterReply(Array(octets.prefix(Int(count)))) : nil {
        case .taken where passed >= 0: return complete(.success(passed))
        case .failed(let fault): complete(.failure(fault))
        default: complete(.failure(.noAdapterService(code: count < 0 ? CInt(-count) : ECONNRESET)))
        }
        if passed >= 0 { readerd_close(passed) }
    }

    private func complete(_ result: Result<CInt, TransportFault>) {
        guard let completion else { return }
        self.completion = nil
        watch?.cancel()
        timer?.cancel()
        readerd_close(descriptor)
        completion(result)
    }
}
