// SPDX-License-Identifier: Apache-2.0

extension OSDPFrame {
    /// Reads octets with a valid check for an observer. Reserved control bits are ignored. A security block that is
    /// unknown or does not fit is skipped, and `security` is nil. Nil if the header leaves no room for a code.
    init?(lenient octets: [UInt8]) {
        guard octets.count >= OSDPFrame.lengthMinimum else { return nil }
        let control = octets[4]
        let kind: OSDPCheck = control & Control.crc == 0 ? .checksum : .crc
        let isReply = octets[1] & 0x80 != 0
        var (start, end) = (OSDPFrame.headerCount, octets.count - kind.count)
        var block: OSDPSecurityBlock?
        if OSDPFrame.hasSecurityBlock(octets) {
            let count = Int(octets[start])
            guard count >= 2, start + count < end else { return nil }
            if let type = OSDPSecurityBlock.Kind(rawValue: octets[start + 1]), type.isOfReply == isReply {
                block = OSDPSecurityBlock(type, Array(octets[(start + 2)..<(start + count)]))
            }
            start += count
        }
        let macStart = end - OSDPFrame.macCount
        if block?.kind.hasMAC == true {
            if macStart > start { end = macStart } else { block = nil }
        }
        guard start < end else { return nil }
        self.init(
            address: octets[1], isReply: isReply, sequence: control, check: kind, security: block, code: octets[start],
            data: Array(octets[(start + 1)..<end]))
        if block?.kind.hasMAC == true { mac = Array(octets[end..<(end + OSDPFrame.macCount)]) }
    }

    /// True if the header announces a security block.
    static func hasSecurityBlock(_ octets: [UInt8]) -> Bool { octets[4] & Control.securityBlock != 0 }
}
