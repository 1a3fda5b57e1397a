/// A binary heap of timers, earliest first. Each timer knows its index, so that cancelling it takes O(log n).
struct TimerHeap {
    private var timers: [LoopTimer] = []
    private var lastSequence: UInt64 = 0

    var earliest: LoopInstant? { timers.first?.deadline }

    mutating func insert(_ timer: LoopTimer) {
        precondition(timer.position == nil, "a timer was armed twice")
        lastSequence &+= 1
        timer.sequence = lastSequence
        timers.append(timer)
        place(timer, at: timers.count - 1)
        siftUp(from: timers.count - 1)
    }

    mutating func remove(_ timer: LoopTimer) {
        guard let position = timer.position else { return }
        timer.position = nil
        let last = timers.removeLast()
        guard last !== timer else { return }
        place(last, at: position)
        siftUp(from: position)
        siftDown(from: last.position ?? position)
    }

    /// Removes and returns the earliest timer if it is due.
    mutating func popExpired(at now: LoopInstant) -> LoopTimer? {
        guard let first = timers.first, first.deadline <= now else { return nil }
        remove(first)
        return first
    }

    private mutating func place(_ timer: LoopTimer, at index: Int) {
        timers[index] = timer
        timer.position = index
    }

    private func precedes(_ left: LoopTimer, _ right: LoopTimer) -> Bool {
        left.deadline == right.deadline ? left.sequence < right.sequence : left.deadline < right.deadline
    }

    private mutating func siftUp(from start: Int) {
        var index = start
        let timer = timers[index]
        while index > 0 {
            let parent = timers[(index - 1) / 2]
            guard precedes(timer, parent) else { break }
            place(parent, at: index)
            index = (index - 1) / 2
        }
        place(timer, at: index)
    }

    private mutating func siftDown(from start: Int) {
        var index = start
        let timer = timers[index]
        while true {
            var child = index * 2 + 1
            guard child < timers.count else { break }
            if child + 1 < timers.count, precedes(timers[child + 1], timers[child]) { child += 1 }
            guard precedes(timers[child], timer) else { break }
            place(timers[child], at: index)
            index = child
        }
        place(timer, at: index)
    }
}
