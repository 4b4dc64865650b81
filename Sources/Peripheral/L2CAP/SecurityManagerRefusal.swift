/// The Security Manager of a device that does not pair (Core 5.4, Vol 3, Part H, 3).
public enum SecurityManagerRefusal {
    private static let pairingRequest: UInt8 = 0x01
    private static let pairingFailed: UInt8 = 0x05
    private static let pairingNotSupported: UInt8 = 0x05

    /// Takes one SMP PDU and appends at most one PDU to `response`.
    ///
    /// A Pairing Request is answered with Pairing Failed, "Pairing Not Supported" (3.5.5). Everything else is ignored:
    /// reserved codes because 3.3 says so, and the other commands because they belong to a pairing that was never begun.
    public static func receive(_ pdu: Span<UInt8>, response: inout [UInt8]) {
        guard pdu.count > 0, pdu[0] == pairingRequest else { return }
        response.append(pairingFailed)
        response.append(pairingNotSupported)
    }
}
