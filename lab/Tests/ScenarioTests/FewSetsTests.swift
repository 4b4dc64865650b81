// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Crypto
import Peripheral
import Phone
import Proximity
import Reader
import Scenario
import Testing
import VirtualRadio

@Suite struct FewSetsTests {
    /// A controller with fewer advertising sets than there are modes serves them in turn: phones of each mode find
    /// theirs.
    @Test func modesBeyondTheControllersSetsAreServedInTurn() throws {
        var controller = ControllerProfile.modern
        controller.advertisingSets = 1
        let modes: [AdvertisingMode] = [.access, .onTouch]
        let configuration = AccessConfiguration(
            modes: modes.enumerated().map { number, mode in
                .init(mode: mode, address: .randomStatic(from: UInt64(number) + 1), gate: .init())
            })
        let site = try VirtualSite(seed: 1, controller: controller, configuration: configuration, identity: .demo())
        for mode in modes { site.add(try FewSetsTests.phone(mode)) }
        site.run(until: .seconds(5))
        let notices = site.readers[0].notices.map(\.notice)
        for mode in modes {
            let met = notices.contains { if case .connected(_, mode, _) = $0 { true } else { false } }
            #expect(met, "nobody connected to \(mode)")
        }
        #expect(!notices.contains { if case .unserved = $0 { true } else { false } })
        #expect(site.violations == [])
    }

    private static func phone(_ mode: AdvertisingMode) throws -> PhonePlan {
        let scalar = DemoIdentity.terminalScalar
        let terminal = try P256PrivateKey(scalar: scalar.span).publicKey
        let configuration = AccessPhoneConfiguration(
            service: AdvertisingPackets.Identifiers().service(of: mode), token: [], terminal: terminal)
        return PhonePlan("phone of \(mode)", configuration, .standing(from: .milliseconds(10), -45))
    }
}
