// SPDX-License-Identifier: Apache-2.0

import Peripheral
import Testing

/// Core 5.4, Vol 3, Part C, 10.2.1 and 10.3.1.
@Suite struct SecurityRequirementTests {
    /// 03, 05, 07, 09: none, encrypted, authenticated, secure connections; 0b 0c notified with secure connections.
    private func bench(minimumKeySize: Int = 7) throws -> GATTBench {
        var builder = DatabaseBuilder()
        builder.addService(BluetoothUUID(0xFCBA))
        for requirement in SecurityRequirement.allCases {
            builder.addCharacteristic(
                BluetoothUUID(0x1111), properties: [.read, .write], security: requirement,
                value: .static([7], maximumCount: 1))
        }
        builder.addCharacteristic(BluetoothUUID(0x2222), properties: .notify, security: .secureConnections)
        var configuration = GATTServer.Configuration()
        configuration.minimumKeySize = minimumKeySize
        return GATTBench(try builder.build(), configuration: configuration)
    }

    /// The codes for handles 03, 05, 07 and 09; 00 for success.
    private func codes(_ security: LinkSecurityLevel, minimumKeySize: Int = 7) throws -> [String] {
        let bench = try bench(minimumKeySize: minimumKeySize)
        bench.setSecurity(security, slot: 0)
        return ["0300", "0500", "0700", "0900"].map { handle in
            let (read, written) = (bench.send("0a" + handle), bench.send("12" + handle + "07"))
            guard read != "0b07" else { return written == "13" ? "00" : written }
            return read.suffix(2) == written.suffix(2) ? String(read.suffix(2)) : read + written
        }
    }

    @Test func eachLevelOpensWhatItMeets() throws {
        #expect(try codes(LinkSecurityLevel()) == ["00", "05", "05", "05"])
        #expect(try codes(LinkSecurityLevel(isBonded: true)) == ["00", "0f", "0f", "0f"])
        #expect(try codes(LinkSecurityLevel(isEncrypted: true)) == ["00", "00", "05", "05"])
        #expect(try codes(LinkSecurityLevel(isEncrypted: true, isSecureConnections: true)) == ["00", "00", "05", "05"])
        #expect(try codes(LinkSecurityLevel(isEncrypted: true, isAuthenticated: true)) == ["00", "00", "00", "05"])
        let best = LinkSecurityLevel(isEncrypted: true, isAuthenticated: true, isSecureConnections: true)
        #expect(try codes(best) == ["00", "00", "00", "00"])
        // What a key could do says nothing while the link is not encrypted with it.
        let asleep = LinkSecurityLevel(isAuthenticated: true, isSecureConnections: true, keySize: 16)
        #expect(try codes(asleep) == ["00", "05", "05", "05"])
    }

    /// CVE-2019-9506 on LE: a key below the server's minimum length gives no access.
    @Test func shortKeyIsRefused() throws {
        let short = LinkSecurityLevel(isEncrypted: true, isAuthenticated: true, isSecureConnections: true, keySize: 15)
        #expect(try codes(short) == ["00", "00", "00", "0c"])
        #expect(try codes(short, minimumKeySize: 16) == ["00", "0c", "0c", "0c"])
        // Without authentication that is what is missing first.
        let unauthenticated = LinkSecurityLevel(isEncrypted: true, keySize: 7)
        #expect(try codes(unauthenticated, minimumKeySize: 16) == ["00", "0c", "05", "05"])
        #expect(try codes(LinkSecurityLevel(isEncrypted: true, keySize: 6)) == ["00", "0c", "05", "05"])
    }

    @Test func subscriptionDemandsTheSame() throws {
        let bench = try bench()
        bench.setSecurity(LinkSecurityLevel(isEncrypted: true, isAuthenticated: true), slot: 0)
        #expect(bench.send("12 0c00 0100") == packed("01 12 0c00 05"))
        let best = LinkSecurityLevel(isEncrypted: true, isAuthenticated: true, isSecureConnections: true)
        bench.setSecurity(best, slot: 0)
        #expect(bench.send("12 0c00 0100") == "13" && bench.notify(0x0B, [1]).0 == .accepted)
        // CVE-2026-2411: the link is weaker by now.
        bench.setSecurity(LinkSecurityLevel(isEncrypted: true, isAuthenticated: true), slot: 0)
        #expect(bench.notify(0x0B, [1]) == (.notSubscribed, ""))
    }

    /// CVE-2020-9770: a peer that reconnects without encryption may neither read nor subscribe.
    @Test func reconnectedPeerIsNotTrustedBeforeEncryption() throws {
        let bench = try bench()
        bench.setSecurity(LinkSecurityLevel(isBonded: true), slot: 0)
        #expect(
            bench.send("0a 0500") == packed("01 0a 0500 0f") && bench.send("12 0c00 0100") == packed("01 12 0c00 0f"))
    }
}

/// Core 5.4, Vol 3, Part G, 3.3.3.1 and 4.9.5.
@Suite struct ReliableWriteTests {
    /// 02 03 04 reliable "a", 05 06 07 08 reliable, notified, 09 0a "c" not reliable.
    private func bench() throws -> GATTBench {
        var builder = DatabaseBuilder()
        builder.addService(BluetoothUUID(0xFCBA))
        builder.addCharacteristic(
            BluetoothUUID(0x1111), properties: [.read, .write], value: .static([0x61]), reliableWrites: true)
        builder.addCharacteristic(
            BluetoothUUID(0x2222), properties: [.read, .write, .notify], value: .static([0x62]), reliableWrites: true)
        builder.addCharacteristic(BluetoothUUID(0x3333), properties: [.read, .write], value: .static([0x63]))
        return GATTBench(try builder.build())
    }

    @Test func descriptorSaysSo() throws {
        let bench = try bench()
        #expect(bench.send("0a 0200") == packed("0b 8a 0300 1111") && bench.send("0a 0400") == packed("0b 0100"))
        #expect(bench.send("04 0700 0800") == packed("05 01 0700 0229 0800 0029"))
    }

    @Test func reliableValuesAreWrittenTogether() throws {
        let bench = try bench()
        _ = (bench.send("16 0300 0000 78"), bench.send("16 0600 0000 79"))
        #expect(bench.send("18 01") == "19")
        #expect(bench.send("0e 0300 0600") == packed("0f 78 79"))
    }

    /// `/robustness/no-reliable-characteristic`: the first value that is not reliable is the error, and nothing is
    /// written.
    @Test func noReliableCharacteristic() throws {
        let bench = try bench()
        _ = (bench.send("16 0300 0000 78"), bench.send("16 0a00 0000 79"))
        #expect(bench.send("18 01") == packed("01 18 0a00 06"))
        _ = (bench.send("16 0700 0000 0100"), bench.send("16 0300 0000 79"))
        #expect(bench.send("18 01") == packed("01 18 0700 06"))
        #expect(bench.send("18 01") == "19")
        #expect(bench.send("0e 0300 0a00") == packed("0f 61 63") && bench.events.events.isEmpty)
    }

    @Test func oneValueAloneNeedsNoReliability() throws {
        let bench = try bench()
        _ = (bench.send("16 0a00 0000 7879"), bench.send("16 0a00 0200 7a"))
        #expect(bench.send("18 01") == "19" && bench.send("0a 0a00") == packed("0b 78797a"))
    }

    /// As in tables that are given attribute by attribute.
    @Test func rawAttributes() throws {
        for (value, answer) in [([UInt8(1), 0], "19"), ([0, 0], "0118030006"), ([], "0118030006"), ([3], "19")] {
            var builder = DatabaseBuilder()
            builder.addService(BluetoothUUID(0xFCBA))
            for handle: UInt8 in [3, 6] {
                builder.addAttribute(
                    .characteristic, permissions: .read, value: .static([0x8A, handle, 0, 0x11, 0x11]))
                builder.addAttribute(BluetoothUUID(0x1111), permissions: [.read, .write], value: .static([]))
                builder.addAttribute(.extendedProperties, permissions: .read, value: .static(value))
            }
            let bench = GATTBench(try builder.build())
            _ = (bench.send("16 0300 0000 78"), bench.send("16 0600 0000 79"))
            #expect(bench.send("18 01") == answer)
        }
    }
}
