// SPDX-License-Identifier: Apache-2.0

/// The answer of the process that takes an adapter for another process: the socket of the user channel accompanies it,
/// or it has a fault.
public enum AdapterReply: Equatable, Sendable {
    /// The adapter is taken.
    case taken
    /// It is not.
    case failed(TransportFault)

    /// The maximum length in octets: a fault, its errno, and the numbers of adapters.
    public static let maximumCount = 2 + 2 * 64

    /// The faults without further fields, by their octet less 1.
    private static let faults: [TransportFault] = [
        .noBluetooth, .notPermitted, .noSuchAdapter, .adapterIsUp, .adapterIsBusy, .adapterIsTaken, .radioIsBlocked,
        .adapterIsNotConfigured,
    ]
    private static let ambiguous: UInt8 = 0x40
    private static let cannotOpen: UInt8 = 0x41

    /// The encoding: the kind, an errno or 0, and for an ambiguous address the numbers, least significant octet first.
    public var octets: [UInt8] {
        switch self {
        case .taken: return [0, 0]
        case .failed(.ambiguousAdapter(let numbers)):
            let shown = numbers.prefix((AdapterReply.maximumCount - 2) / 2)
            return [AdapterReply.ambiguous, 0] + shown.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        case .failed(.cannotOpen(let code)): return [AdapterReply.cannotOpen, UInt8(clamping: code)]
        case .failed(let fault):
            let index = AdapterReply.faults.firstIndex(of: fault)
            return index.map { [UInt8(truncatingIfNeeded: $0 + 1), 0] } ?? [AdapterReply.cannotOpen, 0]
        }
    }

    /// Decodes the complete output of `octets`; nil for anything else.
    public init?(_ octets: [UInt8]) {
        guard octets.count >= 2, octets.count <= AdapterReply.maximumCount else { return nil }
        let rest = octets[2...]
        switch (octets[0], octets[1]) {
        case (0, 0) where rest.isEmpty: self = .taken
        case (AdapterReply.ambiguous, 0) where rest.count.isMultiple(of: 2):
            let places = stride(from: 2, to: octets.count, by: 2)
            self = .failed(.ambiguousAdapter(places.map { UInt16(octets[$0]) | UInt16(octets[$0 + 1]) << 8 }))
        case (AdapterReply.cannotOpen, let code) where rest.isEmpty: self = .failed(.cannotOpen(code: CInt(code)))
        case (let kind, 0) where rest.isEmpty && (1...AdapterReply.faults.count).contains(Int(kind)):
            self = .failed(AdapterReply.faults[Int(kind) - 1])
        default: return nil
        }
    }
}
