// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SharedAir

/// Values of `--listen` and `--legacy`.
@Suite struct PlacePlanTests {
    private func fault(_ listen: [String], legacy: [String] = []) -> String {
        do { return "taken as \(try PlacePlan.all(listen: listen, legacy: legacy))" } catch { return "\(error)" }
    }

    @Test func placesAreRead() throws {
        #expect(
            try PlacePlan.all(
                listen: [
                    "reader=tcp:127.0.0.1:7300", "a-b=tcp:[::1]:0,legacy", "C_1.x=unix:/tmp/a=b:c", "t=pty:tty,legacy",
                    "u=tcp:localhost:65535", "v=unix:/1,strict", "w=unix:/2,strict,legacy", "x=unix:/3,legacy,strict",
                ], legacy: ["reader"]) == [
                    PlacePlan(name: "reader", way: .tcp(host: "127.0.0.1", port: 7300), isLegacy: true),
                    PlacePlan(name: "a-b", way: .tcp(host: "::1", port: 0), isLegacy: true),
                    PlacePlan(name: "C_1.x", way: .unix(path: "/tmp/a=b:c")),
                    PlacePlan(name: "t", way: .terminal(path: "tty"), isLegacy: true),
                    PlacePlan(name: "u", way: .tcp(host: "127.0.0.1", port: 65535)),
                    PlacePlan(name: "v", way: .unix(path: "/1"), isStrict: true),
                    PlacePlan(name: "w", way: .unix(path: "/2"), isLegacy: true, isStrict: true),
                    PlacePlan(name: "x", way: .unix(path: "/3"), isLegacy: true, isStrict: true),
                ])
    }

    @Test func withoutAnyThereAreAReaderAndAPhone() throws {
        let plans = try PlacePlan.all(listen: [], legacy: ["phone"])
        #expect(plans.map(\.name) == ["reader", "phone"] && plans.map(\.isLegacy) == [false, true])
        #expect(plans.map(\.way) == [.tcp(host: "127.0.0.1", port: 7300), .tcp(host: "127.0.0.1", port: 7301)])
    }

    @Test(
        arguments: [
            (["reader"], "\"reader\" has no name; write NAME=tcp:HOST:PORT, unix:PATH or pty:PATH"),
            (["=tcp:127.0.0.1:1"], "\"\" is no name of a place"),
            (["air=tcp:127.0.0.1:1"], "\"air\" is no name of a place"),
            (["a b=tcp:127.0.0.1:1"], "\"a b\" is no name of a place"),
            (["a23456789012345678=tcp:127.0.0.1:1"], "write 1 to 16 letters"),
            (["a=serial:/dev/x"], "\"serial\" is no kind of place; write tcp:HOST:PORT, unix:PATH or pty:PATH"),
            (["a=7300"], "\"7300\": write tcp:HOST:PORT"),
            (["a=tcp:7300"], "\"7300\" is no address and port"),
            (["a=tcp::7300"], "\":7300\" is no address and port"),
            (["a=tcp:127.0.0.1:65536"], "\"127.0.0.1:65536\" is no address and port"),
            (["a=tcp:127.0.0.1:-1"], "\"127.0.0.1:-1\" is no address and port"),
            (["a=unix:"], "\"\" is no path of a file"),
            (["a=unix:@x"], "\"@x\" is no path of a file"),
            (["a=unix:/" + String(repeating: "x", count: 107)], "has 108 octets, and 107 are the most"),
            (["a=unix:/1", "a=unix:/2"], "two places are called a; give them different names"),
            ((0..<33).map { "p\($0)=tcp:127.0.0.1:0" }, "--listen is given 33 times; 32 are the most"),
        ] as [([String], String)])
    func whatIsWrongIsSaid(listen: [String], expected: String) {
        #expect(fault(listen).contains(expected))
    }

    @Test func aLegacyPlaceMustBeThere() {
        #expect(
            fault(["a=unix:/1", "b=unix:/2"], legacy: ["c"])
                == "--legacy \"c\": there is no such place; there are a, b")
    }
}
