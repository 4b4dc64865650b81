import Peripheral

/// What the command line of `readerd self-test` says.
struct SelfTestOptions: Equatable {
    /// `--config`; nil for the default place.
    var configuration: String?
    /// `--hci`; it comes before the configuration's.
    var hci: TransportName?
    /// `--state`
    var stateDirectory = RunOptions.defaultStateDirectory
    /// `--control`: where a running reader listens; it comes before the configuration's.
    var control: String?
    /// `--only`
    var parts = Set(SelfTestPart.allCases)
    /// `--timeout`: how long the controller may take, and then the NFC chip.
    var timeout = Duration.seconds(SelfTestOptions.defaultTimeoutSeconds)
    /// `--json`
    var isJSON = false

    /// Enough for a controller whose start fails once, and for four modes that take turns.
    static let defaultTimeoutSeconds = 10
    /// An updater waits no longer for a verdict.
    static let timeoutSeconds = 1...600

    init() {}

    /// The options that follow `self-test`: each at most once, as `--name VALUE` or `--name=VALUE`.
    init(_ arguments: ArraySlice<String>) throws(ReaderdError) {
        var rest = arguments
        var seen: Set<String> = []
        while let argument = rest.popFirst() {
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            guard SelfTestOptions.names.contains(name) else {
                throw .usage("self-test does not know \"\(argument)\"; see: readerd self-test --help")
            }
            guard seen.insert(name).inserted else { throw .usage("\(name) is given twice; give it once") }
            if name == "--json" {
                guard parts.count == 1 else {
                    throw .usage("\(name) takes no value; see: readerd self-test --help")
                }
                isJSON = true
                continue
            }
            let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() ?? ""
            guard !value.isEmpty, parts.count == 2 || !value.hasPrefix("--") else {
                throw .usage("\(name) needs a value; see: readerd self-test --help")
            }
            try set(name, to: value)
        }
    }

    private static let names = ["--config", "--hci", "--state", "--control", "--only", "--timeout", "--json"]

    private mutating func set(_ name: String, to value: String) throws(ReaderdError) {
        switch name {
        case "--config": configuration = value
        case "--hci":
            do throws(TransportNameError) { hci = try TransportName(value) } catch { throw .usage("--hci: \(error)") }
        case "--state": stateDirectory = value
        case "--control": control = value
        case "--only": parts = try SelfTestOptions.parts(value)
        default:
            guard value.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let seconds = Int(value),
                SelfTestOptions.timeoutSeconds ~= seconds
            else {
                let range = SelfTestOptions.timeoutSeconds
                throw .usage(
                    "--timeout takes whole seconds from \(range.lowerBound) to \(range.upperBound), "
                        + "and \"\(value)\" is none")
            }
            timeout = .seconds(seconds)
        }
    }

    private static func parts(_ list: String) throws(ReaderdError) -> Set<SelfTestPart> {
        var parts: Set<SelfTestPart> = []
        for name in list.split(separator: ",", omittingEmptySubsequences: false) {
            guard let part = SelfTestPart(rawValue: String(name)) else {
                let names = SelfTestPart.allCases.map(\.rawValue).joined(separator: ", ")
                throw .usage("--only \"\(name)\" is not known; the parts are \(names)")
            }
            parts.insert(part)
        }
        return parts
    }
}
