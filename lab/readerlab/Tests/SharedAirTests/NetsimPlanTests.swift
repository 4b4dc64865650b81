// SPDX-License-Identifier: Apache-2.0

import Emulation
import Testing

@testable import SharedAir

@Suite struct NetsimPlanTests {
    private func places(_ count: Int, _ names: [String]) throws(CommandFault) -> [PlacePlan] {
        let plans = names.map { PlacePlan(name: $0, way: .unix(path: "/\($0)")) }
        return try NetsimPlan(count: count, listen: "127.0.0.1:0", instance: 1).places(addedTo: plans, in: "/d")
    }

    @Test func placesAreReservedByName() throws {
        #expect(
            try places(2, ["reader"]) == [
                PlacePlan(name: "netsim1", way: .unix(path: "/d/netsim1")),
                PlacePlan(name: "netsim2", way: .unix(path: "/d/netsim2")),
            ])
        #expect(try places(31, ["reader"]).count == 31)
    }

    @Test func theyAreNotMoreThanTheAirHas() {
        for count in [-1, 0, 33] {
            #expect(throws: CommandFault("--netsim-places \(count): write 1 to 32")) { try places(count, []) }
        }
        let together = "1 places and --netsim-places 32: 32 are the most together"
        #expect(throws: CommandFault(together)) { try places(32, ["reader"]) }
        let name = "--netsim has a place netsim2 already; give that of --listen another name"
        #expect(throws: CommandFault(name)) { try places(2, ["netsim2"]) }
    }

    @Test func linesOfTheProgramAreRead() {
        #expect(
            NetsimLine("open\t127.0.0.1:8554\t/a b/netsim.ini\t/c/netsim.ini")
                == .open(endpoint: "127.0.0.1:8554", files: ["/a b/netsim.ini", "/c/netsim.ini"]))
        #expect(NetsimLine("note\tnetsim1\tstream 2: Bluetooth") == .note("stream 2: Bluetooth", place: "netsim1"))
        #expect(NetsimLine("note\t-\tstream 1 ended: \u{1B}") == .note("stream 1 ended: \\u{1b}", place: nil))
        for line in ["", "open", "open\t127.0.0.1:8554", "note\tnetsim1", "note netsim1 text", "other\tnetsim1\ttext"] {
            #expect(NetsimLine(line) == nil, "\(line)")
        }
    }
}
