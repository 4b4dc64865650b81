// SPDX-License-Identifier: Apache-2.0

import Devices
import NordicProvisioning
import Testing
import Timekeeping
import WiFi
import WiFiStation

/// Each key of `steps` has an effect in a chip on its own access point, or is refused.
@Suite struct SoftAPStepScriptTests {
    /// The actions of a device that is switched on, is configured and joins.
    private func imprint(_ profile: NordicProfile, _ scripts: [WiFiSimulation.Step: WiFiSimulation.Script]) -> [String]
    {
        var rig = SoftAPRig(profile) { $0.scripts = scripts }
        rig.device.begin(at: rig.now, over: &rig.station)
        var all = rig.timed(for: .seconds(12)).map { "\($0.0) \($0.1)" }
        all += rig.ask("POST", "/prov/configure", SoftAPRig.golden).map { "\($0)" }
        all += rig.timed(for: .seconds(60)).map { "\($0.0) \($0.1)" }
        return all + rig.notices.map { "\($0)" }
    }

    @Test(arguments: NordicProfile.allCases, WiFiSimulation.Step.allCases)
    func eachKeyHasAnEffect(_ profile: NordicProfile, _ step: WiFiSimulation.Step) {
        for (script, members) in [
            (WiFiSimulation.Script(failure: .failed), #""fail": "failed""#),
            (WiFiSimulation.Script(delay: .seconds(3)), #""delay-ms": 3000"#),
        ] {
            let text = #"{"networks": [], "steps": {"\#(step.rawValue)": {\#(members)}}}"#
            guard (try? WiFiSimulation(json: Array(text.utf8), for: .softAP)) != nil else {
                #expect([.leave, .status, .connectivity, .pairing].contains(step), "only these are refused")
                continue
            }
            #expect(imprint(profile, [step: script]) != imprint(profile, [:]), "\(members)")
        }
    }
}
