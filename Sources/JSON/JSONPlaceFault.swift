/// What is wrong in a file, and where.
public struct JSONPlaceFault: Error, Equatable, Sendable, CustomStringConvertible {
    /// The line, counted from 1.
    public var line: Int
    /// The place as `services[0].characteristics[1].uuid`; empty for the whole file, or where it is no JSON.
    public var path: String
    /// What is wrong, and what to write instead.
    public var problem: String

    /// A fault at this place.
    public init(line: Int, path: String, _ problem: String) {
        self.line = line
        self.path = path
        self.problem = problem
    }

    /// `12: services[0].uuid: …`, to be put behind the file's name and a colon.
    public var description: String { "\(line): \(path.isEmpty ? "" : path + ": ")\(problem)" }
}
