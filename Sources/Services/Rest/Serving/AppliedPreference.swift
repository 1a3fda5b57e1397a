/// The preferences that an answer can say it has followed, in the order of `Preference-Applied`.
enum AppliedPreference {
    case resolution, missing, returns, count, ending, handling, timeZone, maximumAffected

    /// nil where the client has not asked.
    func text(_ preferences: Preferences, isEndingOverridable: Bool) -> String? {
        switch self {
        case .resolution: preferences.resolution.map { "resolution=\($0.rawValue)" }
        case .missing: preferences.missing.map { "missing=\($0.rawValue)" }
        case .returns: preferences.returns.map { "return=\($0.rawValue)" }
        case .count: preferences.count.map { "count=\($0.rawValue)" }
        case .ending: isEndingOverridable ? preferences.ending.map { "tx=\($0.rawValue)" } : nil
        case .handling: preferences.handling.map { "handling=\($0.rawValue)" }
        case .timeZone: preferences.timeZone.map { "timezone=\($0)" }
        case .maximumAffected: preferences.affectedLimit.map { "max-affected=\($0)" }
        }
    }
}
