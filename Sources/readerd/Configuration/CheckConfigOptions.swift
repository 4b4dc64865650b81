/// What the command line of `readerd check-config` says.
struct CheckConfigOptions: Equatable {
    /// The file.
    var path: String
    /// `--state`; nil where only the file is looked at.
    var stateDirectory: String?
    /// `--json`
    var isJSON = false

    init(path: String) { self.path = path }

    /// The file and the options that follow `check-config`.
    init(_ arguments: ArraySlice<String>) throws(ReaderdError) {
        let help = "see: readerd check-config --help"
        var rest = arguments
        var seen: Set<String> = []
        var paths: [String] = []
        while let argument = rest.popFirst() {
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard argument.hasPrefix("--"), let name = parts.first.map(String.init) else {
                paths.append(argument)
                continue
            }
            guard seen.insert(name).inserted else { throw .usage("\(name) is given twice; give it once") }
            switch name {
            case "--json" where parts.count == 1: isJSON = true
            case "--state":
                let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() ?? ""
                guard !value.isEmpty, parts.count == 2 || !value.hasPrefix("--") else {
                    throw .usage("\(name) needs a value; \(help)")
                }
                stateDirectory = value
            default: throw .usage("check-config does not know \"\(argument)\"; \(help)")
            }
        }
        guard let path = paths.first else { throw .usage("check-config needs a FILE; \(help)") }
        guard paths.count == 1 else { throw .usage("check-config takes one FILE; \(help)") }
        self.path = path
    }
}
