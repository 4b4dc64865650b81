import Octets

/// The complete discovery of a client: services, characteristics, descriptors (Core 5.4, Vol 3, Part G, 4.4.1, 4.6.1,
/// 4.7.1). A value: the response to one request goes in, the next request comes out.
struct Discovery {
    private enum Step { case services, characteristics, descriptors }

    private var step = Step.services
    private var next: UInt16 = 0x0001
    private(set) var requests = 0
    /// The value handles of the table's characteristics.
    private(set) var handles: [BenchTable.Characteristic: UInt16] = [:]
    /// The handle of the client characteristic configuration of notifications.
    private(set) var configuration: UInt16?
    /// Whether the discovery is complete.
    private(set) var isFinished = false

    /// The next request.
    mutating func request() -> [UInt8] {
        requests += 1
        var pdu: [UInt8] =
            switch step {
            case .services: [0x10]
            case .characteristics: [0x08]
            case .descriptors: [0x04]
            }
        pdu.append(littleEndian: next)
        pdu.append(littleEndian: UInt16(0xFFFF))
        switch step {
        case .services: pdu.append(littleEndian: UInt16(0x2800))
        case .characteristics: pdu.append(littleEndian: UInt16(0x2803))
        case .descriptors: break
        }
        return pdu
    }

    /// Handles the response to the last request. An error, or a response that does not advance the discovery, ends
    /// the step.
    mutating func receive(_ pdu: Span<UInt8>) {
        let last: UInt16? = pdu.count < 2 ? nil : lastHandle(pdu)
        if let last, last >= next, last < 0xFFFF {
            next = last + 1
            return
        }
        next = 0x0001
        switch step {
        case .services: step = .characteristics
        case .characteristics: step = .descriptors
        case .descriptors: isFinished = true
        }
    }

    /// The last handle in the response.
    private mutating func lastHandle(_ pdu: Span<UInt8>) -> UInt16? {
        let count: Int
        switch (step, pdu[0]) {
        case (.services, 0x11), (.characteristics, 0x09): count = Int(pdu[1])
        case (.descriptors, 0x05): count = pdu[1] == 0x01 ? 4 : 18
        default: return nil
        }
        guard count >= 4 else { return nil }
        var last: UInt16?
        for start in stride(from: 2, through: pdu.count - count, by: count) {
            let entry = pdu.extracting(start..<start + count)
            last = take(entry)
        }
        return last
    }

    private mutating func take(_ entry: Span<UInt8>) -> UInt16 {
        let handle = UInt16(entry[0]) | UInt16(entry[1]) << 8
        let second = UInt16(entry[2]) | UInt16(entry[3]) << 8
        switch step {
        case .services: return second
        case .characteristics:
            if entry.count == 21, let found = BenchTable.Characteristic(uuid: entry.extracting(5..<21)) {
                handles[found] = UInt16(entry[3]) | UInt16(entry[4]) << 8
            }
        case .descriptors:
            let notified = handles[.notify] ?? 0xFFFF
            if entry.count == 4, second == 0x2902, configuration == nil, handle > notified { configuration = handle }
        }
        return handle
    }
}
