import Octets

/// A command, declared once: its number, how its parameters are written, and how its return parameters are read.
protocol HCICommand {
    /// What a controller returns after a successful status.
    associatedtype Answer

    /// The command's number.
    static var opcode: HCIOpcode { get }

    /// Appends the parameters, at most 255 octets.
    func append(to packet: inout [UInt8])

    /// Reads what follows the status octet.
    static func parse(_ packet: Span<UInt8>, _ cursor: inout OctetCursor) throws(OctetError) -> Answer
}

/// What a controller said to a command.
enum CommandAnswer<Answer> {
    /// Status 0, and the return parameters.
    case success(Answer)
    /// Another status, or one that the return parameters belie.
    case refused(HCIStatus)

    /// Hands the return parameters to `use`, or gives the status with which the command was refused.
    func refusal(else use: (Answer) -> Void) -> HCIStatus? {
        switch self {
        case .success(let answer):
            use(answer)
            return nil
        case .refused(let status): return status
        }
    }
}

extension HCICommand {
    /// Appends the whole packet: type, opcode, length, parameters (Core 5.4, Vol 4, Part A, 2 and Part E, 5.4.1).
    func appendPacket(to packet: inout [UInt8]) {
        packet.append(H4PacketType.command.rawValue)
        packet.append(littleEndian: Self.opcode.rawValue)
        let mark = packet.count
        packet.append(0)
        append(to: &packet)
        packet[mark] = UInt8(truncatingIfNeeded: packet.count - mark - 1)
    }

    /// Reads the return parameters in `range` of `packet`.
    ///
    /// Only the status is needed to refuse: controllers send nothing behind it for a command they do not know.
    /// Octets behind the last known parameter are ignored, as a later version may add some. A success that is too
    /// short to be one counts as refused with `unspecifiedError`.
    static func answer(_ packet: Span<UInt8>, in range: Range<Int>) -> CommandAnswer<Answer> {
        var cursor = OctetCursor(packet, in: range)
        do throws(OctetError) {
            let status = HCIStatus(rawValue: try cursor.u8(packet))
            guard status == .success else { return .refused(status) }
            return .success(try parse(packet, &cursor))
        } catch {
            return .refused(.unspecifiedError)
        }
    }
}

extension HCICommand where Answer == Void {
    static func parse(_ packet: Span<UInt8>, _ cursor: inout OctetCursor) throws(OctetError) {}
}
