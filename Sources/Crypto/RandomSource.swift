/// A source of random octets: the system's, or that of a test.
public protocol RandomSource {
    /// Fills all of `octets`.
    mutating func fill(_ octets: inout MutableSpan<UInt8>)
}
