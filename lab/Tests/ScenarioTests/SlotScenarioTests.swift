// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Crypto
import Peripheral
import Phone
import Proximity
import Reader
import Scenario
import Testing
import Timekeeping
import VirtualRadio

/// All slots taken by far phones that reconnect 500 ms after each refusal: the waiting time of a near phone.
@Suite struct SlotScenarioTests {
    static let slots = 3
    static let trials: UInt64 = 100
    /// The default window of the gate.
    static let window = Duration.milliseconds(400)
    /// From the reader's decision to the free slot: the terminate travels at the next connection event, and is
    /// acknowledged at the one after.
    static let endOfLink = Duration.milliseconds(60)

    struct Air: Sendable, CustomTestStringConvertible {
        var far: Int8
        var controller: ControllerProfile
        var testDescription: String {
            "far at \(far) dBm, \(controller.extendedAdvertising ? "sets" : "one advertiser")"
        }
    }

    static let airs = [
        // Below the threshold, so that each phone holds its slot for the whole window.
        Air(far: -68, controller: .modern), Air(far: -68, controller: .legacy),
        // Far below the threshold: refused after three readings.
        Air(far: -85, controller: .modern), Air(far: -85, controller: .legacy),
    ]

    /// Connecting, discovery and the session take the near phone as long as on an idle reader, and the far phones add
    /// at most a window and the end of a link, in 95 of 100 runs.
    @Test(arguments: airs)
    func aNearPhoneWaitsNoLongerThanAWindowAndTheEndOfALink(air: Air) throws {
        var added: [Duration] = []
        for seed in 0..<SlotScenarioTests.trials {
            let alone = try #require(try trial(seed, far: nil, air.controller))
            let among = try trial(seed, far: air.far, air.controller)
            added.append(among.map { $0 - alone } ?? .seconds(3600))
        }
        let within = added.count { $0 <= SlotScenarioTests.window + SlotScenarioTests.endOfLink }
        #expect(within >= 95, "\(within) of 100; sorted ms: \(added.sorted().map(\.wholeMilliseconds).suffix(10))")
    }

    /// Far phones use up their free refusals within seconds; from then on none may take the last slot.
    @Test func farPhonesThatKeepComingLeaveASlot() throws {
        // In some runs the three are never connected at once after their free refusals.
        var refusals: [Refusal] = []
        for seed in 1...10 as ClosedRange<UInt64> {
            let site = try SlotScenarioTests.site(seed: seed, .modern)
            for index in 0..<SlotScenarioTests.slots {
                site.add(try SlotScenarioTests.phone("far \(index)", .standing(from: .milliseconds(40 * index), -68)))
            }
            site.run(until: .seconds(20))
            #expect(site.violations == [])
            let all = site.readers[0].notices.compactMap { _, notice -> Refusal? in
                if case .refused(_, let why) = notice { why } else { nil }
            }
            refusals += all
        }
        #expect(refusals.contains(.backingOff))
        #expect(refusals.contains { if case .tooFar = $0 { true } else { false } })
    }

    @Test func threePhonesAtOnceAreAllServed() throws {
        let site = try SlotScenarioTests.site(seed: 3, .modern)
        for index in 0..<3 {
            site.add(try SlotScenarioTests.phone("\(index)", .standing(from: .milliseconds(100), -45)))
        }
        site.run(until: .seconds(5))
        let served = site.phoneNotices.filter { if case .completed = $0.notice { true } else { false } }.map(\.phone)
        #expect(Set(served) == [0, 1, 2])
        #expect(site.violations == [])
    }

    /// The time from the near phone's arrival to its result; nil if there was none.
    private func trial(_ seed: UInt64, far: Int8?, _ controller: ControllerProfile) throws -> Duration? {
        let site = try SlotScenarioTests.site(seed: seed, controller)
        // Arrivals spread over the cycle of the far phones, before and after they have used up their free refusals.
        let arrival = Duration.milliseconds(1500 + Int(seed) * 97 % 3000)
        if let far {
            for index in 0..<SlotScenarioTests.slots {
                site.add(try SlotScenarioTests.phone("far \(index)", .standing(from: .milliseconds(100 * index), far)))
            }
        }
        let near = far == nil ? 0 : SlotScenarioTests.slots
        site.add(try SlotScenarioTests.phone("near", .standing(from: arrival, -45)))
        var result: Instant? {
            site.phoneNotices.first { if $0.phone == near, case .completed = $0.notice { true } else { false } }?.at
        }
        site.run(until: arrival + .seconds(10)) { result != nil }
        #expect(site.violations == [])
        return result.map { $0 - (.origin + arrival) }
    }

    private static func site(seed: UInt64, _ controller: ControllerProfile) throws -> VirtualSite {
        var configuration = AccessConfiguration(modes: [
            .init(mode: .onTouch, address: .randomStatic(from: 0xABCD_0001), gate: .init()),
            .init(mode: .access, address: .randomStatic(from: 0xABCD_0002), gate: .init()),
        ])
        configuration.maximumLinks = slots
        return try VirtualSite(seed: seed, controller: controller, configuration: configuration, identity: .demo())
    }

    private static func phone(_ name: String, _ walk: DistanceWalk) throws -> PhonePlan {
        let scalar = DemoIdentity.terminalScalar
        let terminal = try P256PrivateKey(scalar: scalar.span).publicKey
        let validity = TokenValidity(
            from: CivilTime(year: 2026, month: 1, day: 1), through: CivilTime(year: 2027, month: 1, day: 1))
        let token = try TokenIssuer.demo().commandToken(credentialID: "CRED000001", command: .ping, validity: validity)
        var configuration = AccessPhoneConfiguration(
            service: BluetoothUUID(0xFCBA), token: token, terminal: terminal)
        configuration.retryAfterSuccess = nil
        return PhonePlan(name, configuration, walk)
    }
}
