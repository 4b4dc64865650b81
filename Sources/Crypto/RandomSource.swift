/// Where random octets come from. The shell gives the system's; a test gives its own.
public protocol RandomSource {
    /// Fills all of `octets`.
    mutating func fill(_ octets: inout MutableSpan<UInt8>)
}
