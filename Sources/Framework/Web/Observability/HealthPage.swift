import Synchronization

/// `/health`: the process is running, and which functions it has. It needs neither a token nor the database.
final class HealthPage: Sendable {
    private struct Cached {
        var second = Int.min
        var response = Response()
    }

    private let prefix: String
    private let suffix: String
    private let clock: ServerClock
    private let cached = Mutex(Cached())

    init(_ functionNames: [String], version: String, _ clock: ServerClock) {
        var json = JSONWriter()
        json.beginObject()
        json.member("status", "healthy")
        json.key("functions")
        json.beginArray()
        for name in functionNames.sorted() {
            json.write(name)
        }
        json.endArray()
        prefix = String(decoding: json.finish(), as: UTF8.self) + ",\"timestamp\":\""
        var tail = JSONWriter()
        tail.write(version)
        suffix = "\",\"version\":" + String(decoding: tail.finish(), as: UTF8.self) + "}"
        self.clock = clock
    }

    /// Rebuilt once a second, because the timestamp has whole seconds.
    func response() -> Response {
        let milliseconds = clock.milliseconds()
        let second = milliseconds / 1_000
        return cached.withLock { cached in
            if cached.second != second {
                let text = prefix + UTCTime(milliseconds: milliseconds).wholeSeconds + suffix
                cached = Cached(second: second, response: Response(json: Array(text.utf8)))
            }
            return cached.response
        }
    }
}
