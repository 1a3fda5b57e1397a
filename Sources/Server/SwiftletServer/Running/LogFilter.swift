import ArgumentParser
import Logging
import SwiftletJSON

/// Which lines of a log are shown, and how.
struct LogFilter {
    var level: Level?
    var status: StatusRange?
    var path: String?
    var requestID: String?

    struct Level: ExpressibleByArgument, Sendable {
        let value: Logger.Level

        init?(argument: String) {
            guard let value = Logger.Level(rawValue: argument.lowercased()) else { return nil }
            self.value = value
        }
    }

    struct StatusRange: ExpressibleByArgument, Sendable {
        let values: ClosedRange<Int>

        init?(argument: String) {
            if let match = argument.wholeMatch(of: /([1-5])[xX]{2}/), let hundred = Int(match.1) {
                values = hundred * 100...hundred * 100 + 99
            } else if let value = Int(argument), (100...599).contains(value) {
                values = value...value
            } else {
                return nil
            }
        }
    }

    /// nil for a line that is not wanted. What is no JSON is shown unless something particular is asked for.
    func show(_ line: [UInt8], asJSON: Bool) -> String? {
        let raw = String(decoding: line, as: UTF8.self)
        guard let record = try? JSONParser.parse(line), record["time"] != nil else {
            return level == nil && status == nil && path == nil && requestID == nil ? raw : nil
        }
        guard isWanted(record) else { return nil }
        return asJSON ? raw : text(record)
    }

    private func isWanted(_ record: JSONValue) -> Bool {
        if let level {
            // A request's line says by its status how bad it is.
            let own = record["level"]?.string.flatMap { Logger.Level(rawValue: $0) } ?? .info
            let ofStatus: Logger.Level = (record["status"]?.int ?? 0) >= 500 ? .error : own
            guard max(own, ofStatus) >= level.value else { return false }
        }
        if let status {
            guard let value = record["status"]?.int, status.values.contains(value) else { return false }
        }
        if let path { guard record["path"]?.string?.hasPrefix(path) == true else { return false } }
        if let requestID { guard record["request_id"]?.string == requestID else { return false } }
        return true
    }

    private func text(_ record: JSONValue) -> String {
        let time = record["time"]?.string ?? ""
        let head = "\(time) \((record["level"]?.string ?? "info").uppercased())"
        guard let status = record["status"]?.int, let method = record["method"]?.string else {
            let known: Set<String> = ["time", "level", "message"]
            let members = record.object ?? JSONObject()
            let details = members.keys.filter { !known.contains($0) }.map { key in
                " \(key)=\(members[key]?.string ?? members[key]?.description ?? "")"
            }
            return TextTable.harmless("\(head) \(record["message"]?.string ?? "")\(details.joined())")
        }
        let milliseconds = Double(record["duration_us"]?.int ?? 0) / 1000
        let reason = record["reason"]?.string.map { " \($0)" } ?? ""
        return TextTable.harmless(
            "\(head) \(status) \(method) \(record["path"]?.string ?? "") \(milliseconds) ms\(reason) \(record["request_id"]?.string ?? "")"
        )
    }
}
