// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import Timekeeping

@testable import Peripheral

@Suite struct HostileControllerTests {
    /// Every event the host knows, cut at every length and told to be as long as it is not: nothing happens, nothing
    /// traps, and what comes afterwards is understood.
    @Test func eventsOfEveryLength() throws {
        let events: [[UInt8]] = [
            [0x04, 0x05, 0x04, 0, 0x40, 0, 0x13], [0x04, 0x0E, 0x04, 1, 0x03, 0x0C, 0], [0x04, 0x0F, 0x04, 0, 1, 6, 4],
            [0x04, 0x10, 0x01, 0x42], [0x04, 0x13, 0x05, 1, 0x40, 0, 1, 0], ControllerPacket.connected(0x41),
            [0x04, 0x3E, 0x0A, 0x03, 0, 0x40, 0, 24, 0, 0, 0, 0x90, 1],
            [0x04, 0x3E, 0x0D, 0x05, 0x40, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
            [0x04, 0x3E, 0x06, 0x12, 0, 1, 0x40, 0, 0],
        ]
        let rig = try Rig(.extended, sets: [Sample.set(1)]).started()
        rig.join()
        _ = (rig.takeCommands(), rig.takeEvents())
        for event in events {
            for count in 0..<event.count {
                rig.send(Array(event.prefix(count)))
                guard count >= 3 else { continue }
                // Consistent, but with fewer parameters than the event has.
                var short = Array(event.prefix(count))
                short[2] = UInt8(count - 3)
                // A Command Complete without return parameters is one; it answers nothing here.
                rig.send(short)
            }
            rig.send(event + [0])
        }
        rig.send([])
        rig.send([0x04])
        rig.send([0x03, 0x40, 0x00, 0x00])
        rig.send([0xFF, 0x00])
        #expect(rig.takeCommands() == [] && rig.takeEvents() == [])
        rig.att(0x40, [0x0A, 0x03, 0x00])
        #expect(rig.takeData().count == 1)
    }

    /// Events that are whole, of links, sets and commands that do not exist, and with counts that cannot be.
    @Test(arguments: [
        ("disconnection of nobody", "04050400410013"), ("handle with reserved bits", "04050400" + "41f0" + "13"),
        ("packets of nobody", "041305" + "01" + "41000100"), ("no packets at all", "041301" + "00"),
        ("the same link twice, more than it had", "041309" + "02" + "4000ffff" + "4000ffff"),
        ("fewer pairs than said", "041305" + "ff" + "40000100"),
        ("update of nobody", "043e0a" + "03004100180000009001"),
        ("key for nobody", "043e0d" + "05410001020304050607080910"),
        ("unknown set", "043e06" + "1200ee" + "4000" + "00"),
        ("set that ended by itself", "043e06" + "123c01" + "0000" + "00"),
        ("connection that failed", "043e13" + "013e0000010000000000000000000000000000"),
        ("answer to nothing", "040e04" + "01" + "0920" + "00"), ("status of nothing", "040f04" + "0c" + "01" + "1320"),
        ("255 commands at once", "040e04" + "ff" + "0920" + "00"), ("unknown subevent", "043e04" + "ff010203"),
        ("unknown event", "04ff02" + "0102"), ("no parameters", "04ff00"), ("an LE event without one", "043e00"),
        ("data of nobody", "02" + "4120" + "0700" + "03000400" + "0a0300"), ("broadcast data", "02" + "4080" + "0000"),
        ("audio", "0340000100"), ("isochronous data", "0540000000"), ("a command", "01030c00"),
    ])
    func wholeButAbsurd(what: String, event: String) throws {
        let rig = try Rig(.extended, sets: [Sample.set(1)]).started()
        rig.join()
        _ = (rig.takeCommands(), rig.takeEvents())
        let packet = octets(event)
        for _ in 0..<3 { rig.send(packet) }
        // The controller is asked about an unknown handle later (`SupervisionTests`).
        rig.run(to: 999)
        let told = rig.takeEvents()
        #expect(told == [], "\(what)")
        // A connection that failed may have stopped the set; nothing else is a reason to command anything.
        let enables = rig.takeCommands().filter { $0 != "392006010101000000" }
        #expect(enables == [], "\(what)")
        rig.att(0x40, [0x0A, 0x03, 0x00])
        #expect(rig.takeData().count == 1, "\(what)")
    }

    /// Well-formed or not, in any order: the host does not trap, asks for time a bounded number of times, keeps its
    /// promises to the device, and works with a controller that has come to its senses.
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func anythingAtAll(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var controller: ScriptedController = seed % 2 == 0 ? .extended : .legacy
        controller.supported[33] = 0x40
        controller.supported[27] = 0x04
        var configuration = HostConfiguration()
        configuration.links = 4
        configuration.channelServices = [ChannelService(spsm: 0x80, mtu: 64, mps: 64, credits: 2, maximumPerLink: 3)]
        let rig = try Rig(controller, sets: [Sample.set(1), Sample.set(2)], configuration: configuration).started()
        var witness = Witness()
        for step in 0..<25_000 {
            rig.isAnswering = random.below(8) != 0
            rig.now = rig.now + .microseconds(Int(random.below(3000)))
            rig.send(random.packet())
            if let deadline = rig.host.nextDeadline, deadline <= rig.now || random.below(50) == 0 {
                rig.now = max(rig.now, deadline)
                rig.host.advance(to: rig.now)
                rig.settle()
                if let next = rig.host.nextDeadline { #expect(next > rig.now, "step \(step)") }
            }
            device(rig, &random, witness)
            for event in rig.takeEvents() { witness.see(event) }
            rig.controller.commands.removeAll(keepingCapacity: true)
            rig.controller.data.removeAll(keepingCapacity: true)
        }
        #expect(witness.faults == [] && witness.opened > 100)
        // Sense at last.
        rig.isAnswering = true
        rig.send([0x04, 0x10, 0x01, 0x00])
        rig.run(to: Double(rig.now.nanoseconds) / 1e6 + 20_000)
        rig.act { $0.setAdvertising(enabled: false, at: $1) }
        _ = (rig.takeCommands(), rig.takeEvents())
        rig.act { $0.setAdvertising(enabled: true, at: $1) }
        let enabled = rig.takeCommands().last
        #expect(enabled == (seed % 2 == 0 ? "39200a01020100000002000000" : "0a200101"))
        rig.connect(0x40)
        rig.run(to: Double(rig.now.nanoseconds) / 1e6 + 10)
        rig.att(0x40, [0x0A, 0x03, 0x00])
        #expect(rig.takeData() == ["0240000d00090004000b7761307931597753"])
    }

    private func device(_ rig: Rig, _ random: inout SplitMix64, _ witness: Witness) {
        let links = witness.links
        guard !links.isEmpty else { return }
        let link = links[Int(random.below(UInt64(links.count)))]
        if let (link, channel) = witness.channels.randomElement(using: &random) {
            if random.below(20) == 0 { rig.host.closeChannel(link, channel, at: rig.now) }
            _ = rig.transmit(link, channel, [1, 2, 3])
        }
        switch random.below(40) {
        case 0: rig.host.disconnect(link, reason: .remoteUserTerminated, at: rig.now)
        case 1...5: _ = rig.readRSSI(link)
        case 6...20: _ = rig.notify(link, 8, [1, 2, 3])
        case 21: rig.host.setAdvertising(enabled: random.below(3) != 0, at: rig.now)
        default: return
        }
        rig.settle()
    }
}

/// Holds the host to what it promises a device.
private struct Witness {
    var links: [LinkID] = []
    var faults: [String] = []
    var channels: [(link: LinkID, channel: ChannelID)] = []
    /// The number of channels opened.
    private(set) var opened = 0
    private var seen: Set<UInt32> = []

    mutating func see(_ event: HostEvent) {
        switch event {
        case .connected(let link, _):
            if !seen.insert(link.generation).inserted { faults.append("\(link) came again") }
            if links.contains(where: { $0.slot == link.slot }) { faults.append("\(link) in a taken place") }
            links.append(link)
        case .disconnected(let link, _):
            if !links.contains(link) { faults.append("\(link) ended without a beginning") }
            links.removeAll { $0 == link }
            if channels.contains(where: { $0.link == link }) { faults.append("channels outlive \(link)") }
        case .channelOpened(let link, let channel, _):
            if !links.contains(link) { faults.append("\(channel) on a link that is not there") }
            opened += 1
            channels.append((link, channel))
        case .channelReceived(let link, let channel, _), .channelWritable(let link, let channel),
            .channelReconfigured(let link, let channel, _), .channelClosed(let link, let channel):
            let count = channels.count { $0.link == link && $0.channel == channel }
            if count != 1 { faults.append("\(event) of a channel that is open \(count) times") }
            if case .channelClosed = event { channels.removeAll { $0.link == link && $0.channel == channel } }
        case .intervalChanged(let link, _), .rssi(let link, _), .transmitPower(let link, _),
            .mtuExchanged(let link, _), .refused(let link, _), .written(let link, _, _), .subscribed(let link, _, _),
            .writable(let link), .displayPasskey(let link, _),
            .requestPasskey(let link), .compare(let link, _), .securityChanged(let link, _), .bondRemoved(let link, _),
            .paired(let link, _),
            .pairingFailed(let link, _):
            if !links.contains(link) { faults.append("\(event) of a link that is not there") }
        case .readRequested(let request, _, _), .writeRequested(let request, _, _):
            if !links.contains(request.link) { faults.append("\(event) of a link that is not there") }
        case .confirmed(let link, _):
            if !links.contains(link) { faults.append("\(event) of a link that is not there") }
        case .ready, .controllerFailed:
            if !links.isEmpty { faults.append("links outlive \(event)") }
        case .advertising, .transmitPowerUnavailable: break
        }
    }
}

extension SplitMix64 {
    /// A handle out of a few, so that events meet.
    fileprivate mutating func handle() -> [UInt8] { [UInt8(0x40 + below(7)), 0x00] }

    fileprivate mutating func status() -> UInt8 { below(3) == 0 ? UInt8(below(0x46)) : 0 }

    fileprivate mutating func event(_ code: UInt8, _ parameters: [UInt8]) -> [UInt8] {
        var packet = [0x04, code, UInt8(parameters.count)] + parameters
        if below(20) == 0 { packet.removeLast(Int(below(UInt64(packet.count)))) }
        if below(20) == 0 { packet[Int(below(UInt64(packet.count)))] = UInt8(below(256)) }
        return packet
    }

    fileprivate mutating func packet() -> [UInt8] {
        let opcodes: [UInt16] = [
            0x0406, 0x1405, 0x2005, 0x2006, 0x200A, 0x2013, 0x2022, 0x2036, 0x2039, 0x0C03, 0x2002, 0,
        ]
        let opcode = opcodes[Int(below(UInt64(opcodes.count)))]
        let number = [UInt8(opcode & 0xFF), UInt8(opcode >> 8)]
        switch below(64) {
        case 0: return octets(Int(below(40)))
        case 1: return event(UInt8(below(256)), octets(Int(below(30))))
        case 2: return event(0x3E, octets(Int(below(30))))
        case 3: return below(20) == 0 ? event(0x10, [0]) : []
        case 4...9: return event(0x0E, [UInt8(below(3))] + number + [status()] + octets(Int(below(8))))
        case 10...14: return event(0x0F, [status(), UInt8(below(3))] + number)
        case 15...22: return event(0x3E, [0x01, status()] + handle() + [1, 1, 1, 2, 3, 4, 5, 6] + octets(7))
        case 23...27: return event(0x3E, [0x12, status(), UInt8(below(4))] + handle() + [0])
        case 28...32: return event(0x05, [status()] + handle() + [0x13])
        case 33...36: return event(0x13, [1] + handle() + [UInt8(below(4)), 0])
        case 37: return event(0x3E, [0x05] + handle() + octets(10))
        case 38: return event(0x3E, [0x03, status()] + handle() + octets(6))
        case 39...42: return [0x02] + handle() + [UInt8(below(30)), 0] + octets(Int(below(30)))
        case 43: return ControllerPacket.data(UInt16(handle()[0]), [0x12, 0x09, 0x00, UInt8(below(4)), 0x00])
        case 44: return ControllerPacket.data(UInt16(handle()[0]), [0x02] + octets(2))
        case 45...47:
            let endpoint = UInt8(0x40 + below(8))
            let request: [UInt8] = [0x14, 1, 10, 0, 0x80, 0, endpoint, 0, 64, 0, 23, 0, UInt8(below(5)), 0]
            return ControllerPacket.data(UInt16(handle()[0]), request, channel: 5)
        case 48...50:
            let unit = octets(Int(below(8)))
            return ControllerPacket.data(
                UInt16(handle()[0]), [UInt8(unit.count), 0] + unit, channel: UInt8(0x40 + below(0x40)))
        case 51:
            return ControllerPacket.data(
                UInt16(handle()[0]), [0x16, 1, 4, 0, UInt8(0x40 + below(8)), 0, 1, 0], channel: 5)
        default: return ControllerPacket.data(UInt16(handle()[0]), octets(Int(below(12))), channel: UInt8(3 + below(5)))
        }
    }
}
