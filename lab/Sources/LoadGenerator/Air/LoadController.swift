// SPDX-License-Identifier: Apache-2.0

import Octets
import Peripheral
import SeededNumbers

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

    let plan: LoadPlan
    /// The packets for the host.
    var burst = PacketBurst()
    var links: [PhoneLink]
    var random: SeededGenerator
    /// The number of received commands.
    var commands = 0
    /// True if the host has sent HCI_Reset.
    var wasReset = false
    /// True if the host has advertised.
    var hasAdvertised = false
    /// True if legacy advertising is enabled.
    var isAdvertising = false
    /// The enabled advertising sets.
    var sets: [UInt8] = []
    /// The number of completed packets of each link that have not been reported.
    private var done: [UInt16]
    private var hasDone = false
    /// The parameters of the event that reports them.
    private var pairs: [UInt8] = []

    init(plan: LoadPlan) {
        self.plan = plan
        links = Array(repeating: PhoneLink(), count: plan.phones)
        done = Array(repeating: 0, count: plan.phones)
        random = SeededGenerator(seed: plan.seed)
    }

    /// The number of connected phones.
    var linkCount: Int { links.count { $0.isUp } }

    /// Handles one packet from the host, with its packet type octet.
    mutating func receive(_ packet: Span<UInt8>) {
        guard packet.count >= 4 else { return }
        switch H4PacketType(rawValue: packet[0]) {
        case .command: perform(packet)
        case .acl: receiveData(packet)
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
        guard let data = try? DataPacket.parse(packet) else { return }
        let index = Int(data.handle) - Int(LoadController.firstHandle)
        guard links.indices.contains(index), links[index].isUp else { return }
        done[index] &+= 1
        hasDone = true
        var reply: [UInt8] = []
        switch links[index].receive(packet.extracting(data.fragment), isStart: data.isStart) {
        case .nothing: return
        case .exchangeMTU: ATTResponse.exchangeMTU(server: LoadController.mtu).append(to: &reply)
        case .confirmation: ATTRequest.confirmation.append(to: &reply)
        }
        send(reply, on: index)
    }

    /// Number Of Completed Packets (Core 5.4, Vol 4, Part E, 7.7.19), for as many links per event as possible.
    private mutating func tellDone() {
        hasDone = false
        var index = 0
        while let first = done[index...].firstIndex(where: { $0 > 0 }) {
            index = first
            let waiting = done[first...].count { $0 > 0 }
            let count = min(waiting, LoadController.linksPerEvent)
            pairs.removeAll(keepingCapacity: true)
            while pairs.count < 4 * count {
                if done[index] > 0 {
                    pairs.append(littleEndian: LoadController.firstHandle + UInt16(index))
                    pairs.append(littleEndian: done[index])
                    done[index] = 0
                }
                index += 1
            }
            burst.append(.completedPackets(pairs.indices), pairs)
        }
    }

    /// Sends an ATT PDU on a link. With `awaitsAnswer`, the time of its write is recorded.
    mutating func send(_ pdu: [UInt8], on link: Int, awaitsAnswer: Bool = false) {
        let handle = LoadController.firstHandle + UInt16(link)
        let count = pdu.count + L2CAPFrame.headerCount
        var offset = 0
        while offset < count {
            let end = min(offset + plan.packetLength, count)
            burst.append(link: awaitsAnswer && end == count ? link : -1) { packet in
                DataPacket.appendHeader(
                    handle: handle, isStart: offset == 0, count: end - offset, isFromController: true, to: &packet)
                if offset == 0 { L2CAPFrame.appendHeader(payloadCount: pdu.count, channel: .attribute, to: &packet) }
                let header = L2CAPFrame.headerCount
                packet.append(pdu.span.extracting(max(offset - header, 0)..<end - header))
            }
            offset = end
        }
    }

    /// Disconnects the phone of this link: Disconnection Complete with reason Remote User Terminated (7.7.5).
    mutating func disconnect(_ link: Int) {
        guard links[link].isUp else { return }
        end(link, reason: .remoteUserTerminated)
    }

    mutating func end(_ link: Int, reason: HCIStatus) {
        links[link].end()
        done[link] = 0
        burst.append(
            .disconnectionComplete(.success, handle: LoadController.firstHandle + UInt16(link), reason: reason))
    }

    /// LE Connection Complete (7.7.65.1), and LE Advertising Set Terminated (7.7.65.18) for a set: advertising ends
    /// with it.
    private mutating func connect(_ link: Int) {
        let handle = LoadController.firstHandle + UInt16(link)
        // A random static address that names the link.
        let address = random.next() & 0xFF_FFFF_FFFF | (0xC0 | UInt64(link)) << 40
        burst.append(
            .connectionComplete(
                .success,
                HCIEvent.NewConnection(
                    handle: handle, isPeripheral: true, peer: BluetoothAddress(kind: .random, value: address),
                    interval: .milliseconds(30), supervisionTimeout: .seconds(5))))
        if isAdvertising {
            isAdvertising = false
        } else {
            burst.append(.advertisingSetTerminated(.success, set: sets.removeFirst(), handle: handle))
        }
        links[link].begin()
    }
}

extension SeededGenerator {
    mutating func octets(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next() >> 32) }
    }
}
