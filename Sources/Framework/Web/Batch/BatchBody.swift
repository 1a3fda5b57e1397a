import SwiftletJSON

/// The body of `POST /batch`.
struct BatchBody {
    /// All in one transaction, or each on its own.
    let isTransaction: Bool
    let calls: [BatchCall]

    static let maximumCalls = 100

    /// Throws 400 and names every field at fault.
    init(_ object: JSONObject) throws(APIError) {
        var faults: [String: String] = [:]
        switch object["transaction"] {
        case nil, .null: isTransaction = false
        case .bool(let flag): isTransaction = flag
        default:
            isTransaction = false
            faults["transaction"] = "must be true or false"
        }
        let values = object["requests"]?.array ?? []
        if !(1...Self.maximumCalls).contains(values.count) {
            faults["requests"] = "must be a list of 1 to \(Self.maximumCalls) calls"
            throw .validation(faults)
        }
        var calls: [BatchCall] = []
        var ids: Set<String> = []
        for (index, value) in values.enumerated() {
            do throws(BatchFault) {
                let call = try BatchCall(value, index, after: ids)
                guard ids.insert(call.id).inserted else { throw BatchFault("id", "is used twice") }
                calls.append(call)
            } catch {
                faults[error.field.isEmpty ? "requests.\(index)" : "requests.\(index).\(error.field)"] = error.reason
            }
        }
        guard faults.isEmpty else { throw .validation(faults) }
        self.calls = calls
    }
}
