// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LoadGenerator

@Test func theTransportReplacesEachPlaceholder() throws {
    let command = try HostCommand(["host", "--hci={hci}", "{hci}", "{hc", "{}"])
    #expect(command.arguments(transport: "unix:/a") == ["host", "--hci=unix:/a", "unix:/a", "{hc", "{}"])
}

@Test func aCommandNeedsAProgramAndAPlaceForTheTransport() {
    #expect(throws: LoadPlanFault.noCommand) { try HostCommand([]) }
    #expect(throws: LoadPlanFault.noCommand) { try HostCommand(["", "{hci}"]) }
    #expect(throws: LoadPlanFault.noPlaceForTransport) { try HostCommand(["host"]) }
    #expect(throws: LoadPlanFault.noPlaceForTransport) { try HostCommand(["{hci}", "host"]) }
}

@Test func aListOfTestsKeepsItsOrder() throws {
    #expect(try LoadTest.list("write,read") == [.write, .read])
    #expect(try LoadTest.list("discovery,read,write,command,notify20,notify244,reconnect") == LoadTest.allCases)
    for (text, name) in [("", ""), ("read,", ""), ("read, write", " write"), ("fuzz", "fuzz")] {
        #expect(throws: LoadPlanFault.unknownTest(name)) { try LoadTest.list(text) }
    }
}

@Test func aPlanSaysWhatIsOutOfRange() throws {
    try LoadPlan().validate()
    let changes: [(String, WritableKeyPath<LoadPlan, Int>, [Int], [Int])] = [
        ("phones", \.phones, [1, 64], [0, 65, -1]),
        ("operations", \.operations, [1, 10_000_000], [0, 10_000_001]),
        ("reconnects", \.reconnects, [1], [0]),
        ("packet-length", \.packetLength, [27, 251], [26, 252]),
        ("packets", \.packetCount, [1, 255], [0, 256]),
        ("seconds", \.secondsPerTest, [1, 3600], [0, 3601]),
    ]
    for (name, path, good, bad) in changes {
        for value in good {
            var plan = LoadPlan()
            plan[keyPath: path] = value
            try plan.validate()
        }
        for value in bad {
            var plan = LoadPlan()
            plan[keyPath: path] = value
            let fault = #expect(throws: LoadPlanFault.self) { try plan.validate() }
            #expect("\(fault.map { "\($0)" } ?? "")".hasPrefix("\(name) is \(value); give a number from "))
        }
    }
}
