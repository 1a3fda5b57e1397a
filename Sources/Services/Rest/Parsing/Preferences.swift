import SwiftletWeb

/// The `Prefer` header (RFC 7240), as PostgREST reads it: the first value of each preference counts.
struct Preferences: Hashable, Sendable {
    enum Return: String { case minimal, representation, headersOnly = "headers-only" }
    enum Count: String { case exact, planned, estimated }
    enum Resolution: String { case merge = "merge-duplicates", ignore = "ignore-duplicates" }
    enum Missing: String { case `default`, null }
    enum Ending: String { case commit, rollback }
    enum Handling: String { case strict, lenient }

    private(set) var returns: Return?
    private(set) var count: Count?
    private(set) var resolution: Resolution?
    private(set) var missing: Missing?
    private(set) var ending: Ending?
    private(set) var handling: Handling?
    private(set) var timeZone: String?
    private(set) var maximumAffected: Int?
    /// What is not understood, as it was written.
    private(set) var unknown: [String] = []

    init(_ header: String?) {
        for element in (header ?? "").split(separator: ",") {
            let text = String(element).trimmingSpaces()
            let parts = text.split(separator: "=", maxSplits: 1).map { String($0).trimmingSpaces() }
            guard parts.count == 2 else {
                if !text.isEmpty { unknown.append(text) }
                continue
            }
            if !take(parts[0], parts[1]) { unknown.append(text) }
        }
    }

    private mutating func take(_ name: String, _ value: String) -> Bool {
        switch name {
        case "return": Self.set(&returns, Return(rawValue: value))
        case "count": Self.set(&count, Count(rawValue: value))
        case "resolution": Self.set(&resolution, Resolution(rawValue: value))
        case "missing": Self.set(&missing, Missing(rawValue: value))
        case "tx": Self.set(&ending, Ending(rawValue: value))
        case "handling": Self.set(&handling, Handling(rawValue: value))
        case "timezone": Self.set(&timeZone, value)
        case "max-affected": Self.set(&maximumAffected, Int(value))
        default: false
        }
    }

    private static func set<Value>(_ preference: inout Value?, _ value: Value?) -> Bool {
        guard let value else { return false }
        if preference == nil { preference = value }
        return true
    }

    /// A time zone that nobody knows is one of the preferences that are not understood. On a machine without time zones
    /// PostgreSQL's own decide, which refuses it.
    mutating func dropUnknownTimeZone() {
        let zones = ZoneDatabase.system
        guard let name = timeZone, !Self.isOffset(name), !zones.has(name), zones.absence == nil else { return }
        timeZone = nil
        unknown.append("timezone=\(name)")
    }

    /// `+05:30`, `-4`: PostgreSQL reads it, or refuses it.
    private static func isOffset(_ zone: String) -> Bool {
        let digits = zone.first.map { "+-".contains($0) } == true ? zone.dropFirst() : Substring(zone)
        return digits.first?.isNumber == true && digits.allSatisfy { $0.isNumber || $0 == ":" }
    }

    /// It counts only where unknown preferences are refused as well.
    var affectedLimit: Int? { handling == .strict ? maximumAffected : nil }
}
