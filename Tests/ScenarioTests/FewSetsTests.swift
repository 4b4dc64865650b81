import Peripheral
import Reader
import Scenario
import Testing
import VirtualRadio

@Suite struct FewSetsTests {
    /// A mode that is not on the air has to be said: nothing else shows it.
    @Test func modesBeyondTheControllersSetsAreTold() throws {
        var controller = ControllerProfile.modern
        controller.advertisingSets = 1
        let configuration = AccessConfiguration(modes: [
            .init(mode: .access, address: .randomStatic(from: 1), gate: .init()),
            .init(mode: .onTouch, address: .randomStatic(from: 2), gate: .init()),
        ])
        let site = try VirtualSite(seed: 1, controller: controller, configuration: configuration, identity: .demo())
        site.run(until: .milliseconds(100))
        #expect(site.readerNotices.map(\.notice).contains(.unserved([.onTouch])))
        #expect(site.violations == [])
    }
}
