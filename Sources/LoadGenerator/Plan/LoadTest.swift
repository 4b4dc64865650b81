/// One thing that the generator loads a host with.
public enum LoadTest: String, CaseIterable, Sendable {
    /// All services, characteristics and descriptors, on every link at once.
    case discovery
    /// Read requests of 20 octets, one outstanding on each link.
    case read
    /// Write requests of 20 octets, one outstanding on each link.
    case write
    /// Write commands of 244 octets; each sixteenth is followed by a read, and the next come with its answer. A radio
    /// would pace the phone too, and few hosts have flow control from the controller.
    case command
    /// Notifications of 20 octets on every link at once.
    case notify20
    /// Notifications of 244 octets on every link at once.
    case notify244
    /// A link ends, and its phone comes again as far as the answer to its MTU exchange.
    case reconnect

    /// The tests that `text` lists, with commas between them.
    public static func list(_ text: String) throws(LoadPlanFault) -> [LoadTest] {
        var tests: [LoadTest] = []
        for name in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let test = LoadTest(rawValue: String(name)) else { throw .unknownTest(String(name)) }
            tests.append(test)
        }
        return tests
    }
}
