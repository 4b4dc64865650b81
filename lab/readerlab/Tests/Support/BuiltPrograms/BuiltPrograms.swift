// SPDX-License-Identifier: Apache-2.0

/// The programs and libraries that SwiftPM has built beside the tests that run.
public enum BuiltPrograms {
    /// SwiftPM names no bundle of tests.
    public struct Unknown: Error {}

    /// The folder that they are in: that of …/readerlabPackageTests.xctest, which is an argument or the program.
    public static func folder() throws(Unknown) -> String {
        let arguments = CommandLine.arguments
        let named = arguments.firstIndex(of: "--test-bundle-path").flatMap { arguments.dropFirst($0 + 1).first }
        let parts = (named ?? arguments[0]).split(separator: "/", omittingEmptySubsequences: false)
        guard let index = parts.firstIndex(of: "readerlabPackageTests.xctest") else { throw Unknown() }
        return parts[..<index].joined(separator: "/")
    }
}
