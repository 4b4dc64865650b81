import CLinux

/// A descriptor that is closed with its owner.
struct Descriptor: ~Copyable, Sendable {
    let raw: CInt

    /// Owns what a shim answered, or throws the errno that it answered negated.
    init(_ result: CInt, _ call: String) throws(SystemError) {
        raw = try SystemError.check(result, call)
    }

    deinit {
        readerd_close(raw)
    }
}
