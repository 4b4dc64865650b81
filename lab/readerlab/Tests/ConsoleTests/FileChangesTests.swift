// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestSupport
import Testing

@testable import Console

/// Files of devices that are edited while they are played.
@Suite struct FileChangesTests {
    @Test func aChangeIsNoticedOnceHoweverItIsWritten() throws {
        let directory = try TemporaryDirectory()
        let paths = [try directory.write("a.json", "1"), try directory.write("b.json", "1")]
        var changes = try FileChanges(paths)
        #expect(changes.drain() == [])
        _ = try directory.write("b.json", "2")
        #expect(changes.drain() == [1])
        #expect(changes.drain() == [])
        // As editors do: another file of that name.
        let other = try directory.write("a.json.new", "3")
        #expect(rename(other, paths[0]) == 0)
        #expect(changes.drain() == [0])
        // The same content, another file, and a file that is gone are no change.
        _ = try directory.write("b.json", "2")
        _ = try directory.write("c.json", "2")
        TemporaryDirectory.remove(paths[0])
        #expect(changes.drain() == [])
        close(changes.descriptor)
    }
}
