// SPDX-License-Identifier: Apache-2.0

import JSON
import Testing

@testable import LockChannel

/// The state of a Matter lock's node, and what a reader records of its changes.
struct LockNodeStateTests {
    private static let home = LockFabric(index: 1, fabric: 0xFAB1, node: 0x1001, vendor: 0xFFF1)
    private static let office = LockFabric(index: 2, fabric: 0xFAB2, node: 0x2002, vendor: 0xFFF2)
    private static let window = LockWindow(id: [1, 0, 0, 0, 0, 0, 0, 0])

    private static func state(_ fabrics: [LockFabric] = [], _ window: LockWindow? = nil) -> LockNodeState {
        LockNodeState(fabrics: fabrics, window: window)
    }

    @Test
    func changes() {
        let empty = Self.state()
        #expect(empty.changes(since: empty).isEmpty)
        #expect(Self.state([], Self.window).changes(since: empty) == [.windowOpened(Self.window)])
        #expect(
            Self.state([Self.home]).changes(since: Self.state([], Self.window))
                == [.fabricAdded(Self.home), .windowClosed(Self.window)])
        #expect(
            Self.state([Self.office]).changes(since: Self.state([Self.home]))
                == [.fabricRemoved(Self.home), .fabricAdded(Self.office)])
        #expect(empty.changes(since: Self.state([Self.home])) == [.fabricRemoved(Self.home)])
    }

    /// Another window, or the node's next identifier, is a change; a lock that was reset and begins its indices again
    /// is on another fabric.
    @Test
    func replacements() {
        let other = LockWindow(id: [2, 0, 0, 0, 0, 0, 0, 0], opener: LockNode(fabric: 1, node: 7))
        #expect(
            Self.state([], other).changes(since: Self.state([], Self.window))
                == [.windowClosed(Self.window), .windowOpened(other)])
        var updated = Self.home
        updated.node = 0x3003
        #expect(Self.state([updated]).changes(since: Self.state([Self.home])) == [.fabricUpdated(updated)])
        var foreign = Self.home
        foreign.fabric = 0xFABF
        #expect(
            Self.state([foreign]).changes(since: Self.state([Self.home]))
                == [.fabricRemoved(Self.home), .fabricAdded(foreign)])
    }

    /// Author and cause belong to the change, not to the state.
    @Test
    func sameStates() {
        var other = Self.state([Self.home])
        (other.author, other.cause) = (LockNode(fabric: 1, node: 7), .timeout)
        #expect(other.isSame(as: Self.state([Self.home])))
        #expect(!other.isSame(as: Self.state()))
    }

    /// The longest state fits in a line, and its texts in a record.
    @Test
    func limits() throws {
        let longest = LockFabric(index: 254, fabric: .max, node: .max, vendor: .max)
        #expect(longest.detail == "fabric FFFFFFFFFFFFFFFF node FFFFFFFFFFFFFFFF vendor FFFF")
        #expect(longest.detail.utf8.count <= 64)
        let node = LockNode(fabric: 254, node: .max)
        let fabrics = (250...254 as ClosedRange<UInt8>).map {
            LockFabric(index: $0, fabric: .max, node: .max, vendor: .max)
        }
        let state = LockNodeState(
            fabrics: fabrics, window: LockWindow(id: [UInt8](repeating: 0xFF, count: 8), opener: node), author: node,
            cause: .fabricRemoved)
        #expect(LockRequest.state(state).line.count <= LockChannelLimits.lineCount)
        #expect(try LockNodeState(stored: state.octets) == state)
    }

    @Test(arguments: [
        "", "{}", #"{"fabrics":[],"window":null,"by":null,"why":null"#,
        #"{"fabrics":[{"index":2,"fabric":"000000000000FAB1","node":"0000000000001001","vendor":1},{"index":1,"fabric":"000000000000FAB1","node":"0000000000001001","vendor":1}],"window":null,"by":null,"why":null}"#,
        #"{"fabrics":[{"index":0,"fabric":"000000000000FAB1","node":"0000000000001001","vendor":1}],"window":null,"by":null,"why":null}"#,
        #"{"fabrics":[{"index":1,"fabric":"FAB1","node":"0000000000001001","vendor":1}],"window":null,"by":null,"why":null}"#,
    ])
    func brokenStates(text: String) {
        #expect(throws: JSONPlaceFault.self) { try LockNodeState(stored: Array(text.utf8)) }
    }

    @Test
    func tooManyFabrics() {
        let fabrics = (1...6 as ClosedRange<UInt8>).map { LockFabric(index: $0, fabric: 1, node: 1, vendor: 1) }
        #expect(throws: JSONPlaceFault.self) { try LockNodeState(stored: LockNodeState(fabrics: fabrics).octets) }
    }
}
