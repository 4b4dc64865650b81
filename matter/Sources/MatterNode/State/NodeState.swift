// SPDX-License-Identifier: Apache-2.0

import MatterInteraction
import MatterTLV

/// The state that survives a loss of power.
struct NodeState: Sendable {
    /// A network that Network Commissioning has stored.
    struct Network: Equatable, Sendable {
        /// The Wi-Fi name, or the extended PAN identifier.
        var id: [UInt8]
        /// The passphrase, or the Thread dataset.
        var credentials: [UInt8]
    }

    /// A group that the device belongs to.
    struct Group: Equatable, Sendable {
        var fabric: FabricIndex
        var id: UInt16
    }

    /// A set of keys for group messages, other than set 0.
    struct GroupKeySet: Equatable, Sendable {
        /// An epoch key with its start in microseconds since 2000.
        struct Key: Equatable, Sendable {
            var key: [UInt8]
            var start: UInt64
        }

        var fabric: FabricIndex
        var id: UInt16
        var policy: UInt8
        /// One to three.
        var keys: [Key]
    }

    /// The key set of a group.
    struct GroupKeyMapping: Equatable, Sendable {
        var fabric: FabricIndex
        var group: UInt16
        var keySet: UInt16
    }

    /// The fabrics, ordered by index.
    var fabrics: [Fabric] = []
    /// The first index to try for the next fabric: an index is not reused before all others have been used.
    var nextFabricIndex: UInt8 = 1
    var accessEntries: [AccessControlEntry] = []
    var nodeLabel = ""
    var location = "XX"
    var regulatoryConfig: UInt8 = 2
    var network: Network?
    var groups: [Group] = []
    var groupKeySets: [GroupKeySet] = []
    var groupKeyMap: [GroupKeyMapping] = []
    var rebootCount: UInt16 = 0
    var lock: StoredLock?
    var load: StoredLoad?
    var users = LockUsers()
    /// Nil for a lock without PINs.
    var pins: LockPINs?

    /// The fabric with `index`.
    func fabric(_ index: FabricIndex?) -> Fabric? { fabrics.first { $0.index == index } }

    /// Removes the fabric `index` with everything that belongs to it.
    mutating func remove(_ index: FabricIndex) {
        fabrics.removeAll { $0.index == index }
        accessEntries.removeAll { $0.fabric == index }
        groups.removeAll { $0.fabric == index }
        groupKeySets.removeAll { $0.fabric == index }
        groupKeyMap.removeAll { $0.fabric == index }
        users.remove(fabric: index)
    }

    /// Replaces the fabric of the same index, or adds it.
    mutating func put(_ fabric: Fabric) {
        fabrics.removeAll { $0.index == fabric.index }
        fabrics.append(fabric)
        fabrics.sort { $0.index < $1.index }
    }

    /// Reserves the index of a new fabric; nil if the table is full.
    mutating func reserveFabricIndex() -> FabricIndex? {
        guard fabrics.count < Limits.fabrics else { return nil }
        for _ in 1...254 {
            let index = FabricIndex(rawValue: nextFabricIndex)
            nextFabricIndex = nextFabricIndex % 254 + 1
            if fabric(index) == nil { return index }
        }
        return nil
    }

    /// The state as delivered. Counters continue: indices of fabrics are not repeated.
    func erased() -> NodeState {
        var state = NodeState()
        state.nextFabricIndex = nextFabricIndex
        state.rebootCount = rebootCount
        return state
    }
}

/// The limits of the node's tables.
enum Limits {
    /// The minimum of the specification (Matter Core 11.18.5.3).
    static let fabrics = 5
    static let accessEntriesPerFabric = 4
    static let subjectsPerEntry = 4
    static let targetsPerEntry = 3
    /// Key sets of a fabric with set 0.
    static let groupKeySetsPerFabric = 3
    /// Groups of a fabric on a device with the cluster Groups.
    static let groupsPerFabric = 4
}
