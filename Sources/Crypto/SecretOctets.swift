import CCrypto

/// Whether `a` and `b` hold the same octets. The time taken depends only on the lengths, which are not secret.
public func constantTimeEqual(_ a: Span<UInt8>, _ b: Span<UInt8>) -> Bool {
    guard a.count == b.count else { return false }
    return a.withUnsafeBufferPointer { a in
        b.withUnsafeBufferPointer { b in
            readerd_crypto_equal(a.baseAddress, b.baseAddress, a.count) == 1
        }
    }
}

/// Overwrites `octets` with zeroes, also where the optimiser sees that nobody reads them again.
///
/// It reaches this copy only: a value that was passed on by copy lives on where it went.
public func wipeSecret(_ octets: inout MutableSpan<UInt8>) {
    octets.withUnsafeMutableBufferPointer { readerd_crypto_wipe($0.baseAddress, $0.count) }
}

/// Overwrites `octets` with zeroes and leaves none, with the room for as many. A buffer that somebody else holds as well
/// is not reached: then a copy is overwritten.
public func wipeSecret(_ octets: inout [UInt8]) {
    var span = octets.mutableSpan
    wipeSecret(&span)
    octets.removeAll(keepingCapacity: true)
}

/// Overwrites what calls that have returned have left on the stack: values with secrets in them leave copies there as
/// they are handed on, which nobody can name. Not for calls that are inlined where this is called.
public func wipeStack() { readerd_crypto_wipe_stack() }
