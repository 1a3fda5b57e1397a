import SwiftletPostgres
import SwiftletBytes

/// A call of a function with its arguments.
struct Call {
    let routine: Routine
    let arguments: Arguments

    enum Arguments {
        case none
        /// Texts by name, from the query; several values are of a variadic argument.
        case texts([(argument: Routine.Argument, values: [String])])
        /// Members of a JSON object.
        case members([Routine.Argument], [UInt8])
        /// The whole content is the one argument.
        case content([UInt8], type: String)
    }
}

extension MainStatement {
    static func call(
        _ call: Call,
        _ plan: ReadPlan,
        _ ending: Ending,
        countsAll: Bool,
        isReadOnly: Bool
    ) -> MainStatement {
        var statement = MainStatement(isReadOnly: isReadOnly)
        var ending = ending
        statement.text.addSource(call)
        let isTable = call.routine.isTable
        let isCountedApart = countsAll && isTable && !plan.readsAll
        if countsAll, !isCountedApart { ending.total = "count(*)" }
        if isCountedApart {
            statement.text.add(", \"swiftlet_all\" AS (")
            statement.text.addRowsToCount(plan, from: .expression(source))
            statement.text.add(")")
            ending.total = "(SELECT count(*) FROM \"swiftlet_all\")"
        }
        statement.text.add(" ")
        statement.addAnswer(ending)
        statement.text.add(" FROM (")
        var page = plan
        let isCut = ending.isBounded && (plan.restriction.limit ?? .max) > AnswerBound.rows
        if isCut { page.restriction.limit = nil }
        statement.text.addRows(of: call, page)
        if isCut { statement.text.add(" LIMIT \(AnswerBound.rows + 1)") }
        statement.text.add(") AS \(rows)")
        return statement
    }
}

extension StatementText {
    /// `WITH … AS (…)`: what the function gives.
    mutating func addSource(_ call: Call) {
        add("WITH \"\(MainStatement.source)\" AS (")
        addCall(call)
        add(")")
    }

    /// The rows that are asked for, of those that the function gives.
    mutating func addRows(of call: Call, _ plan: ReadPlan) {
        guard call.routine.isTable else { return add("SELECT * FROM \"\(MainStatement.source)\"") }
        addSelect(plan, from: .expression(MainStatement.source))
    }

    private mutating func addCall(_ call: Call) {
        // Rows whose columns nobody has named can only be selected as one value each.
        if case .scalar("record", _) = call.routine.result {
            add("SELECT ")
            addCallWithArguments(call)
            add(" AS pgrst_scalar")
            if hasMembers(call) {
                add(" FROM ")
                addMembers(call)
            }
            return
        }
        add(
            call.routine.isTable
                ? "SELECT \"swiftlet_call\".* FROM " : "SELECT \"swiftlet_call\" AS pgrst_scalar FROM "
        )
        if hasMembers(call) {
            addMembers(call)
            add(", LATERAL ")
        }
        addCallWithArguments(call)
        add(" AS \"swiftlet_call\"")
    }

    private func hasMembers(_ call: Call) -> Bool {
        if case .members(let arguments, _) = call.arguments { !arguments.isEmpty } else { false }
    }

    private mutating func addMembers(_ call: Call) {
        guard case .members(let arguments, let content) = call.arguments else { return }
        add("json_to_record(")
        bind(bytes: content)
        add("::json) AS \"swiftlet_arguments\" (")
        list(arguments) { text, argument in
            text.add(name: argument.name)
            text.add(" \(argument.boundType)")
        }
        add(")")
    }

    private mutating func addCallWithArguments(_ call: Call) {
        add(call.routine.name)
        add("(")
        switch call.arguments {
        case .none: break
        case .texts(let arguments): list(arguments) { $0.add($1.argument, $1.values) }
        case .members(let arguments, _):
            list(arguments) { text, argument in
                if argument.isVariadic { text.add("VARIADIC ") }
                text.add(name: argument.name)
                text.add(" := ")
                text.add("swiftlet_arguments", argument.name)
            }
        case .content(let bytes, let type):
            if type == "bytea" {
                add("decode(")
                bind(Hexadecimal.encode(bytes))
                add(", 'hex')")
            } else {
                bind(bytes: bytes)
                add("::\(type)")
            }
        }
        add(")")
    }

    private mutating func add(_ argument: Routine.Argument, _ values: [String]) {
        if argument.isVariadic { add("VARIADIC ") }
        add(name: argument.name)
        add(" := ")
        if argument.isVariadic {
            bind(array: values)
        } else {
            bind(values.last ?? "")
        }
        add("::\(argument.boundType)")
    }
}
