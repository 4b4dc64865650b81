// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// Pending timers, earliest first: a binary heap in which each timer stores its position, so that cancelling costs no
/// more than adding, and leaves nothing behind.
struct DeadlineHeap {
    private var timers: [Timer] = []
    private var nextOrder: UInt64 = 0

    var count: Int { timers.count }

    /// The earliest deadline.
    var first: Instant? { timers.first?.deadline }

    mutating func insert(_ timer: Timer) {
        guard timer.position == nil else { return }
        timer.adopt(order: nextOrder)
        nextOrder &+= 1
        timer.position = timers.count
        timers.append(timer)
        rise(timers.count - 1)
    }

    mutating func remove(_ timer: Timer) {
        guard let position = timer.position else { return }
        timer.position = nil
        let last = timers.removeLast()
        guard last !== timer else { return }
        place(last, at: position)
        rise(position)
        if let moved = last.position { sink(moved) }
    }

    /// Removes and returns the earliest timer, if its deadline is not after `now`.
    mutating func popDue(at now: Instant) -> Timer? {
        guard let timer = timers.first, timer.deadline <= now else { return nil }
        remove(timer)
        return timer
    }

    private mutating func place(_ timer: Timer, at position: Int) {
        timers[position] = timer
        timer.position = position
    }

    private mutating func rise(_ start: Int) {
        var position = start
        while position > 0 {
            let parent = (position - 1) / 2
            guard timers[position].precedes(timers[parent]) else { return }
            swap(position, parent)
            position = parent
        }
    }

    private mutating func sink(_ start: Int) {
        var position = start
        while true {
            var least = position
            let left = 2 * position + 1
            if left < timers.count, timers[left].precedes(timers[least]) { least = left }
            if left + 1 < timers.count, timers[left + 1].precedes(timers[least]) { least = left + 1 }
            guard least != position else { return }
            swap(position, least)
            position = least
        }
    }

    private mutating func swap(_ one: Int, _ other: Int) {
        let timer = timers[one]
        place(timers[other], at: one)
        place(timer, at: other)
    }
}
