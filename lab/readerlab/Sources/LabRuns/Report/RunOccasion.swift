// SPDX-License-Identifier: Apache-2.0

import Glibc
import LabReport
import Octets

/// The time and machine of a measured run.
enum RunOccasion {
    /// The current time, and this machine.
    static func now() -> LabRun.Occasion {
        LabRun.Occasion(timestamp: timestamp(time(nil)), host: host, machine: machine)
    }

    /// The time in RFC 3339, such as `2026-11-25T16:40:00Z`.
    static func timestamp(_ seconds: time_t) -> String {
        var (seconds, parts) = (seconds, tm())
        gmtime_r(&seconds, &parts)
        func two(_ number: CInt) -> String { UInt64(max(0, number)).padded(to: 2) }
        return "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
            + "T\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))Z"
    }

    private static var host: String {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "unknown" }
        return text(name)
    }

    /// The processor, the number of processors, and the kernel.
    private static var machine: String {
        var names = utsname()
        uname(&names)
        let release = withUnsafeBytes(of: &names.release) { text($0.map { CChar(bitPattern: $0) }) }
        let kernel = release.split(separator: ".").prefix(2).joined(separator: ".")
        return "\(processor ?? "unknown processor"), \(sysconf(CInt(_SC_NPROCESSORS_ONLN))) processors, Linux \(kernel)"
    }

    private static var processor: String? {
        guard let file = fopen("/proc/cpuinfo", "r") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 1024)
        while fgets(&line, CInt(line.count), file) != nil {
            let parts = text(line).split(separator: ":", maxSplits: 1)
            if parts.count == 2, parts[0].hasPrefix("model name") {
                return String(parts[1].drop { $0 == " " }.prefix { $0 != "\n" })
            }
        }
        return nil
    }

    private static func text(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
