import Swiftlet

/// Keeps a deal's stage, status, probability and closing date in step, whichever of them the client changes.
///
/// The deal is locked meanwhile, so that of two who move it at once the second one sees what the first one did.
func moveDeal(_ change: inout Change, _ deal: JSONObject, _ context: Context) async throws {
    let current = change.action == .create ? nil : dealStatus.word(forStored: deal["status"]?.string)
    guard let stage = try await stage(of: change, current, context) else { return }
    for key in ["stage", "sales_stage", "stage_name"] { change[key] = nil }
    change["stage_id"] = .string(stage.id)
    switch stage.outcome {
    case .open:
        let isReopened = current == "won" || current == "lost"
        if change["status"] != "on_hold", current != "on_hold" || change.contains("status") {
            change["status"] = "open"
        }
        guard isReopened else { return }
        change["actual_close_date"] = .null
        if !change.contains("probability") { change["probability"] = 0 }
    case .won, .lost:
        let isWon = stage.outcome == .won
        change["status"] = .string(stage.outcome.rawValue)
        change["probability"] = isWon ? 100 : 0
        if current != stage.outcome.rawValue { change.setNow("actual_close_date") }
    }
}

/// The stage that the change leads to; nil if it stays. A status without a stage leads to the stage of its name.
private func stage(of change: Change, _ current: String?, _ context: Context) async throws -> DealStage? {
    for key in ["stage", "sales_stage", "stage_name"] {
        guard let value = change[key], value != .null || key == "stage" else { continue }
        guard let name = value.string, !name.allSatisfy(\.isWhitespace), !name.utf8.contains(0) else {
            throw change.refusal(of: key, "must be the name of a stage")
        }
        guard name.count <= 100 else { throw change.refusal(of: key, "must have at most 100 characters") }
        return try await .named(name, context)
    }
    // Another tenant's id is refused by the foreign key.
    if let id = change["stage_id"] {
        guard let id = id.string else { return nil }
        return try await .with(id: id, context)
    }
    switch change["status"]?.string {
    case let status? where status == current: return nil
    case "won": return try await .named("closed_won", context)
    case "lost": return try await .named("closed_lost", context)
    case "open" where current == "won" || current == "lost": return try await .named("negotiation", context)
    default: return current == nil ? try await .named("new", context) : nil
    }
}
