import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletWeb

/// Logs and metrics of this process.
struct ObservationPages: Sendable {
    let settings: ConsoleSettings
    let database: ConsoleDatabase

    /// The newest lines after a number that match: a status from, a word anywhere, a request's id.
    func logs(_ asked: ConsoleRequest) async throws -> Response {
        let query = asked.request.query
        guard let ring = settings.logs else { return .text(#"{"lines":[],"newest":0,"matched":0,"off":true}"#) }
        let after = query["after"].flatMap { Int($0) } ?? 0
        let words = [query["search"], query["id"].map { #""request_id":"\#($0)"# }].compactMap(\.self)
            .filter { !$0.isEmpty }
            .map { Array($0.utf8) }
        let filter = LineFilter(
            words: words,
            status: query["status"].flatMap { Int($0) } ?? 0,
            levels: query["level"].flatMap { $0.isEmpty ? nil : Self.levels(from: $0) },
            showsConsole: query["console"] == "1"
        )
        // All of the ring takes a while, in which requests of apps must not wait for this loop.
        return await withTaskExecutorPreference(globalConcurrentExecutor) {
            Self.answer(ring.lines(after: after, limit: 300) { filter.isPassed(by: $0) })
        }
    }

    private static func answer(_ found: (lines: [LogRing.Line], newest: Int, matched: Int)) -> Response {
        var json = JSONWriter(minimumCapacity: 4096)
        json.beginObject()
        json.member("newest", found.newest)
        json.member("matched", found.matched)
        json.key("lines")
        json.beginArray()
        for line in found.lines {
            json.object { json in
                json.member("n", line.number)
                json.member("line", String(decoding: line.bytes, as: UTF8.self))
            }
        }
        json.endArray()
        json.endObject()
        return Response(json: json.finish())
    }

    /// Sums of the last hour, a sample each ten seconds.
    func metrics(_ asked: ConsoleRequest) async throws -> Response {
        let samples = settings.metrics?.all ?? []
        return await withTaskExecutorPreference(globalConcurrentExecutor) {
            .json { json in
                json.beginArray()
                for sample in samples {
                    json.object { json in
                        json.member("at", sample.milliseconds)
                        for (name, value) in sample.values
                        where !name.contains("bucket") || name.hasPrefix(Self.latency) {
                            json.key(name)
                            json.write(value)
                        }
                    }
                }
                json.endArray()
            }
        }
    }

    private static let latency = "swiftlet_request_duration_seconds_bucket"

    private static func levels(from level: String) -> [[UInt8]] {
        let all = ["debug", "info", "notice", "warning", "error", "critical"]
        let first = all.firstIndex(of: level) ?? 0
        return all[first...].map { Array(#""level":"\#($0)""#.utf8) }
    }
}
