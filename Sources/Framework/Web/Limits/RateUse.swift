/// What one client has used of a limit.
///
/// The window slides: of the window before counts as much as still lies within one window's length, as if its requests
/// had been spread evenly. Windows begin at multiples of their length since 1970, on all servers at once.
struct RateUse: Sendable, Equatable {
    private(set) var period = 0
    private(set) var current = 0
    private(set) var previous = 0
    /// What other servers have taken in this window, as far as it is known.
    private var others = 0
    /// What other servers have not been told yet.
    private(set) var untold = 0

    /// Takes one request, unless the limit is reached. `milliseconds` since 1970; a clock that goes back stands still.
    mutating func take(_ limit: RateLimit, at milliseconds: Int) -> RateVerdict {
        let length = limit.windowMilliseconds
        turn(to: milliseconds / length)
        let elapsed = max(0, milliseconds - period * length)
        let share = 1 - min(1, Double(elapsed) / Double(length))
        let used = Double(previous) * share + Double(current + others)
        let isTaken = used + 1 <= Double(limit.count)
        if isTaken {
            current += 1
            untold += 1
        }
        let left = length - min(elapsed, length)
        return RateVerdict(
            isTaken: isTaken,
            remaining: max(0, Int(Double(limit.count) - used) - (isTaken ? 1 : 0)),
            resetMilliseconds: left,
            retryMilliseconds: isTaken ? 0 : max(1, wait(limit, left: left, elapsed: elapsed))
        )
    }

    /// Forgets one request that was taken, unless its window is over.
    mutating func giveBack() {
        current = max(0, current - 1)
        untold = max(0, untold - 1)
    }

    /// How long until there is room for one request, if nobody else comes.
    private func wait(_ limit: RateLimit, left: Int, elapsed: Int) -> Int {
        let length = Double(limit.windowMilliseconds)
        let room = Double(limit.count - 1)
        let now = Double(current + others)
        if previous > 0, now <= room {
            return Int((length * (1 - (room - now) / Double(previous))).rounded(.up)) - elapsed
        }
        return left + Int((length * max(0, 1 - room / max(now, 1))).rounded(.up))
    }

    private mutating func turn(to now: Int) {
        guard now > period else { return }
        previous = now == period + 1 ? current + others : 0
        (current, others, untold) = (0, 0, 0)
        period = now
    }

    /// What other servers are told: nil while it is a small part of the limit, of which all servers together may take a
    /// few without anybody's harm.
    mutating func tell(_ limit: RateLimit) -> Int? {
        guard untold > 0, current * 10 >= limit.count else { return nil }
        defer { untold = 0 }
        return untold
    }

    /// What all servers have taken in a window.
    mutating func learn(total: Int, in period: Int) {
        if period == self.period { others = max(0, total - (current - untold)) }
    }

    /// Whether it still counts for anything.
    func counts(_ limit: RateLimit, at milliseconds: Int) -> Bool {
        period + 1 >= milliseconds / limit.windowMilliseconds
    }
}

/// What a limit says of a request.
struct RateVerdict: Sendable, Equatable {
    var isTaken: Bool
    var remaining: Int
    /// Until the window ends.
    var resetMilliseconds: Int
    /// Until a request is taken again; 0 if this one is.
    var retryMilliseconds: Int
}
