// SPDX-License-Identifier: Apache-2.0

/// The Security Manager of a device without pairing (Core 5.4, Vol 3, Part H, 3).
public enum SecurityManagerRefusal {
    /// Handles an SMP PDU, and appends at most one PDU to `response`.
    ///
    /// A Pairing Request is answered with Pairing Failed, "Pairing Not Supported" (3.5.5). Everything else is ignored:
    /// reserved codes according to 3.3, other commands because they belong to a pairing that has not begun.
    public static func receive(_ pdu: Span<UInt8>, response: inout [UInt8]) {
        guard pdu.count > 0, pdu[0] == SecurityPDU.Code.pairingRequest.rawValue else { return }
        SecurityPDU.failed(.pairingNotSupported).append(to: &response)
    }
}
