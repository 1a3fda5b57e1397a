import Synchronization

/// Database time and rows of one request, for its log line.
struct RequestTrace: ~Copyable, Sendable {
    private let databaseTime = Atomic<UInt64>(0)
    private let rowCount = Atomic<Int>(0)

    var databaseNanoseconds: UInt64 { databaseTime.load(ordering: .relaxed) }
    var rows: Int { rowCount.load(ordering: .relaxed) }

    func addDatabase(nanoseconds: UInt64) {
        databaseTime.wrappingAdd(nanoseconds, ordering: .relaxed)
    }

    func addRows(_ count: Int) {
        rowCount.wrappingAdd(count, ordering: .relaxed)
    }
}
