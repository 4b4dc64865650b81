// SPDX-License-Identifier: Apache-2.0

import Peripheral
import TestSupport
import Testing
import Timekeeping
import WiFiTestSupport
import VirtualTime
import WiFi
import WiFiStation

@testable import NordicProvisioning

@Suite struct ProvisioningGatewayTests {
    private static let phone = LinkID(slot: 0, generation: 1)
    private static let other = LinkID(slot: 1, generation: 2)
    private static let address = BluetoothAddress(kind: .random, value: 0xC0_11_22_33_44_55)

    private static func configuration(firstBoot: Bool = false) -> ProvisioningGateway.Configuration {
        var configuration = ProvisioningGateway.Configuration(address: address, advertisingSet: 16)
        configuration.opensAtFirstBoot = firstBoot
        return configuration
    }

    private static func at(_ seconds: Int64) -> Instant { .origin + .seconds(seconds) }

    private static func connected(_ link: LinkID, device: Int = 1) -> HostEvent {
        .connected(
            link,
            LinkDescription(
                peer: address, advertisingSet: 16, device: device, ownAddress: address, interval: .milliseconds(30)))
    }

    /// A host without a controller: it accepts commands without any effect.
    private static func host(_ gateway: ProvisioningGateway) -> Host {
        Host(devices: [gateway.served], configuration: HostConfiguration())
    }

    private static func notices(_ gateway: inout ProvisioningGateway) -> [GatewayNotice] {
        all { gateway.nextNotice() }
    }

    /// Runs until nothing is due before `end`, as a shell without a socket.
    private static func run(_ gateway: inout ProvisioningGateway, _ host: inout Host, until end: Instant) {
        let end = elapse(from: .origin, to: end, deadline: { gateway.nextDeadline }) { now in
            gateway.advance(&host, to: now)
            while let action = gateway.station.nextAction() {
                if case .open = action { gateway.station.failed(at: now) }
            }
        }
        gateway.advance(&host, to: end)
    }

    @Test func withoutAWindowNobodyFindsItAndNobodyIsServed() throws {
        var gateway = try ProvisioningGateway(Self.configuration(), station: SupplicantStation())
        var host = Self.host(gateway)
        #expect(gateway.advertisingSet == nil)
        // A link that was established while the window closed.
        let isOwn = gateway.receive(Self.connected(Self.phone), &host, at: .origin)
        #expect(isOwn)
        #expect(gateway.hasLinks)
        #expect(Self.notices(&gateway) == [])
        let handle = gateway.served.advertisingSets
        #expect(handle == [16])
        let ended = gateway.receive(.disconnected(Self.phone, reason: .remoteLowResources), &host, at: .origin)
        #expect(ended)
        #expect(!gateway.hasLinks)
    }

    /// The policy for links that carry a passphrase; what phones meet is in `test_gateway_pairing.py`.
    @Test func policyOfPairings() throws {
        let gateway = try ProvisioningGateway(Self.configuration(), station: SupplicantStation())
        let policy = try #require(gateway.served.security)
        #expect(policy.secureConnections == .only)
        #expect(policy.minimumKeySize == 16)
        #expect(!policy.keepsBonds)
    }

    @Test func linksOfOtherDevicesAreNotItsOwn() throws {
        var gateway = try ProvisioningGateway(Self.configuration(), station: SupplicantStation())
        var host = Self.host(gateway)
        gateway.open(.button, &host, at: .origin)
        let isOwn = gateway.receive(Self.connected(Self.phone, device: 0), &host, at: .origin)
        #expect(!isOwn)
        let written = gateway.receive(.mtuExchanged(Self.phone, 100), &host, at: .origin)
        #expect(!written)
        #expect(!gateway.hasLinks)
        #expect(gateway.advertisingSet != nil)
    }

    @Test func windowClosesByItself() throws {
        var gateway = try ProvisioningGateway(Self.configuration(), station: SupplicantStation())
        var host = Self.host(gateway)
        gateway.open(.button, &host, at: .origin)
        let set = try #require(gateway.advertisingSet)
        #expect(set.id == 16)
        #expect(set.ownAddress == .fixed(Self.address))
        // 128-bit UUIDs, the name used while the address is unknown, and service data of a device without a network.
        #expect(hex(set.data) == "020106110758b29cc8812877b8e7490c130078381409095056303030303030")
        #expect(hex(set.scanResponse) == "152158b29cc8812877b8e7490c130078381402000080")
        Self.run(&gateway, &host, until: Self.at(299))
        #expect(gateway.window != nil)
        Self.run(&gateway, &host, until: Self.at(300))
        #expect(gateway.window == nil)
        #expect(gateway.advertisingSet == nil)
        #expect(Self.notices(&gateway) == [.opened(.button, .seconds(300)), .closed(.timeOver)])
    }

    @Test func windowThatIsOpenedAgainBeginsAnew() throws {
        var gateway = try ProvisioningGateway(Self.configuration(), station: SupplicantStation())
        var host = Self.host(gateway)
        gateway.open(.control, for: .seconds(30), &host, at: .origin)
        Self.run(&gateway, &host, until: Self.at(29))
        gateway.open(.button, &host, at: Self.at(29))
        Self.run(&gateway, &host, until: Self.at(328))
        #expect(gateway.window?.cause == .button)
        gateway.close(.control, &host, at: Self.at(328))
        gateway.close(.control, &host, at: Self.at(328))
        #expect(
            Self.notices(&gateway) == [
                .opened(.control, .seconds(30)), .opened(.button, .seconds(300)), .closed(.control),
            ])
    }

    /// One phone at a time; the next one is served when the first has disconnected.
    @Test func onePhoneAtATime() throws {
        var gateway = try ProvisioningGateway(Self.configuration(), station: SupplicantStation())
        var host = Self.host(gateway)
        gateway.open(.button, &host, at: .origin)
        _ = gateway.receive(Self.connected(Self.phone), &host, at: .origin)
        #expect(gateway.advertisingSet == nil)
        _ = gateway.receive(Self.connected(Self.other), &host, at: .origin)
        _ = gateway.receive(.disconnected(Self.other, reason: .remoteLowResources), &host, at: .origin)
        #expect(gateway.advertisingSet == nil)
        _ = gateway.receive(.disconnected(Self.phone, reason: .remoteUserTerminated), &host, at: Self.at(1))
        #expect(gateway.advertisingSet != nil)
        #expect(Self.notices(&gateway).dropFirst() == [.phoneConnected, .phoneGone])
    }

    /// 10 s without encryption, whatever it reads and requests meanwhile; then 60 s from each request.
    @Test func aPhoneThatDoesNotEncryptHoldsThePlaceForTenSeconds() throws {
        var gateway = try ProvisioningGateway(Self.configuration(), station: SupplicantStation())
        var host = Self.host(gateway)
        let request = HostEvent.subscribed(Self.phone, AttributeHandle(rawValue: 3), .notification)
        gateway.open(.button, &host, at: .origin)
        _ = gateway.receive(Self.connected(Self.phone), &host, at: .origin)
        for second in 1..<10 {
            Self.run(&gateway, &host, until: Self.at(Int64(second)))
            _ = gateway.receive(request, &host, at: Self.at(Int64(second)))
        }
        #expect(gateway.phoneDue == Self.at(10))
        Self.run(&gateway, &host, until: Self.at(10))
        #expect(gateway.phoneDue == nil, "it is sent away")
        _ = gateway.receive(.disconnected(Self.phone, reason: .localHostTerminated), &host, at: Self.at(10))
        #expect(gateway.advertisingSet != nil)
        _ = gateway.receive(Self.connected(Self.other), &host, at: Self.at(11))
        let encrypted = LinkSecurityLevel(isEncrypted: true, isSecureConnections: true, keySize: 16)
        _ = gateway.receive(.securityChanged(Self.other, encrypted), &host, at: Self.at(20))
        #expect(gateway.phoneDue == Self.at(80))
    }

    @Test func firstBootOpensWhereNoNetworkIsKnown() throws {
        for (isWanted, knows) in [(true, ""), (false, ""), (true, SupplicantTalk.home)] {
            let talk = SupplicantTalk.attached(knows)
            var gateway = try ProvisioningGateway(Self.configuration(firstBoot: isWanted), station: talk.station)
            var host = Self.host(gateway)
            gateway.advance(&host, to: .origin)
            #expect((gateway.window?.cause == .firstBoot) == (isWanted && knows.isEmpty))
        }
        // Not before the supplicant has reported its networks.
        var gateway = try ProvisioningGateway(Self.configuration(firstBoot: true), station: SupplicantStation())
        var host = Self.host(gateway)
        Self.run(&gateway, &host, until: Self.at(60))
        #expect(gateway.window == nil)
    }

    /// The flags say that it has a network and is connected; it knows names, and no passphrase.
    @Test func windowBeginsWithWhatTheSupplicantKnows() throws {
        let up = SupplicantTalk.connected(id: 0, ipv4: "192.168.77.119")
        let talk = SupplicantTalk.attached(SupplicantTalk.home, status: up)
        var gateway = try ProvisioningGateway(Self.configuration(), station: talk.station)
        var host = Self.host(gateway)
        gateway.open(.button, &host, at: .origin)
        let set = try #require(gateway.advertisingSet)
        #expect(hex(set.scanResponse) == "152158b29cc8812877b8e7490c1300783814020300e2")
        #expect(hex(set.data.suffix(8)) == "5056303030313030")
        #expect(set.interval == .seconds(1))
    }

}
