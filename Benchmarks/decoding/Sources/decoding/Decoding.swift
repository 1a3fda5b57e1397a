import BusinessClient
import Foundation
import SwiftletClient

/// Decodes a list of 1000 tasks with five dates each in three ways, and compares the times and the values.
@main struct Decoding {
    private static let rounds = 15

    static func main() throws {
        let data = list()
        let contestants: [(name: String, decoder: JSONDecoder)] = [
            ("JSONDecoder.swiftlet", .swiftlet), ("JSONDecoder, .iso8601", iso8601()),
            ("a formatter per value", formatterPerValue()),
        ]
        let expected = try contestants[0].decoder.decode(Page<TaskItem>.self, from: data)
        // In turns, so that noise meets all of them. The best of each counts.
        var best = Array(repeating: Duration.seconds(3600), count: contestants.count)
        for round in 0..<rounds {
            for (index, contestant) in contestants.enumerated() where index < 2 || round < 3 {
                let clock = ContinuousClock()
                let start = clock.now
                let page = try contestant.decoder.decode(Page<TaskItem>.self, from: data)
                best[index] = min(best[index], clock.now - start)
                guard page == expected else {
                    print("\(contestant.name) decodes other values")
                    exit(1)
                }
            }
        }
        print("1000 tasks, 5000 dates, \(data.count / 1000) kB; best of several rounds")
        for (index, contestant) in contestants.enumerated() {
            print(
                column(contestant.name, 24),
                column(String(format: "%.1f ms", milliseconds(best[index])), 12),
                terminator: ""
            )
            print(String(format: "%.2f ×", best[index] / best[0]))
        }
        let goals = [(1, 1.5), (2, 5.0)]
        let missed = goals.filter { best[$0.0] / best[0] < $0.1 }
        for (index, ratio) in missed { print("missed: \(ratio) × faster than \(contestants[index].name)") }
        exit(missed.isEmpty ? 0 : 1)
    }

    private static func iso8601() -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        decoder.dateDecodingStrategy = .iso8601
        return decoder
    }

    /// As many apps do it, and as guides show it.
    private static func formatterPerValue() -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            let text = try container.decode(String.self)
            let formatter = ISO8601DateFormatter()
            for options: ISO8601DateFormatter.Options in [
                [.withInternetDateTime, .withFractionalSeconds], .withInternetDateTime,
            ] {
                formatter.formatOptions = options
                if let date = formatter.date(from: text) { return date }
            }
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no date")
        }
        return decoder
    }

    /// What `GET /tasks?limit=1000` answers.
    private static func list() -> Data {
        let rows = (0..<1000).map { number in
            let day = String(format: "2025-%02d-%02d", number % 12 + 1, number % 28 + 1)
            return """
                {"id":"01a20210-1472-763d-a693-\(String(format: "%012d", number))","tenant_id":"acme",\
                "title":"Call back about lease \(number)","description":"They asked for a second copier.",\
                "status":"in_progress","priority":"high","assigned_to":"ada","created_by":"grace","project_id":null,\
                "due_date":"\(day)T16:00:00Z","start_date":"\(day)T08:30:00Z","completed_at":"\(day)T15:59:59Z",\
                "created_at":"\(day)T07:00:01Z","updated_at":"\(day)T15:59:59Z","estimated_hours":3,\
                "completion_percentage":100,"time_tracked":90,"comment_count":2,"tags":["on site","toner"]}
                """
        }
        return Data("{\"data\":[\(rows.joined(separator: ","))],\"total\":1000,\"page\":1,\"limit\":1000}".utf8)
    }

    private static func milliseconds(_ time: Duration) -> Double { time / .milliseconds(1) }

    private static func column(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
