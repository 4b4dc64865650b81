// SPDX-License-Identifier: Apache-2.0

/// The host's end of the line to a PN532, as a driver has it: commands without frame and direction in, their results
/// out (PN532 user manual UM0701-02, 6.2.1).
public struct PN532Link: Sendable {
    /// The result of a command.
    public enum Result: Equatable, Sendable {
        /// The response without direction and code.
        case response([UInt8])
        /// The chip works, and its status reports a failure of the exchange with the card (7.1).
        case exchangeFailed
        /// No response to this command: a syntax error, or a response to another command.
        case unexpected
    }

    /// The commands whose responses begin with a status: InDataExchange, InCommunicateThru, InDeselect, InRelease.
    private static let withStatus: Set<UInt8> = [0x40, 0x42, 0x44, 0x52]
    /// The bits of a status that contain an error (7.1).
    private static let errorBits: UInt8 = 0x3F

    private var decoder = PN532FrameDecoder()
    private var code: UInt8 = 0

    /// A link to a chip.
    public init() {}

    /// The octets for the chip. `command` begins with its code.
    public mutating func octets(of command: [UInt8]) -> [UInt8] {
        code = command.first ?? 0
        return PN532Frame.encoded([PN532Frame.toChip] + command)
    }

    /// Handles octets of the chip; nil while the response is not whole.
    public mutating func receive(_ octets: Span<UInt8>) -> Result? {
        var result: Result?
        for item in decoder.receive(octets) {
            switch item {
            case .frame(.ack): break
            case .frame(.data(let data)): result = self.result(data)
            case .frame(.nack), .fault: result = .unexpected
            }
        }
        return result
    }

    private func result(_ data: [UInt8]) -> Result {
        guard data.count >= 2, data[0] == PN532Frame.fromChip, data[1] == code + 1 else { return .unexpected }
        let response = Array(data[2...])
        guard PN532Link.withStatus.contains(code), let status = response.first else { return .response(response) }
        return status & PN532Link.errorBits == 0 ? .response(response) : .exchangeFailed
    }
}
