// SPDX-License-Identifier: Apache-2.0

import Testing
import Timekeeping

@Suite struct TokenBucketTests {
    private let pace = TokenBucket.Pace(size: 3, interval: .seconds(10))

    private func at(_ seconds: Int64) -> Instant { .origin + .seconds(seconds) }

    /// The number of grants at a time.
    private func grants(_ bucket: inout TokenBucket, at seconds: Int64) -> Int {
        var count = 0
        while bucket.admit(at: at(seconds)) { count += 1 }
        return count
    }

    /// As many as its size in a row, then one after each interval; what is left of an interval counts.
    @Test func gainsOneInEachInterval() {
        var bucket = TokenBucket(pace, at: at(0))
        #expect(grants(&bucket, at: 0) == 3)
        #expect(grants(&bucket, at: 9) == 0)
        #expect(grants(&bucket, at: 10) == 1)
        #expect(grants(&bucket, at: 25) == 1)
        #expect(grants(&bucket, at: 29) == 0)
        #expect(grants(&bucket, at: 30) == 1)
    }

    /// No more than its size after a long rest, and a full bucket gains nothing in advance.
    @Test func keepsNoMoreThanItsSize() {
        var bucket = TokenBucket(pace, at: at(0))
        #expect(grants(&bucket, at: 1_000_000_000) == 3)
        #expect(grants(&bucket, at: 1_000_000_009) == 0)
        #expect(grants(&bucket, at: 1_000_000_010) == 1)
    }

    /// A bucket of one is a pause after each grant, and the first is at once.
    @Test func aBucketOfOneIsAPause() {
        var bucket = TokenBucket(TokenBucket.Pace(size: 1, interval: .seconds(10)), at: .origin)
        let grants = [0, 9, 10, 11, 35, 44, 45].map { bucket.admit(at: at($0)) }
        #expect(grants == [true, false, true, false, true, false, true])
    }

    /// An earlier time gives nothing.
    @Test func aClockThatGoesBackGivesNothing() {
        var bucket = TokenBucket(pace, at: at(100))
        #expect(grants(&bucket, at: 100) == 3)
        #expect(grants(&bucket, at: 0) == 0)
        #expect(grants(&bucket, at: 110) == 1)
    }
}
