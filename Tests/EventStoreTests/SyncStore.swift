// SPDX-License-Identifier: Apache-2.0

import Glibc
import Reader
import TestSupport
import Testing

@testable import EventStore

/// A store whose answers are waited for, one after the other.
final class SyncStore {
    private let store: EventStore

    init(_ bench: StoreBench, capacity: Int = 1000) throws {
        store = try EventStore(
            .init(
                directory: bench.directory, key: bench.key,
                capacity: LogCapacity(records: capacity, whenFull: .overwrite)))
    }

    deinit { close() }

    /// The answer to a request; nil after a long time.
    func ask(_ request: StoreRequest) -> StoreAnswer? {
        guard store.submit(.policy, request) else { return nil }
        guard becomes(store.descriptor, POLLIN) else { return nil }
        return store.results().first?.answer
    }

    /// Ends it in order.
    func close() { store.close(within: TestTimeout.seconds) }
}
