// SPDX-License-Identifier: Apache-2.0

import Peripheral
import Testing
import Timekeeping

/// Core 5.4, Vol 3, Part F, 3.4.7.
@Suite struct GATTSendingTests {
    @Test func notificationNeedsASubscription() throws {
        let bench = try SampleTable.bench()
        #expect(bench.notify(0x0E, [1, 2]) == (.notSubscribed, ""))
        #expect(bench.send("12 0f00 0200") == "13")
        #expect(bench.notify(0x0E, [1, 2]) == (.notSubscribed, ""))
        #expect(bench.send("12 0f00 0300") == "13")
        #expect(bench.notify(0x0E, [1, 2]) == (.accepted, packed("1b 0e00 0102")))
        #expect(bench.notify(0x0E, []) == (.accepted, packed("1b 0e00")))
        #expect(bench.notify(0x0E, [1, 2], slot: 1) == (.notSubscribed, ""))
        for handle: UInt16 in [0, 0x0C, 0x0F, 0x99] { #expect(bench.notify(handle, [1]) == (.notSubscribed, "")) }
        for slot in [-1, 2] { #expect(bench.notify(0x0E, [1], slot: slot) == (.gone, "")) }
        bench.close(slot: 0)
        #expect(bench.notify(0x0E, [1, 2]) == (.gone, ""))
    }

    @Test func notificationFitsTheMTU() throws {
        let bench = try SampleTable.bench()
        _ = bench.send("12 0f00 0100")
        let value = [UInt8](repeating: 0x11, count: 20)
        #expect(bench.notify(0x0E, value) == (.accepted, packed("1b 0e00") + "11".times(20)))
        #expect(bench.notify(0x0E, value + [0x11]) == (.tooLong, ""))
        _ = bench.send("02 1800")
        #expect(bench.notify(0x0E, value + [0x11]).0 == .accepted)
    }

    @Test func oneIndicationAtATime() throws {
        let bench = try SampleTable.bench()
        _ = bench.send("12 0900 0200")
        let range: [UInt8] = [0x01, 0x00, 0xFF, 0xFF]
        #expect(bench.notify(0x08, range) == (.notSubscribed, ""))
        #expect(bench.indicate(0x08, range) == (.accepted, packed("1d 0800 0100 ffff")))
        #expect(bench.awaitsConfirmation(slot: 0))
        #expect(bench.indicate(0x08, range) == (.busy, ""))
        // Requests are served meanwhile, and a malformed confirmation is none.
        #expect(bench.send("0a 0300") == packed("0b 646f6f72"))
        #expect(bench.send("1e 00") == "")
        #expect(bench.indicate(0x08, range).0 == .busy)
        #expect(bench.send("1e") == "")
        #expect(!bench.awaitsConfirmation(slot: 0))
        #expect(bench.indicate(0x08, range).0 == .accepted)
        #expect(bench.indicate(0x08, range, slot: 1) == (.notSubscribed, ""))
        #expect(bench.indicate(0x08, range, slot: 7) == (.gone, ""))
        #expect(bench.indicate(0x08, [UInt8](repeating: 0, count: 21)).0 == .tooLong)
    }

    @Test func confirmationUnaskedIsIgnored() throws {
        let bench = try SampleTable.bench()
        #expect(bench.send("1e") == "")
        #expect(bench.events.events.isEmpty)
    }

    @Test func indicationThatIsNeverConfirmedTimesOut() throws {
        let bench = try SampleTable.bench()
        for slot in 0...1 { _ = bench.send("12 0f00 0200", slot: slot) }
        bench.now = .origin + .seconds(1)
        #expect(bench.indicate(0x0E, [1], slot: 1).0 == .accepted)
        #expect(bench.nextDeadline == .origin + .seconds(31))
        #expect(bench.advance(to: .origin + .milliseconds(30_999)) == [])
        #expect(bench.advance(to: .origin + .seconds(31)) == [1])
        #expect(bench.advance(to: .origin + .seconds(100)) == [])
        #expect(bench.nextDeadline == nil)
    }

    @Test func linkThatMayNoLongerHaveTheValueIsNotNotified() throws {
        var builder = DatabaseBuilder()
        builder.addService(BluetoothUUID(0xFCBA))
        // 03: its own demand is made of subscribing too. 06: never read, so only the configuration protects it.
        builder.addCharacteristic(
            BluetoothUUID(0x1234), properties: [.read, .notify], permissions: .readEncrypted, value: .static([1]))
        builder.addCharacteristic(BluetoothUUID(0x1235), properties: .notify, permissions: [])
        builder.addCharacteristic(
            BluetoothUUID(0x1236), properties: [.write, .notify], permissions: .writeAuthenticated)
        let bench = GATTBench(try builder.build())
        #expect(bench.send("12 0400 0100") == packed("01 12 0400 05"))
        #expect(bench.send("12 0700 0100") == "13")
        #expect(bench.send("12 0a00 0100") == packed("01 12 0a00 05"))
        #expect(bench.notify(0x06, [9]).0 == .accepted)
        bench.setSecurity(LinkSecurityLevel(isEncrypted: true), slot: 0)
        #expect(bench.send("12 0400 0100") == "13")
        #expect(bench.send("12 0a00 0100") == packed("01 12 0a00 05"))
        #expect(bench.notify(0x03, [9]) == (.accepted, packed("1b 0300 09")))
        bench.setSecurity(LinkSecurityLevel(isEncrypted: true, isAuthenticated: true), slot: 0)
        #expect(bench.send("12 0a00 0100") == "13")
        #expect(bench.notify(0x09, [9]).0 == .accepted)
        bench.setSecurity(LinkSecurityLevel(), slot: 0)
        #expect(bench.notify(0x03, [9]) == (.notSubscribed, ""))
        #expect(bench.notify(0x09, [9]) == (.notSubscribed, ""))
        #expect(bench.notify(0x06, [9]).0 == .accepted)
    }
}
