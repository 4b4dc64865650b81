// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BackEnd
import Commands

/// The place that `--database` names.
@Suite struct DatabasePlaceTests {
    @Test(arguments: [
        "postgresql://collector@db.example/fleet", "postgres://db.example:5433/fleet?sslmode=verify-full",
        "postgresql:///?service=fleet", "postgresql://collector@/fleet?host=/run/postgresql",
    ]) func aConnectionURIIsAServer(uri: String) throws {
        #expect(try DatabasePlace(uri) == .server(uri))
    }

    @Test(arguments: ["fleet.db", "/var/lib/readerlab/fleet.db", "postgresql.db", ""])
    func anyOtherTextIsAFile(path: String) throws {
        #expect(try DatabasePlace(path) == .file(path))
    }

    /// Every user of a machine can read a command line; and what is refused is not repeated.
    @Test(arguments: [
        "postgresql://collector:secret@db.example/fleet", "postgres://db.example/fleet?password=secret",
        "postgresql:///fleet?sslpassword=secret", "postgresql://a:secret@db.example:1:2/", "postgresql:///?secret",
        "postgresql://collector:%73ecret@db.example/",
    ]) func aPasswordIsRefused(uri: String) {
        #expect {
            try DatabasePlace(uri)
        } throws: { error in
            guard let error = error as? CommandError else { return false }
            return error.code == 2 && !error.text.contains("secret") && !error.text.contains("\n")
        }
    }
}
