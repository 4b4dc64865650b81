// SPDX-License-Identifier: Apache-2.0

/// The error that `body` throws; nil if it throws none. For expectations that compare it; a closure says what it throws
/// (`thrown { () throws(StatusCode) in … }`), or it is any error.
public func thrown<Failure: Error>(_ body: () throws(Failure) -> Void) -> Failure? {
    do throws(Failure) { try body() } catch { return error }
    return nil
}
