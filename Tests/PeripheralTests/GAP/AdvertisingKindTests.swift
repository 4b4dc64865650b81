// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import Timekeeping

@testable import Peripheral

/// Non-connectable sets, the link pool, transmit power, and faults of sets.
@Suite struct AdvertisingKindTests {
    private func beacon(_ id: UInt8, _ kind: AdvertisingSet.Kind = .nonConnectable) -> AdvertisingSet {
        var set = Sample.set(id, Sample.beacon)
        set.kind = kind
        if kind == .nonConnectable { set.scanResponse = [] }
        return set
    }

    private func running(
        _ controller: ScriptedController, _ sets: [AdvertisingSet], links: Int = 16
    ) throws -> Rig {
        var configuration = HostConfiguration.unverified
        configuration.links = links
        return try Rig(controller, sets: sets, configuration: configuration).started()
    }

    /// 7.8.53: Advertising_Event_Properties with legacy PDUs, and no scan response for non-connectable sets; 7.8.5.
    @Test func packets() throws {
        let extended = try running(.extended, [beacon(1), beacon(2, .scannable)])
        let commands = extended.takeCommands()
        #expect(commands.contains { $0.hasPrefix("362019011000") })
        #expect(commands.contains { $0.hasPrefix("362019021200") })
        #expect(commands.filter { $0.hasPrefix("3820") }.map { $0.dropFirst(6).prefix(2) } == ["02"])
        let legacy = try running(.legacy, [beacon(1)])
        #expect(legacy.takeCommands().contains { $0.hasPrefix("06200fa000a0000301") })
        let scannable = try running(.legacy, [beacon(1, .scannable)])
        #expect(scannable.takeCommands().contains { $0.hasPrefix("06200fa000a0000201") })
    }

    /// A full link table stops connectable sets only; they resume as soon as a slot is free.
    @Test func fullPoolOnAnExtendedController() throws {
        let rig = try running(.extended, [Sample.set(1), beacon(2), Sample.set(3)], links: 1)
        _ = rig.takeCommands()
        rig.join()
        #expect(rig.takeCommands() == ["39200a00020100000003000000"])
        rig.run(to: 1000)
        #expect(rig.takeCommands() == [])
        rig.disconnected(0x40)
        #expect(rig.takeCommands() == ["39200a01020100000003000000"])
    }

    @Test func fullPoolOnALegacyController() throws {
        let rig = try running(.legacy, [Sample.set(1), beacon(2), Sample.set(3)], links: 1)
        _ = rig.takeCommands()
        rig.connect(0x40)
        #expect(rig.takeEvents().compactMap(\.connectedSet) == [1])
        // Only the beacon has turns, and it is alone.
        let commands = rig.takeCommands()
        #expect(commands.first == "0520060244332211c0" && commands.last == "0a200101")
        #expect(commands.contains { $0.hasPrefix("06200fa000a00003") })
        #expect(rig.host.nextDeadline == nil)
        rig.disconnected(0x40)
        rig.run(to: 1000)
        var addresses: Set<String> = []
        for command in rig.takeCommands() where command.hasPrefix("0520") { addresses.insert(command) }
        #expect(addresses == ["0520060144332211c0", "0520060244332211c0", "0520060344332211c0"])
        // With nothing but connectable sets, nothing is on the air, and what is loaded stays.
        let plain = try running(.legacy, [Sample.set(1)], links: 1)
        _ = plain.takeCommands()
        plain.connect(0x40)
        #expect(plain.takeCommands() == [])
        plain.disconnected(0x40)
        #expect(plain.takeCommands() == ["0a200101"])
    }

    /// A controller with fewer links than the host has slots: the beacon continues, the others wait for the end of a
    /// link.
    @Test(arguments: [0x09, 0x0C, 0x0D] as [UInt8])
    func fullController(status: UInt8) throws {
        for controller in [ScriptedController.extended, .legacy] {
            let rig = try running(controller, [Sample.set(1), beacon(2)])
            let isLegacy = controller.supported[36] == 0
            _ = rig.takeCommands()
            rig.controller.answers = [isLegacy ? 0x200A : 0x2039: [[status]]]
            rig.connect(0x40)
            if !isLegacy { rig.terminate(set: 1, handle: 0x40) }
            rig.run(to: 5000)
            let commands = rig.takeCommands()
            if isLegacy {
                #expect(commands.contains("0520060244332211c0") && commands.last == "0a200101")
                #expect(commands.count { $0.hasPrefix("0520") } == 1)
            } else {
                // The beacon's set has never stopped.
                #expect(commands == ["392006010101000000"])
            }
            rig.disconnected(0x40)
            rig.run(to: 6000)
            let last = rig.takeCommands()
            #expect(last.contains(isLegacy ? "0520060144332211c0" : "392006010101000000"))
        }
    }

    /// A phone connects in the turn of a connectable set, and the event arrives in the turn of a beacon.
    @Test func linkToldInTheTurnOfABeacon() throws {
        let rig = try running(.legacy, [Sample.set(1), beacon(2)])
        rig.run(to: 150)
        _ = (rig.takeCommands(), rig.takeEvents())
        rig.connect(0x40)
        #expect(rig.takeEvents().compactMap(\.connectedSet) == [1])
        // The beacon has not stopped, but no event confirms that.
        #expect(rig.takeCommands() == ["0a200100", "0a200101"])
    }

    /// The device's own pool may be smaller than the link table.
    @Test func deviceWithoutRoom() throws {
        var controller = ScriptedController.extended
        controller.sets = 2
        let rig = try running(controller, [Sample.set(1), beacon(2), Sample.set(3)])
        _ = rig.takeCommands()
        rig.act { $0.setConnectable(false, at: $1) }
        #expect(rig.takeCommands() == ["392006000101000000"])
        // The beacon shares its place with a set that may not run: it keeps it.
        rig.run(to: 1000)
        #expect(rig.takeCommands() == [])
        rig.act { $0.setConnectable(true, at: $1) }
        #expect(rig.takeCommands() == ["392006010101000000"])
        rig.run(to: 1100)
        #expect(rig.takeCommands().last == "392006010103000000")
        // Now it is the other one's turn, which has to give way at once.
        rig.act { $0.setConnectable(false, at: $1) }
        let commands = rig.takeCommands()
        #expect(commands.first == "392006000103000000")
        #expect(commands.last == "392006010102000000")
    }

    // MARK: - Power

    private func powered(_ power: Int8?, data: String) -> AdvertisingSet {
        var set = AdvertisingSet(
            id: 1, address: Sample.address(1), data: octets(data), scanResponse: octets("020a7f"),
            interval: .milliseconds(100))
        set.transmitPower = power
        set.fillsTransmitPower = true
        return set
    }

    /// The requested power, the power selected by the controller (7.8.53), and the power in the packets.
    @Test(arguments: [(-20 as Int8?, "ec"), (7, "07"), (nil, "7f")])
    func powerOfASet(power: Int8?, octet: String) throws {
        let rig = try running(.extended, [powered(power, data: "020106020a7f")])
        let commands = rig.takeCommands()
        let parameters = "362019011300a00000a0000007010000000000000000" + octet
        #expect(commands.contains { $0.hasPrefix(parameters) })
        #expect(commands.contains("37200a01030106020106020a08"))
        #expect(commands.contains("38200701030103020a08"))
        #expect(rig.host.transmitPower(ofSet: 1) == 8 && rig.host.transmitPower(ofSet: 2) == nil)
    }

    /// A controller that omits the power, or returns an invalid one, has accepted the parameters.
    @Test(arguments: [[0], [0, 0x7F], [0, 21], [0, 0x80]] as [[UInt8]])
    func powerThatIsNotTold(answer: [UInt8]) throws {
        var controller = ScriptedController.extended
        controller.answers = [0x2036: [answer]]
        let rig = try running(controller, [powered(nil, data: "020a05")])
        let commands = rig.takeCommands()
        #expect(commands.contains("37200701030103020a05"))
        #expect(commands.last == "392006010101000000" && rig.host.transmitPower(ofSet: 1) == nil)
    }

    /// The legacy advertiser's power is read once, and only if a set needs it (7.8.6).
    @Test func powerOfTheLegacyAdvertiser() throws {
        let rig = try running(.legacy, [powered(nil, data: "020a7f"), Sample.set(2)])
        let opcodes = rig.controller.commands.map { UInt16($0[0]) | UInt16($0[1]) << 8 }
        #expect(opcodes.suffix(6) == [0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200A])
        #expect(rig.takeCommands().contains { $0.hasPrefix("08202003020a04") })
        rig.run(to: 1000)
        #expect(!rig.takeOpcodes().contains(0x2007))
        #expect(rig.host.transmitPower(ofSet: 1) == 4 && rig.host.transmitPower(ofSet: 9) == nil)
        let plain = try running(.legacy, [Sample.set(1)])
        #expect(!plain.takeOpcodes().contains(0x2007) && plain.host.transmitPower(ofSet: 1) == nil)
    }

    /// A controller that does not answer the command advertises without its power.
    @Test func powerWithoutAnAnswer() throws {
        var controller = ScriptedController.legacy
        controller.silent = [0x2007]
        let rig = try running(controller, [powered(nil, data: "020a7f")])
        _ = rig.takeCommands()
        rig.run(to: 1999)
        #expect(rig.takeCommands() == [])
        rig.run(to: 2000)
        #expect(rig.takeCommands().first?.hasPrefix("08202003020a7f") == true)
        rig.run(to: 10_000)
        #expect(!rig.events.contains { if case .controllerFailed = $0 { true } else { false } })
        #expect(!rig.takeOpcodes().contains(0x2007) && rig.host.transmitPower(ofSet: 1) == nil)
    }

    /// Only complete structures of the right length are filled; octets after the last structure are unchanged.
    @Test func structuresThatAreFilled() {
        let set = powered(nil, data: "")
        let cases: [(String, String)] = [
            ("020a7f", "020a08"), ("020106020a7f020a01", "020106020a08020a08"), ("030a7f01", "030a7f01"),
            ("020a", "020a"), ("02", "02"), ("00020a7f", "00020a7f"), ("05ff020a7f01020a00", "05ff020a7f01020a08"),
            ("ff0a7f", "ff0a7f"), ("", ""),
        ]
        for (text, filled) in cases {
            let input = octets(text)
            #expect(hex(set.filled(input, power: 8)) == filled)
            #expect(hex(set.filled(input, power: nil)) == text)
        }
        #expect(Sample.set(1).filled([2, 0x0A, 0x7F], power: 8) == [2, 0x0A, 0x7F])
    }

    // MARK: - Faults

    @Test func faultsOfSets() {
        func fault(_ change: (inout AdvertisingSet) -> Void) -> AdvertisingSetFault? {
            var set = Sample.set(1)
            change(&set)
            return set.fault
        }
        let publicAddress = BluetoothAddress(kind: .public, value: 1)
        #expect(fault { _ in } == nil)
        #expect(fault { $0.id = 0xEF } == nil)
        #expect(fault { $0.id = 0xF0 } == .identifier(0xF0))
        #expect(fault { $0.data += [0] } == .dataCount(32))
        #expect(fault { $0.scanResponse += [0, 0] } == .scanResponseCount(33))
        #expect(fault { $0.kind = .nonConnectable } == .scanResponseOfBeacon)
        #expect(fault { $0.kind = .scannable } == nil)
        #expect(fault { $0.interval = .milliseconds(20) } == nil)
        #expect(fault { $0.interval = .microseconds(19_999) } == .interval(.microseconds(19_999)))
        #expect(fault { $0.interval = .milliseconds(10_240) } == nil)
        #expect(fault { $0.interval = .milliseconds(10_241) } == .interval(.milliseconds(10_241)))
        #expect(fault { $0.transmitPower = 20 } == nil)
        #expect(fault { $0.transmitPower = 21 } == .transmitPower(21))
        #expect(fault { $0.transmitPower = -128 } == .transmitPower(-128))
        #expect(fault { $0.ownAddress = .fixed(publicAddress) } == .address(publicAddress))
    }

    /// A set with a fault is not advertised; the others are.
    @Test func setWithAFault() throws {
        var tooFast = Sample.set(2)
        tooFast.interval = .milliseconds(10)
        let rig = try running(.extended, [Sample.set(1), tooFast])
        #expect(rig.takeCommands().last == "392006010101000000")
        #expect(rig.host.unservedAdvertisingSets == [2])
    }
}
