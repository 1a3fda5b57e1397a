/// The jobs that this server holds: those that wait here, and those that run, each in a slot.
///
/// It only decides; ``JobWorker`` performs. Times are nanoseconds of a monotonic clock.
struct JobState: Sendable {
    struct WorkerSlot: Sendable {
        /// nil between two jobs.
        var job: ClaimedJob?
        var started: UInt64 = 0
    }

    /// Jobs that run at once.
    let concurrency: Int
    private(set) var slots: [Int: WorkerSlot] = [:]
    private(set) var isStopping = false
    private var waiting: [ClaimedJob] = []
    private var firstWaiting = 0
    private var lastSlot = 0
    /// A moving average; long at first, so that nothing is claimed in advance before it is known.
    private var averageNanoseconds: Double = 1e9

    /// How much work in advance a claim fetches: what is done in about this time.
    private static let nanosecondsInAdvance: Double = 50_000_000
    private static let maximumInAdvance = 1000

    init(concurrency: Int) { self.concurrency = concurrency }

    var waitingCount: Int { waiting.count - firstWaiting }
    var runningCount: Int { slots.count { $0.value.job != nil } }
    /// Of the jobs that wait and those that run.
    var ids: [Int] { waiting[firstWaiting...].map(\.claim.id) + slots.compactMap { $0.value.job?.claim.id } }
    var isIdle: Bool { slots.isEmpty && waitingCount == 0 }

    /// How many more jobs to claim: as many as can start, and short ones in advance. 0 while that many would not be
    /// worth a statement.
    var room: Int {
        guard !isStopping else { return 0 }
        let rounds = min(max(Self.nanosecondsInAdvance / max(averageNanoseconds, 1), 1), 1000)
        let target = min(Int(Double(concurrency) * rounds), max(concurrency, Self.maximumInAdvance))
        let room = target - waitingCount - runningCount
        return room >= min(concurrency, (target + 3) / 4) || slots.count < concurrency ? max(0, room) : 0
    }

    /// Takes claimed jobs, and returns the slots that have to be started for them.
    mutating func add(_ jobs: [ClaimedJob]) -> [Int] {
        waiting += jobs
        var new: [Int] = []
        while slots.count < concurrency, new.count < waitingCount {
            lastSlot += 1
            slots[lastSlot] = WorkerSlot()
            new.append(lastSlot)
        }
        return new
    }

    /// The next job of a slot; nil ends the slot.
    mutating func take(_ slot: Int, at now: UInt64) -> ClaimedJob? {
        guard slots[slot] != nil, firstWaiting < waiting.count else {
            slots[slot] = nil
            return nil
        }
        let job = waiting[firstWaiting]
        firstWaiting += 1
        if firstWaiting == waiting.count {
            waiting.removeAll(keepingCapacity: true)
            firstWaiting = 0
        }
        slots[slot] = WorkerSlot(job: job, started: now)
        return job
    }

    /// Ends the slot's job; false if the slot was given up meanwhile, and somebody else has said how the job has ended.
    mutating func end(_ slot: Int, at now: UInt64) -> Bool {
        guard let ended = slots[slot], ended.job != nil else { return false }
        averageNanoseconds += (Double(now &- ended.started) - averageNanoseconds) / 16
        slots[slot]?.job = nil
        return true
    }

    /// Gives up the slots whose job takes longer than `limit` allows, and returns them.
    mutating func giveUpOverdue(at now: UInt64, limit: (ClaimedJob) -> Duration) -> [(slot: Int, job: ClaimedJob)] {
        var overdue: [(slot: Int, job: ClaimedJob)] = []
        for (number, slot) in slots {
            guard let job = slot.job, Double(now &- slot.started) / 1e9 > limit(job).seconds else { continue }
            slots[number] = nil
            overdue.append((number, job))
        }
        return overdue
    }

    /// Takes no more jobs. Returns those that have not started.
    mutating func stop() -> [ClaimedJob] {
        isStopping = true
        return dropWaiting()
    }

    /// Forgets everything, as it belongs to others by now. Returns the slots.
    mutating func giveUpAll() -> [(slot: Int, job: ClaimedJob)] {
        _ = dropWaiting()
        let running = slots.compactMap { number, slot in slot.job.map { (slot: number, job: $0) } }
        slots = [:]
        return running
    }

    private mutating func dropWaiting() -> [ClaimedJob] {
        defer {
            waiting = []
            firstWaiting = 0
        }
        return Array(waiting[firstWaiting...])
    }
}
