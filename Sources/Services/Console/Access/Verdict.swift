import SwiftletJSON

/// Whether one action goes through, and why.
package struct Verdict {
    /// By the grants and the policies' expressions.
    package let isAllowed: Bool
    package var text: String
    let policy: Int?
    /// By the real query; nil where it was not made.
    package private(set) var outcome: Bool?
    /// What PostgreSQL said to it.
    private(set) var said: String?

    init(_ explanation: PolicySet.Explanation) {
        isAllowed = explanation.isAllowed
        text = explanation.text
        policy = explanation.policy
    }

    package var result: Bool { outcome ?? isAllowed }

    /// What really happens is the verdict. Where the explanation says otherwise, it is none.
    mutating func settle(_ outcome: Bool, said message: String? = nil) {
        self.outcome = outcome
        said = message
        // A refusal with words, of a trigger or a constraint, explains itself.
        guard outcome != isAllowed, message == nil || outcome else { return }
        text =
            "cannot be explained: the policies say \(isAllowed ? "allowed" : "refused"), the real query says otherwise"
    }

    var json: JSONValue {
        var object: JSONObject = ["allowed": .bool(isAllowed), "text": .string(text)]
        if let outcome {
            object["verdict"] = .bool(outcome)
            object["differs"] = .bool(outcome != isAllowed && (said == nil || outcome))
        }
        if let said { object["said"] = .string(said) }
        return .object(object)
    }
}

/// The verdicts about one row.
package struct RowVerdict {
    let row: AccessSample.Row
    let verdicts: [PolicySet.Action: Verdict]
    /// Each policy's USING, in their order.
    let using: [Bool?]
    /// What functions answer, which have scopes of their own.
    let functions: [RouteProbe.Outcome]

    package var key: [String?] { row.keyValues }
    package func verdict(_ action: String) -> Verdict? { PolicySet.Action(rawValue: action).flatMap { verdicts[$0] } }

    var json: JSONValue {
        var actions: JSONObject = [:]
        for (action, verdict) in verdicts { actions[action.rawValue] = verdict.json }
        return [
            "cells": .array(row.cells.map { $0.map { .string($0) } ?? .null }), "key": .string(row.key),
            "actions": .object(actions), "policies": .array(using.map { $0.map { .bool($0) } ?? .null }),
            "functions": .array(functions.map(\.json)),
        ]
    }
}
