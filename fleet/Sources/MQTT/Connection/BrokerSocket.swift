// SPDX-License-Identifier: Apache-2.0

import CLinux
import CTLS

/// A connected socket of a broker, with or without TLS. No call blocks.
final class BrokerSocket {
    /// The result of a read or a write.
    enum Outcome: Equatable {
        /// This number of octets was read or written.
        case octets(Int)
        /// No progress until the socket is readable.
        case wantsRead
        /// No progress until the socket is writable.
        case wantsWrite
        /// The broker has closed the connection.
        case ended
        /// TLS has failed.
        case failed
    }

    /// The longest read in octets: a whole TLS record (RFC 8446, 5.1), so that no octets wait within the library.
    static let readCount = 16_384

    let descriptor: CInt
    private var stream: OpaquePointer?
    /// The context, which the stream uses.
    private let identity: TLSIdentity?

    /// Takes ownership of the descriptor. If memory is exhausted, closes the descriptor and returns nil.
    init?(_ descriptor: CInt, _ identity: TLSIdentity?) {
        (self.descriptor, self.identity) = (descriptor, identity)
        guard let identity else { return }
        stream = readerd_tls_open(identity.context, descriptor)
        if stream == nil { return nil }
    }

    deinit {
        if let stream { readerd_tls_close(stream) }
        readerd_close(descriptor)
    }

    /// Reads into `buffer`, which has `readCount` octets.
    func read(into buffer: UnsafeMutableBufferPointer<UInt8>) -> Outcome {
        guard let stream else {
            let count = readerd_read(descriptor, buffer.baseAddress, buffer.count)
            return count == 0 ? .ended : BrokerSocket.outcome(count, blocked: .wantsRead)
        }
        return BrokerSocket.outcome(readerd_tls_read(stream, buffer.baseAddress, buffer.count))
    }

    /// Writes some of the octets.
    func write(_ octets: UnsafeBufferPointer<UInt8>) -> Outcome {
        guard let stream else {
            return BrokerSocket.outcome(
                readerd_send(descriptor, octets.baseAddress, octets.count), blocked: .wantsWrite)
        }
        return BrokerSocket.outcome(readerd_tls_write(stream, octets.baseAddress, octets.count))
    }

    /// True once the TLS handshake is complete.
    var isSecured: Bool { stream.map { readerd_tls_is_secured($0) } ?? false }

    /// The reason of a TLS failure, a constant READERD_TLS_….
    var failure: Int { stream.map { Int(readerd_tls_failure($0)) } ?? 0 }

    /// OpenSSL's text for a refused certificate.
    var refusal: String { stream.map { String(cString: readerd_tls_refusal($0)) } ?? "" }

    private static func outcome(_ result: Int64, blocked: Outcome) -> Outcome {
        if result >= 0 { return .octets(Int(result)) }
        return result == -Int64(readerd_error_again) ? blocked : .ended
    }

    private static func outcome(_ result: CInt) -> Outcome {
        switch Int(result) {
        case Int(READERD_TLS_WANTS_READ): .wantsRead
        case Int(READERD_TLS_WANTS_WRITE): .wantsWrite
        case Int(READERD_TLS_ENDED): .ended
        case Int(READERD_TLS_FAILED): .failed
        default: .octets(Int(result))
        }
    }
}
