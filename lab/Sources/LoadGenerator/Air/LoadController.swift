import Octets
import Peripheral

/// A controller with phones, as a value: the host's packets go in, packets for the host come out.
///
/// It answers all commands of a host's initialization, connects a phone whenever the host advertises and one is
/// missing, and reports data packets as completed on receipt. It verifies nothing: that is the purpose of the virtual
/// air.
struct LoadController {
    /// The connection handle of the first link.
    static let firstHandle: UInt16 = 0x0040
    /// The ATT_MTU of the phones: an ACL packet of 251 octets less the L2CAP header.
    static let mtu: UInt16 = 247
    /// The maximum number of links in an event, which has at most 255 octets of parameters, four per link.
    private static let linksPerEvent = 63
    private static let attributeChannel: UInt16 = 0x0004

    let plan: LoadPlan
    /// The packets for the host.
    var burst = PacketBurst()
    var links: [PhoneLink]
    var random: SplitMix
    /// The number of received commands.
    var commands = 0
    /// Whether the host has sent HCI_Reset.
    var wasReset = false
    /// Whether the host has advertised.
    var hasAdvertised = false
    /// Whether legacy advertising is enabled.
    var isAdvertising = false
    /// The enabled advertising sets.
    var sets: [UInt8] = []
    /// The number of completed packets of each link that have not been reported.
    private var done: [UInt16]
    private var hasDone = false

    init(plan: LoadPlan) {
        self.plan = plan
        links = Array(repeating: PhoneLink(), count: plan.phones)
        done = Array(repeating: 0, count: plan.phones)
        random = SplitMix(seed: plan.seed)
    }

    /// The number of connected phones.
    var linkCount: Int { links.count { $0.isUp } }

    /// Handles one packet from the host, with its packet type octet.
    mutating func receive(_ packet: Span<UInt8>) {
        guard packet.count >= 4 else { return }
        switch packet[0] {
        case 0x01: perform(packet)
        case 0x02 where packet.count >= 5: receiveData(packet)
        default: break
        }
    }

    /// Reports completed packets, and connects a phone. Call this when all input has been received.
    mutating func settle() {
        if hasDone { tellDone() }
        guard isAdvertising || !sets.isEmpty, let link = links.firstIndex(where: { !$0.isUp }) else { return }
        connect(link)
    }

    private mutating func receiveData(_ packet: Span<UInt8>) {
        let link = Int(packet[1]) | Int(packet[2] & 0x0F) << 8
        let index = link - Int(LoadController.firstHandle)
        guard links.indices.contains(index), links[index].isUp else { return }
        done[index] &+= 1
        hasDone = true
        let isStart = packet[2] >> 4 & 0x03 != 0x01
        switch links[index].receive(packet.extracting(5..<packet.count), isStart: isStart) {
        case .nothing: break
        case .exchangeMTU: send([0x03, UInt8(LoadController.mtu), 0], on: index)
        case .confirmation: send([0x1E], on: index)
        }
    }

    /// Number Of Completed Packets (Core 5.4, Vol 4, Part E, 7.7.19), for as many links per event as possible.
    private mutating func tellDone() {
        hasDone = false
        var index = 0
        while let first = done[index...].firstIndex(where: { $0 > 0 }) {
            index = first
            let waiting = done[first...].count { $0 > 0 }
            let count = min(waiting, LoadController.linksPerEvent)
            burst.append { packet in
                packet.append(0x04)
                packet.append(0x13)
                packet.append(UInt8(1 + 4 * count))
                packet.append(UInt8(count))
                var left = count
                while left > 0 {
                    if done[index] > 0 {
                        packet.append(littleEndian: LoadController.firstHandle + UInt16(index))
                        packet.append(littleEndian: done[index])
                        done[index] = 0
                        left -= 1
                    }
                    index += 1
                }
            }
        }
    }

    /// Sends an ATT PDU on a link. With `awaitsAnswer`, the time of its write is recorded.
    mutating func send(_ pdu: [UInt8], on link: Int, awaitsAnswer: Bool = false) {
        let handle = LoadController.firstHandle + UInt16(link)
        let count = pdu.count + 4
        var offset = 0
        while offset < count {
            let end = min(offset + plan.packetLength, count)
            burst.append(link: awaitsAnswer && end == count ? link : -1) { packet in
                packet.append(0x02)
                packet.append(littleEndian: handle | (offset == 0 ? 0x2000 : 0x1000))
                packet.append(littleEndian: UInt16(end - offset))
                if offset == 0 {
                    packet.append(littleEndian: UInt16(pdu.count))
                    packet.append(littleEndian: LoadController.attributeChannel)
                }
                packet.append(pdu.span.extracting(max(offset - 4, 0)..<end - 4))
            }
            offset = end
        }
    }

    /// Disconnects the phone of this link: Disconnection Complete with reason 0x13 (7.7.5).
    mutating func disconnect(_ link: Int) {
        guard links[link].isUp else { return }
        end(link, reason: 0x13)
    }

    mutating func end(_ link: Int, reason: UInt8) {
        links[link].end()
        done[link] = 0
        burst.appendEvent(0x05, [0, UInt8(LoadController.firstHandle) + UInt8(link), 0, reason])
    }

    /// LE Connection Complete (7.7.65.1), and LE Advertising Set Terminated (7.7.65.18) for a set: advertising ends
    /// with it.
    private mutating func connect(_ link: Int) {
        let handle = UInt8(LoadController.firstHandle) + UInt8(link)
        let address = random.next()
        var parameters: [UInt8] = [0x01, 0, handle, 0, 0x01, 0x01]
        for shift in 0..<5 { parameters.append(UInt8(truncatingIfNeeded: address >> UInt64(8 * shift))) }
        // A random static address; interval 30 ms, no latency, supervision time-out 5 s.
        parameters += [0xC0 | UInt8(link), 24, 0, 0, 0, 0xF4, 0x01, 0x01]
        burst.appendEvent(0x3E, parameters)
        if isAdvertising {
            isAdvertising = false
        } else {
            burst.appendEvent(0x3E, [0x12, 0, sets.removeFirst(), handle, 0, 0])
        }
        links[link].begin()
    }
}

/// SplitMix64: a deterministic pseudorandom generator.
struct SplitMix {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func octets(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next() >> 32) }
    }
}
