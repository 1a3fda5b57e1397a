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
        let status = query["status"].flatMap { Int($0) } ?? 0
        let level = query["level"] ?? ""
        let showsConsole = query["console"] == "1"
        let found = ring.lines(after: after, limit: 300) { line in
            if !showsConsole, line.contains(ofBytes: Self.ownLine) { return false }
            if status > 0, (Self.status(of: line) ?? 0) < status { return false }
            if !level.isEmpty, !Self.levels(from: level).contains(where: { line.contains(ofBytes: $0) }) {
                return false
            }
            return words.allSatisfy { line.contains(ofBytes: $0) }
        }
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
        .json { json in
            json.beginArray()
            for sample in settings.metrics?.all ?? [] {
                json.object { json in
                    json.member("at", sample.milliseconds)
                    for (name, value) in sample.values where !name.contains("bucket") || name.hasPrefix(Self.latency) {
                        json.key(name)
                        json.write(value)
                    }
                }
            }
            json.endArray()
        }
    }

    private static let latency = "swiftlet_request_duration_seconds_bucket"
    private static let ownLine = Array(#""function":"console""#.utf8)

    private static func levels(from level: String) -> [[UInt8]] {
        let all = ["debug", "info", "notice", "warning", "error", "critical"]
        let first = all.firstIndex(of: level) ?? 0
        return all[first...].map { Array(#""level":"\#($0)""#.utf8) }
    }

    private static func status(of line: [UInt8]) -> Int? {
        let mark = Array(#""status":"#.utf8)
        guard let start = line.position(ofBytes: mark) else { return nil }
        return Int(String(decoding: line[(start + mark.count)...].prefix { (48...57).contains($0) }, as: UTF8.self))
    }
}

extension [UInt8] {
    fileprivate func contains(ofBytes needle: [UInt8]) -> Bool { position(ofBytes: needle) != nil }

    fileprivate func position(ofBytes needle: [UInt8]) -> Int? {
        guard let first = needle.first, count >= needle.count else { return nil }
        for start in 0...(count - needle.count) where self[start] == first {
            if self[start..<(start + needle.count)].elementsEqual(needle) { return start }
        }
        return nil
    }
}
