import CCrypto

/// The kernel's random octets, getrandom(2). Early at boot the first call waits until the kernel has gathered enough.
public struct SystemRandomSource: RandomSource, Sendable {
    /// The kernel's source; it has no state here.
    public init() {}

    /// Fills all of `octets`. Stops the process if the kernel has no such call: without randomness every session
    /// and key would be forgeable.
    public mutating func fill(_ octets: inout MutableSpan<UInt8>) {
        let status = octets.withUnsafeMutableBufferPointer { readerd_crypto_random($0.baseAddress, $0.count) }
        guard Int(status) == READERD_CRYPTO_OK else {
            fatalError("getrandom(2) failed: this kernel gives no random octets; Linux 3.17 or newer is needed")
        }
    }
}
