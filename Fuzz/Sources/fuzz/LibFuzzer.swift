// SPDX-License-Identifier: Apache-2.0

import FuzzTargets
import Glibc

// The two ends of libFuzzer: its driver, and what it calls with each input.

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ input: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// The target, found once by the first input.
private let target: FuzzTarget = {
    let name = getenv("FUZZ_TARGET").map { String(cString: $0) } ?? ""
    guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
        complain("fuzz: FUZZ_TARGET is unknown: set it to \(FuzzTarget.all.map(\.name).joined(separator: ", "))")
        exit(2)
    }
    return target
}()

/// Tries one input. The library's own main function refers to it by this name.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ octets: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    target(Array(UnsafeBufferPointer(start: octets, count: count)))
    return 0
}

// OpenSSL takes its memory from the C library itself. OpenSSL is not instrumented, so AddressSanitizer finds little in
// it, and following its allocations took a quarter of the time of the target `aliro`, which makes keys.

private typealias Allocate = @convention(c) (Int, UnsafePointer<CChar>?, CInt) -> UnsafeMutableRawPointer?
private typealias Reallocate =
    @convention(c) (UnsafeMutableRawPointer?, Int, UnsafePointer<CChar>?, CInt) -> UnsafeMutableRawPointer?
private typealias Free = @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, CInt) -> Void

@_silgen_name("CRYPTO_set_mem_functions")
private func setCryptoMemory(_ allocate: Allocate, _ reallocate: Reallocate, _ free: Free) -> CInt

@_silgen_name("__libc_malloc")
private func libraryAllocate(_ count: Int) -> UnsafeMutableRawPointer?

@_silgen_name("__libc_realloc")
private func libraryReallocate(_ memory: UnsafeMutableRawPointer?, _ count: Int) -> UnsafeMutableRawPointer?

@_silgen_name("__libc_free")
private func libraryFree(_ memory: UnsafeMutableRawPointer?)

private func detachCryptoMemory() {
    let isDetached = setCryptoMemory(
        { count, _, _ in libraryAllocate(count) }, { memory, count, _, _ in libraryReallocate(memory, count) },
        { memory, _, _ in libraryFree(memory) })
    if isDetached != 1 {
        complain("fuzz: OpenSSL has memory already: its allocations are followed, and runs are slower")
    }
}

/// The program: SwiftPM makes `main` of it by its name, which keeps the library's own out.
@_cdecl("fuzz_main")
public func fuzzMain(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> CInt {
    if count == 2, let argument = arguments[1], String(cString: argument) == "--list" {
        for target in FuzzTarget.all { print(target.name) }
        return 0
    }
    detachCryptoMemory()
    var count = count
    var arguments = arguments
    return runDriver(&count, &arguments, testOneInput)
}
