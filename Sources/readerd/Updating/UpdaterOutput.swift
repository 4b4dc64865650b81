/// Makes lines of what a program writes, for the log: bounded in the length of a line and in the number of them,
/// whatever the program does.
struct UpdaterOutput {
    /// The most octets of a line that are kept: what fits a line of a journal's screen twice.
    static let lineLimit = 200
    /// How many lines of one run are logged: those of a talkative installer, and not those of one gone wild.
    static let runLimit = 1000

    private var octets: [UInt8] = []
    private var isCut = false
    private var lines = 0

    /// How many lines were left out because there were too many.
    private(set) var omitted = 0

    /// Takes what came; tells each line that is whole, without its end.
    mutating func append(_ piece: some Sequence<UInt8>, tell: (String) -> Void) {
        for octet in piece {
            switch octet {
            // A carriage return alone ends a line too: that is how progress is shown.
            case 0x0A, 0x0D: endLine(tell)
            case _ where octets.count < UpdaterOutput.lineLimit: octets.append(octet)
            default: isCut = true
            }
        }
    }

    /// The program has ended: what is left of a line is one.
    mutating func finish(tell: (String) -> Void) { endLine(tell) }

    private mutating func endLine(_ tell: (String) -> Void) {
        defer {
            octets.removeAll(keepingCapacity: true)
            isCut = false
        }
        guard !octets.isEmpty else { return }
        guard lines < UpdaterOutput.runLimit else { return omitted += 1 }
        lines += 1
        tell(String(decoding: octets, as: UTF8.self) + (isCut ? " […]" : ""))
    }
}
