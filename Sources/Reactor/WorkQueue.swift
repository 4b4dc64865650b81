/// Work for the loop.
enum Work: Sendable {
    case job(UnownedJob)
    case action(@Sendable () -> Void)
}

/// A FIFO queue of work, which reuses its memory.
struct WorkQueue {
    private var items: [Work?] = []
    private var head = 0

    var isEmpty: Bool { head == items.count }

    mutating func append(_ work: Work) { items.append(work) }

    mutating func popFirst() -> Work? {
        guard head < items.count else { return nil }
        let work = items[head]
        items[head] = nil
        head += 1
        // A queue that is never empty must not grow: removed items are dropped when they are half of it.
        if head == items.count {
            items.removeAll(keepingCapacity: true)
            head = 0
        } else if head >= 1024, head * 2 >= items.count {
            items.removeFirst(head)
            head = 0
        }
        return work
    }
}
