import SwiftletPostgres
import SwiftletHTTP

/// What a response says of the rows that a ``RestPlan`` has read or changed.
struct RestOutcome {
    let status: Status
    var form: ResultForm
    /// nil where the answer is no list.
    var contentRange: String?
    /// The preferences that were followed, if the client had any.
    let applied: [AppliedPreference]

    /// Throws ``RestError`` for a page behind the last row.
    init(of plan: RestPlan, _ answer: RestTransaction.MainRow, _ request: RestRequest) throws(RestError) {
        let form = plan.form
        let preferences = request.preferences
        /// What was changed counts as a total where one is asked for, but is no page.
        func changed(_ count: Int = 0) -> String {
            RestResponse.contentRange(
                offset: 0,
                count: count,
                total: preferences.count == nil ? nil : answer.count
            )
        }
        switch plan.operation {
        case .call(let call, _, _) where call.routine.result == .void && request.method != .head:
            self.init(.noContent, .none, contentRange: nil, [.count, .ending, .handling, .timeZone, .maximumAffected])
        case .read:
            try self.init(page: plan, answer, [.count, .ending, .handling, .timeZone])
        case .call:
            try self.init(page: plan, answer, [.count, .ending, .handling, .timeZone, .maximumAffected])
        case .insert(let change):
            // An upsert that inserted nothing has made nothing.
            let isMerge = preferences.resolution == .merge
            // Without a key there is nothing to resolve.
            let resolves = change.conflict?.columns.isEmpty == false
            self.init(
                isMerge && answer.inserted ?? 0 <= 0 ? .ok : .created,
                form,
                contentRange: changed(),
                (resolves ? [.resolution] : []) + [.missing, .returns, .count, .ending, .handling, .timeZone]
            )
        case .replace:
            self.init(
                answer.inserted == 0 ? Self.done(form) : .created,
                form,
                contentRange: changed(),
                [.returns, .count, .ending, .handling, .timeZone]
            )
        case .update:
            self.init(
                Self.done(form),
                form,
                contentRange: changed(answer.count),
                [.missing, .returns, .count, .ending, .handling, .timeZone, .maximumAffected]
            )
        case .delete:
            self.init(
                Self.done(form),
                form,
                contentRange: changed(),
                [.returns, .count, .ending, .handling, .timeZone, .maximumAffected]
            )
        }
    }

    private init(_ status: Status, _ form: ResultForm, contentRange: String?, _ applied: [AppliedPreference]) {
        self.status = status
        self.form = form
        self.contentRange = contentRange
        self.applied = applied
    }

    private init(
        page plan: RestPlan,
        _ answer: RestTransaction.MainRow,
        _ applied: [AppliedPreference]
    ) throws(RestError) {
        if let total = answer.total, plan.offset > total { throw .offsetTooLarge(plan.offset, of: total) }
        let isPart = answer.total.map { answer.count < $0 } ?? false
        self.init(
            isPart ? 206 : .ok,
            plan.form,
            contentRange: RestResponse.contentRange(offset: plan.offset, count: answer.count, total: answer.total),
            applied
        )
    }

    private static func done(_ form: ResultForm) -> Status { form == .none ? .noContent : .ok }
}
