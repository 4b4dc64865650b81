import Octets

/// The handles of a reader's access service, from its characteristic declarations (Core 5.4, Vol 3, Part G, 4.6.1). A
/// value: the response to one request goes in, the next request comes out.
struct AccessHandles {
    private var next: UInt16 = 0x0001
    /// The value handle to which frames are written.
    private(set) var rx: UInt16?
    /// The value handle from which frames are notified.
    private(set) var tx: UInt16?
    private(set) var isFinished = false

    /// 58920001-0BB5-4F7D-ADA1-988C7FEC44E4 and A0150002-4C92-496C-9CF1-007367D7E838, least significant octet first.
    private static let rxUUID: [UInt8] = [
        0xE4, 0x44, 0xEC, 0x7F, 0x8C, 0x98, 0xA1, 0xAD, 0x7D, 0x4F, 0xB5, 0x0B, 0x01, 0x00, 0x92, 0x58,
    ]
    private static let txUUID: [UInt8] = [
        0x38, 0xE8, 0xD7, 0x67, 0x73, 0x00, 0xF1, 0x9C, 0x6C, 0x49, 0x92, 0x4C, 0x02, 0x00, 0x15, 0xA0,
    ]

    /// The next request.
    func request() -> [UInt8] {
        var pdu: [UInt8] = [0x08]
        pdu.append(littleEndian: next)
        pdu.append(littleEndian: UInt16(0xFFFF))
        pdu.append(littleEndian: UInt16(0x2803))
        return pdu
    }

    /// Handles the response to the last request; the first service counts.
    mutating func receive(_ pdu: [UInt8]) {
        guard pdu.count > 2, pdu[0] == 0x09, pdu[1] >= 7, pdu.count >= 2 + Int(pdu[1]) else {
            isFinished = true
            return
        }
        let length = Int(pdu[1])
        for start in stride(from: 2, through: pdu.count - length, by: length) {
            let entry = pdu[start..<start + length]
            // A response that does not advance the discovery ends it.
            guard word(entry, 0) >= next, word(entry, 0) < 0xFFFF else {
                isFinished = true
                return
            }
            next = word(entry, 0) + 1
            let uuid = Array(entry.dropFirst(5))
            if uuid == AccessHandles.rxUUID, rx == nil { rx = word(entry, 3) }
            if uuid == AccessHandles.txUUID, tx == nil { tx = word(entry, 3) }
        }
        isFinished = rx != nil && tx != nil
    }

    private func word(_ octets: ArraySlice<UInt8>, _ place: Int) -> UInt16 {
        let start = octets.startIndex + place
        return UInt16(octets[start]) | UInt16(octets[start + 1]) << 8
    }
}
