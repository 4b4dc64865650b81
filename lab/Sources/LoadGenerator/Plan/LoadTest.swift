// SPDX-License-Identifier: Apache-2.0

/// A test of the generator.
public enum LoadTest: String, CaseIterable, Sendable {
    /// All services, characteristics and descriptors, on every link at once.
    case discovery
    /// Read requests of 20 octets, one outstanding on each link.
    case read
    /// Write requests of 20 octets, one outstanding on each link.
    case write
    /// Write commands of 244 octets; each sixteenth is followed by a read, and the next ones by its response. A radio
    /// would pace the phone too, and few hosts have controller to host flow control.
    case command
    /// Notifications of 20 octets on every link at once.
    case notify20
    /// Notifications of 244 octets on every link at once.
    case notify244
    /// A link ends, and its phone reconnects up to the response to its MTU exchange.
    case reconnect

    /// Parses a comma-separated list of tests.
    public static func list(_ text: String) throws(LoadPlanFault) -> [LoadTest] {
        var tests: [LoadTest] = []
        for name in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let test = LoadTest(rawValue: String(name)) else { throw .unknownTest(String(name)) }
            tests.append(test)
        }
        return tests
    }
}
