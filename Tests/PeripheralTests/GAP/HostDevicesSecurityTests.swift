// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import Timekeeping

@testable import Peripheral

/// Devices on one radio with different pairing policies.
@Suite struct HostDevicesSecurityTests {
    private var numeric: SecurityPolicy {
        var policy = SecurityPolicy()
        policy.ioCapability = .displayYesNo
        policy.requiresAuthentication = true
        return policy
    }

    private var legacy: SecurityPolicy {
        var policy = SecurityPolicy()
        policy.secureConnections = .preferred
        policy.minimumKeySize = 7
        return policy
    }

    @Test("A request is answered as the device demands that the advertising set leads to")
    func policyOfEachDevice() throws {
        let rig = try SecureRig([numeric, legacy, nil])
        for (set, request, answer) in [
            (1, "01030009100303", "0503"),  // Just Works
            (1, "01010005100303", "0503"),  // legacy
            (1, "0101000d100303", "0201000d100303"),
            (2, "01030009100303", "02030009100303"),
            (2, "01010005100303", "02030009100303"),
            (2, "01030001070303", "02030009100303"),
            (3, "01030009100303", "0505"),
            (3, "0101000d100303", "0505"),
        ] as [(UInt8, String, String)] {
            let central = ScriptedCentral(rig)
            central.become(UInt64(set))
            try central.connect(set: set)
            rig.give(0x40, octets(request))
            #expect(rig.takeSMP(0x40).map(hex) == [answer], "\(set): \(request)")
            rig.disconnected(0x40)
            rig.run(to: rig.now.milliseconds + 600_000)
        }
    }

    @Test("Two devices pair at the same time, each with its own address and demands")
    func atTheSameTime() throws {
        let rig = try SecureRig([numeric, legacy])
        let first = ScriptedCentral(rig, 0x40, io: .displayYesNo, [.bonding, .secureConnections, .mitm])
        let second = ScriptedCentral(rig, 0x41, [.bonding])
        second.become(2)
        try first.connect(set: 1)
        try second.connect(set: 2)
        let firstKey = try first.agree(.numericComparison)
        let secondKey = try second.agree(.justWorks)
        try rig.encrypt(0x41, secondKey)
        try rig.encrypt(0x40, firstKey)
        try second.exchangeKeys()
        try first.exchangeKeys()
        #expect(rig.read(0x40, SecureRig.authenticated) == "0ba3")
        #expect(rig.read(0x41, SecureRig.authenticated) == "010a070005")
        #expect(rig.read(0x41, SecureRig.encrypted) == "0ba2")
    }

    @Test("A bond holds for all devices of the radio, as far as each one's policy takes its key")
    func bondOfAnotherDevice() throws {
        let rig = try SecureRig([numeric, legacy])
        let central = ScriptedCentral(rig, io: .noInputNoOutput, [.bonding])
        try central.connect(set: 2)
        try central.pair(.justWorks)
        let legacy = try #require(central.legacyKey)
        rig.disconnected(0x40)
        // The first device takes Secure Connections only.
        try central.connect(set: 1)
        #expect(rig.askForKey(0x40, legacy.name).map(hex) == "1b20024000")
        #expect(rig.read(0x40, SecureRig.encrypted) == "010a05000f")
        rig.disconnected(0x40)
        try central.connect(set: 2)
        try rig.encrypt(0x40, legacy.key, legacy.name)
        #expect(rig.read(0x40, SecureRig.encrypted) == "0ba2")
    }

    @Test("A link whose set is never told is the first device's, and is treated by its demands")
    func unknownSet() throws {
        let rig = try SecureRig([nil, legacy])
        let central = ScriptedCentral(rig)
        rig.send(SecureRig.connection(0x40, central.address))
        rig.run(to: 11)
        rig.give(0x40, octets("01030009100303"))
        #expect(rig.takeSMP(0x40).map(hex) == ["0505"])
    }
}
