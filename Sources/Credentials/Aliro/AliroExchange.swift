// SPDX-License-Identifier: Apache-2.0

/// One command and its response over short APDUs (ISO 7816-4, 5.3): chained blocks, and GET RESPONSE.
struct AliroExchange {
    /// The maximum data of one block.
    static let maximumBlock = 255
    /// The maximum length of a response. Documents have a few hundred octets.
    static let maximumResponse = 2048
    /// The maximum number of GET RESPONSE commands: `maximumResponse` in parts of 32 octets.
    static let maximumContinuations = 64

    /// The result of a response APDU.
    enum Progress {
        case transmit([UInt8])
        case complete
        case failed(statusWord: UInt16)
        case tooLong
        case malformed
    }

    /// The blocks that are not transmitted yet, in reverse order.
    private var blocks: [[UInt8]] = []
    private var continuations = 0
    private(set) var response: [UInt8] = []

    /// Starts a command, and returns its first block.
    mutating func begin(
        _ instructionClass: UInt8, _ instruction: UInt8, _ data: [UInt8], parameter: UInt8 = 0, hasResponse: Bool = true
    ) -> [UInt8] {
        response = []
        continuations = 0
        let starts = Array(stride(from: 0, to: max(1, data.count), by: Self.maximumBlock))
        blocks = starts.map { start in
            let isLast = start == starts.last
            let part = data[start..<min(start + Self.maximumBlock, data.count)]
            var block = [isLast ? instructionClass : instructionClass | 0x10, instruction, parameter, 0]
            block.append(UInt8(part.count))
            block += part
            if isLast, hasResponse { block.append(0) }
            return block
        }
        .reversed()
        return blocks.removeLast()
    }

    /// Starts a command that is one APDU, and returns it.
    mutating func begin(whole command: [UInt8]) -> [UInt8] {
        (response, continuations, blocks) = ([], 0, [])
        return command
    }

    /// Handles a response APDU.
    mutating func receive(_ octets: Span<UInt8>) -> Progress {
        guard octets.count >= 2 else { return .malformed }
        let data = octets.extracting(0..<octets.count - 2)
        let (first, second) = (octets[octets.count - 2], octets[octets.count - 1])
        guard response.count + data.count <= Self.maximumResponse else { return .tooLong }
        switch first {
        case 0x90 where second == 0:
            if let block = blocks.popLast() { return data.isEmpty ? .transmit(block) : .malformed }
            response.append(contentsOf: [UInt8](data))
            return .complete
        case 0x61 where blocks.isEmpty:
            continuations += 1
            guard continuations <= Self.maximumContinuations else { return .tooLong }
            response.append(contentsOf: [UInt8](data))
            return .transmit([0x00, 0xC0, 0x00, 0x00, second])
        default: return .failed(statusWord: UInt16(first) << 8 | UInt16(second))
        }
    }
}
