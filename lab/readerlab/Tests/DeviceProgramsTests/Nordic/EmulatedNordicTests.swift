// SPDX-License-Identifier: Apache-2.0

import Devices
import Emulation
import NordicProvisioning
import WiFi
import WiFiStation
import TestSupport
import Testing

@testable import HostLoop
@testable import Peripheral
@testable import DevicePrograms

/// The emulated Wi-Fi chip as an app sees it, octet for octet, and its timeline meanwhile.
@Suite struct EmulatedNordicTests {
    /// The attributes of a device's table, one per line.
    private static func lines(_ device: ServedDevice) -> [String] { device.database.attributes.map { "\($0)" } }

    /// Handle for handle, with the security that each requires of a link.
    @Test(arguments: NordicProfile.allCases)
    func itsTableIsTheLibrarys(profile: NordicProfile) throws {
        let settings = NordicSettings(profile: profile)
        let unit = EmulatedNordic(settings, NordicWorld.usual, stored: settings.emptyStore, file: nil)
        let (played, table) = try unit.define(0).served(set: 0)
        let (real, service) = try NordicService.device(named: unit.name, profile: profile, advertisingSets: [0])
        #expect(Self.lines(played) == Self.lines(real))
        #expect(table.handles == [service.information, service.controlPoint, service.dataOut])
        #expect(played.server == real.server)
        #expect(String(describing: played.security) == String(describing: real.security))
    }

    private static let smallMTU =
        "agreed on an ATT_MTU of 23, into which record of 35 octets does not fit: ask for more after connecting"

    /// The records of the two default networks (without a file), as notifications of Data Out.
    private static let records = [
        "1b19000a210a140a04486f6d65120602000000000118012006280310ceffffffffffffffff01",
        "1b19000a230a160a06477565737473120602000000000218022024280010bfffffffffffffffff01",
    ]

    /// SET_CONFIG for the network Home, with its passphrase.
    private static let configuration =
        "08045a23" + "0a14" + "0a04486f6d65" + "1206020000000001" + "180120062803" + "120b6f70656e20736573616d65"

    @Test func anAppThatConnects() throws {
        let rig = try EmulatedNordicRig(.exact)
        #expect(try rig.send("0a" + EmulatedNordicRig.information) == ["0b0802"])
        #expect(
            rig.told() == [
                "the controller is ready: waiting for apps", "app → connected from 00:E0:00:00:00:01",
                "app → ATT_MTU 147", "app → subscribed to notifications of data-out",
                "app → subscribed to indications of control-point", "app → read-version         read: 2",
            ])
    }

    /// The firmware has room for one indication: a request made before its confirmation stays unanswered.
    @Test func theFirmwareDropsTheSecondAnswer() throws {
        let rig = try EmulatedNordicRig(.exact)
        _ = rig.told()
        #expect(try rig.write("0801", confirms: false) == ["1d1600080110005200", "13"])
        #expect(try rig.write("0803", confirms: false) == ["13"])
        #expect(try rig.send("1e") == [])
        #expect(try rig.write("0802") == ["1d160008021000", "13"] + Self.records)
        #expect(
            rig.told() == [
                "app → get-status           2 octets",
                "app ← status               indication: SUCCESS", "app → stop-scan            2 octets",
                "app ✗ scan-stopped         not sent: too much waits for the app",
                "app → answer               confirmed", "app → start-scan           2 octets",
                "app ← scan-started         indication: SUCCESS",
                "app → answer               confirmed", "app ← record               network \"Home\", -50 dBm",
                "app ← record               network \"Guests\", -65 dBm",
            ])
    }

    @Test func theGatewayKeepsIt() throws {
        let rig = try EmulatedNordicRig(.gateway)
        _ = rig.told()
        #expect(try rig.write("0801", confirms: false) == ["1d16000801100052020800", "13"])
        #expect(try rig.write("0803", confirms: false) == ["13"])
        #expect(try rig.send("1e") == ["1d160008031000"])
        #expect(try rig.send("1e") == [])
        #expect(try rig.write("0802") == ["1d160008021000", "13"] + Self.records)
        #expect(
            rig.told() == [
                "app → get-status           2 octets",
                "app ← status               indication: SUCCESS, state 0", "app → stop-scan            2 octets",
                "app ← scan-stopped         indication: SUCCESS", "app → answer               confirmed",
                "app → answer               confirmed", "app → start-scan           2 octets",
                "app ← scan-started         indication: SUCCESS",
                "app ← record               network \"Home\", -50 dBm",
                "app → answer               confirmed", "app ← record               network \"Guests\", -65 dBm",
            ])
    }

    @Test func theFirmwareIsBroughtIntoANetwork() throws {
        let rig = try EmulatedNordicRig(.exact)
        _ = rig.told()
        let states = ["1b19001001", "1b19001002", "1b19001003", "1b19001004"]
        #expect(try rig.write(Self.configuration) == ["1d160008041000", "13"] + states)
        let network = "52130a04486f6d65120602000000000120ff012802"
        #expect(try rig.write("0801") == ["1d1600" + "08011000521f0804" + network + "5a060a04c0a8002a", "13"])
        try rig.type("wifi down")
        #expect(try rig.wait(.seconds(10)) == [])
        #expect(try rig.write("0801") == ["1d1600" + "0801100052170800" + network, "13"])
        #expect(try rig.write("0805") == ["1d160008051000", "13"])
        #expect(
            rig.told() == [
                "app → set-config           39 octets: network \"Home\"",
                "app ← configured           indication: SUCCESS",
                "      Wi-Fi: tries \"Home\" (configured)", "app → answer               confirmed",
                "app ← authentication       state 1", "app ← association          state 2",
                "app ← obtaining-address    state 3", "app ← connected            state 4", "      stored \"Home\"",
                "      Wi-Fi: is in \"Home\", 192.168.0.42", "app → get-status           2 octets",
                "app ← status               indication: SUCCESS, state 4, network \"Home\"",
                "app → answer               confirmed", "      Wi-Fi: lost its network",
                "app → get-status           2 octets",
                "app ← status               indication: SUCCESS, state 0, network \"Home\"",
                "app → answer               confirmed", "app → forget-config        2 octets",
                "app ← forgotten            indication: SUCCESS", "      forgot all networks",
                "app → answer               confirmed",
            ])
    }

    /// Faults of requests and values; a delayed item also delays those after it.
    @Test func faults() throws {
        let rig = try EmulatedNordicRig(.gateway)
        _ = rig.told()
        let status = "1d16000801100052020800"
        try rig.type("fault code status 3")
        #expect(try rig.write("0801") == ["1d16000801100352020800", "13"])
        try rig.type("fault duplicate status")
        #expect(try rig.write("0801") == [status, "13", status])
        try rig.type("fault drop scan-stopped")
        #expect(try rig.write("0803") == ["13"])
        try rig.type("fault error get-status 0x0e")
        #expect(try rig.write("0801") == ["011216000e"])
        for step in ["get-status", "status"] {
            try rig.type("fault delay \(step) 1000")
            #expect(try rig.write("0801") == [])
            #expect(try rig.wait(.seconds(2)) == [status, "13"])
        }
        try rig.type("fault replace refused c0ffee")
        #expect(try rig.write("0806") == ["1d1600c0ffee", "13"])
        try rig.type("fault error read-version 0x05")
        #expect(try rig.send("0a" + EmulatedNordicRig.information) == ["010a140005"])
        try rig.type("fault disconnect-after scan-stopped")
        #expect(try rig.write("0803") == ["1d160008031000", "13"])
        #expect(
            rig.told() == [
                "app → get-status           2 octets",

                "fault status               code 3",
                "app ← status               indication: INTERNAL_ERROR, state 0",
                "app → answer               confirmed",
                "app → get-status           2 octets",
                "fault status               duplicate",
                "app ← status               indication: SUCCESS, state 0",
                "app ← status               indication: SUCCESS, state 0",
                "app → answer               confirmed",
                "app → answer               confirmed",
                "app → stop-scan            2 octets",
                "fault scan-stopped         drop",
                "app ✗ scan-stopped         not sent: dropped: SUCCESS",
                "app → get-status           2 octets",
                "fault get-status           error 0x0e",
                "app ← get-status           refused, ATT error 0x0e: as a fault",
                "app → get-status           2 octets",
                "fault get-status           delay 1000 ms",
                "app ← status               indication: SUCCESS, state 0",
                "app → answer               confirmed",
                "app → get-status           2 octets",
                "fault status               delay 1000 ms",
                "app ← status               indication: SUCCESS, state 0",
                "app → answer               confirmed",
                "app → other-request        2 octets: operation 6",
                "fault refused              replace c0ffee",
                "app ← refused              indication: malformed, 3 octets",
                "app → answer               confirmed",
                "app → read-version         read: 2",
                "fault read-version         error 0x05",
                "app ← read-version         refused, ATT error 0x05: as a fault",
                "app → stop-scan            2 octets",
                "fault scan-stopped         disconnect-after",
                "app ← scan-stopped         indication: SUCCESS",
                "app ← disconnected by the device",
            ])
    }

    /// A phone that never exchanged the ATT_MTU, and a typed limit, which is not told as the app's mistake.
    @Test(arguments: NordicProfile.allCases, [true, false])
    func whatDoesNotFit(profile: NordicProfile, typed: Bool) throws {
        let rig = try EmulatedNordicRig(profile, mtu: typed ? "020502" : "")
        if typed { try rig.type("mtu 23") }
        _ = rig.told()
        #expect(try rig.write("0802") == ["1d160008021000", "13"])
        #expect(try rig.wait(.seconds(5)) == [])
        let entry = typed ? 5 : 4
        let tooLong = "app ✗ record               not sent: longer than the 20 octets of the link"
        let told = [
            "app → start-scan           2 octets",
            "app ← scan-started         indication: SUCCESS", tooLong,
            "!     small-mtu (entry \(entry + 3)): \(Self.smallMTU)", "app → answer               confirmed",
            tooLong,
        ]
        #expect(rig.told() == told.filter { !typed || !$0.contains("small-mtu") })
    }

    /// The reason that the app's system reports (Core 5.4, Vol 1, Part F, 2).
    @Test(
        arguments: [
            ("disconnect", 0x13), ("disconnect power-off", 0x15), ("disconnect low-resources", 0x14),
            ("disconnect authentication", 0x05), ("disconnect timeout", 0x08),
        ] as [(String, UInt8)])
    func aLinkEndsForAChosenReason(line: String, reason: UInt8) throws {
        let rig = try EmulatedNordicRig(.gateway, terminatesLinksOnReset: false)
        try rig.type(line)
        _ = try rig.wait(.seconds(8))
        #expect(rig.ends == [reason])
        let told = rig.told()
        #expect(told.contains("app ← disconnected by the device"), "\(told)")
        try rig.connect()
        #expect(rig.isConnected, "it is there again")
    }

    @Test func aConnectionIsRefused() throws {
        let rig = try EmulatedNordicRig(.gateway)
        try rig.type("disconnect")
        _ = try rig.wait(.seconds(1))
        try rig.type("fault refuse connect")
        try rig.connect()
        #expect(!rig.isConnected && rig.ends == [0x13, 0x14])
        try rig.connect()
        #expect(rig.isConnected)
    }

    /// The gateway tells its app of a network that has gone, and of its return.
    @Test func theWorldChanges() throws {
        let rig = try EmulatedNordicRig(.gateway)
        _ = try rig.write(Self.configuration)
        _ = try rig.wait(.seconds(1))
        try rig.type("network Home passphrase \"something else\"")
        #expect(try rig.wait(.milliseconds(500)) == [])
        #expect(rig.told().contains("      Wi-Fi: lost its network"))
        _ = try rig.wait(.seconds(3))
        #expect(rig.told().contains("      Wi-Fi: did not get into \"Home\": authentication"))
        try rig.type("network Home passphrase \"open sesame\"")
        try rig.type("dhcp down")
        _ = try rig.wait(.seconds(15))
        #expect(rig.told().contains("      Wi-Fi: did not get into \"Home\": address"))
        try rig.type("dhcp up")
        #expect(try rig.wait(.seconds(30)).contains("1b19001004"))
        #expect(rig.told().contains("      Wi-Fi: is in \"Home\", 192.168.0.42"))
        try rig.type("network Nowhere down")
        try rig.type("network Home signal -91")
        #expect(try rig.write("0802").contains { $0.contains("a5ffffffffffffffff01") }, "-91 dBm in a scan record")
    }

    @Test func whatTheTesterDidIsNotTheApps() throws {
        let rig = try EmulatedNordicRig(.gateway)
        try rig.type("fault drop status")
        _ = try rig.write("0801")
        _ = try rig.write("0801")
        try rig.type("fault disconnect-before get-status")
        _ = try rig.write("0801")
        _ = try rig.wait(.seconds(1))
        #expect(rig.ends == [0x13])
        #expect(!rig.told().contains { $0.contains("did-not-wait") })
    }
}
