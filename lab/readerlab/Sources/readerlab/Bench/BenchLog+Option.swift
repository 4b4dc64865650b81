// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import LabRuns

extension BenchLog {
    /// Creates the file of `--log`, or an unnamed file for nil.
    static func ofOption(_ path: String?) throws -> BenchLog {
        do throws(Failure) { return try BenchLog(path) } catch {
            let reason = String(cString: strerror(error.errno))
            throw ValidationError("--log \(path ?? "/tmp"): cannot write it: \(reason)")
        }
    }
}
