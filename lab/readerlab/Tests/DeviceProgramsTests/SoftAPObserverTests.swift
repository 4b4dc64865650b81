// SPDX-License-Identifier: Apache-2.0

import NordicProvisioning

#if NetworkDevices
    import Devices
    import Emulation
    import Testing
    import Timekeeping
    import WiFi
    import WiFiStation

    @testable import DevicePrograms

    /// The observer of the device on an access point: its steps, its faults by their common names, and its findings.
    @Suite struct SoftAPObserverTests {
        private final class Shown { var entries: [TimelineEntry] = [] }

        private let shown = Shown()

        private func observer(_ profile: NordicProfile = .gateway, _ faults: [FaultRule] = []) -> SoftAPObserver {
            var scenario = EmulationScenario()
            scenario.faults = faults
            let shown = shown
            return SoftAPObserver(profile, scenario, start: .origin) { shown.entries.append($0) }
        }

        @Test func aProfileHasItsSteps() {
            #expect(SoftAPObserver.steps(.exact).map(\.name) == ["connect", "networks", "configure"])
            #expect(
                SoftAPObserver.steps(.gateway).map(\.name) == ["connect", "networks", "configure", "scan", "status"])
        }

        @Test(
            arguments: [
                (.delay(.seconds(2)), .delay(.seconds(2))), (.code(503), .status(503)), (.drop, .lost),
                (.replace([1]), .body([1])), (.truncate(10), .cut(10)), (.disconnectBefore, .close),
            ] as [(Fault, SoftAPFault.Kind)])
        func aFaultByItsCommonName(fault: Fault, kind: SoftAPFault.Kind) {
            let observer = observer(.gateway, [FaultRule(fault, at: "networks", occurrence: 2)])
            let request = SoftAPRequest("GET", "/prov/networks")
            #expect(observer.fault(for: request) == nil)
            #expect(observer.fault(for: SoftAPRequest("POST", "/prov/networks")) == nil, "no request of the step")
            #expect(observer.fault(for: request) == SoftAPFault(.networks, kind, times: 1))
            #expect(observer.fault(for: request) == nil)
        }

        @Test func aConnectionIsClosedBeforeTLS() {
            let observer = observer(.exact, [FaultRule(.refuse, at: "connect")])
            #expect(observer.fault(for: nil) == SoftAPFault(nil, .close, times: 1))
        }

        @Test func whatTheAppGotWrongIsFound() {
            let observer = observer()
            observer.turn(to: SoftAPConnection(3))
            observer.report(.answered(method: "GET", target: "/prov/network", status: 404), at: .origin)
            observer.report(.answered(method: "PUT", target: "/prov/configure", status: 405), at: .origin)
            observer.report(.refused(.noName), at: .origin)
            observer.report(
                .connectionFailed("the app does not trust the device's certificate", isByApp: true), at: .origin)
            observer.report(.answered(method: "GET", target: "/prov/networks", status: 200), at: .origin)
            #expect(
                observer.timeline.findings.map(\.rule) == [
                    "unknown-path", "wrong-method", "refused-configuration", "connection-failed",
                ])
            #expect(observer.timeline.findings.allSatisfy { $0.link == 3 && $0.device == 0 })
            #expect(shown.entries.map(\.number) == Array(1...9))
            let text = TimelineText(hasColour: false, hasDevices: false)
            #expect(
                shown.entries.first.map(text.line)
                    == "    0.000  link 3   app → other                GET /prov/network: 404")
        }

        /// A client that is gone, and a station that a script keeps from joining.
        @Test func whatNobodyCanKnowIsNotFound() {
            let observer = observer()
            observer.turn(to: SoftAPConnection(1))
            observer.report(.connectionFailed("the client reset it", isByApp: false), at: .origin)
            observer.report(.refused(.station), at: .origin)
            #expect(observer.timeline.findings.isEmpty && shown.entries.count == 2)
        }

        /// An answer by a fault is not the app's mistake.
        @Test func whatAFaultDidIsNotTheApps() {
            let observer = observer()
            observer.turn(to: SoftAPConnection(1))
            observer.report(.fault(SoftAPFault(.networks, .status(404))), at: .origin)
            observer.report(.answered(method: "GET", target: "/prov/networks", status: 404), at: .origin)
            #expect(observer.timeline.findings.isEmpty)
        }

        @Test func commandsAboutFaults() {
            let observer = observer()
            #expect(observer.execute(.fault(FaultRule(.drop, at: "configure"))) == ["drop at configure, the next time"])
            #expect(observer.execute(.faults) == ["drop at configure, the next time"])
            #expect(observer.execute(.clear) == ["no faults are to come"])
            #expect(observer.execute(.findings) == ["nothing was found"])
            #expect(observer.execute(.steps)?.contains("networks (exchange): GET /prov/networks") == true)
            #expect(observer.execute(.wifi(isUp: false)) == nil)
        }

        /// Limits and reasons are of links on Bluetooth LE.
        @Test func commandsThatNoHTTPConnectionCanExecute() {
            #expect(SoftAPObserver.problem(.mtu(23)) == "an HTTP connection has no ATT_MTU; leave mtu out")
            #expect(
                SoftAPObserver.problem(.disconnect(link: nil, .powerOff))
                    == "an HTTP connection ends without a reason; leave power-off out")
            #expect(SoftAPObserver.problem(.disconnect(link: nil)) == nil)
            #expect(SoftAPObserver.problem(.wifi(isUp: false)) == nil)
        }
    }
#endif
