import HTTP
import JSON

/// Finds the function that a call means, by its name and the names of its arguments.
struct RoutineSearch {
    let catalogue: Catalogue
    let name: QualifiedName

    /// Throws ``RestError`` `PGRST202` if there is none, `PGRST203` if there are several.
    func call(_ request: RestRequest, _ query: RestQuery) throws(RestError) -> Call {
        if request.isRead {
            let names = query.arguments.map(\.name)
            let routine = try find(Set(names), takesContent: false)
            return Call(routine: routine, arguments: texts(query.arguments, routine))
        }
        let candidates = catalogue.routines[name] ?? []
        let isJSON = request.request.header(.contentType).map { $0.lowercased().contains("json") } ?? true
        if let single = candidates.first(where: { $0.takesContent != nil }), let type = single.takesContent,
            candidates.count == 1 || !isJSON
        {
            return Call(routine: single, arguments: .content(request.request.body, type: type))
        }
        var body = request.request.body
        if body.isEmpty { body = Array("{}".utf8) }
        let content = try Content(body: body, request.request, columns: query.columns)
        let routine = try find(Set(content.keys), takesContent: isJSON)
        if let type = routine.takesContent { return Call(routine: routine, arguments: .content(body, type: type)) }
        let given = routine.arguments.filter { content.keys.contains($0.name) }
        guard !given.isEmpty else { return Call(routine: routine, arguments: .none) }
        return Call(routine: routine, arguments: .members(given, content.firstObject))
    }

    private func texts(_ given: [RestQuery.Argument], _ routine: Routine) -> Call.Arguments {
        let arguments = routine.arguments.compactMap { argument -> (argument: Routine.Argument, values: [String])? in
            let values = given.filter { $0.name == argument.name }.map(\.value)
            return values.isEmpty ? nil : (argument, values)
        }
        return arguments.isEmpty ? .none : .texts(arguments)
    }

    private func find(_ names: Set<String>, takesContent: Bool) throws(RestError) -> Routine {
        let candidates = catalogue.routines[name] ?? []
        let found = candidates.filter { $0.takes(names) }
        if found.count == 1 { return found[0] }
        if found.isEmpty {
            if takesContent, let routine = candidates.first(where: { $0.takesContent != nil }) { return routine }
            throw .noRoutine(name, names.sorted(), catalogue)
        }
        throw .severalRoutines(found)
    }
}

extension RestError {
    fileprivate static func noRoutine(_ name: QualifiedName, _ arguments: [String], _ catalogue: Catalogue) -> RestError
    {
        let list = arguments.joined(separator: ", ")
        let described =
            switch arguments.count {
            case 0: "without parameters"
            case 1: "with parameter \(list)"
            default: "with parameters \(list)"
            }
        let signature = arguments.isEmpty ? "\(name)" : "\(name)(\(list))"
        let others = catalogue.routines[name] ?? []
        var hint: String?
        if let other = others.first {
            hint =
                "Perhaps you meant to call the function \(name)(\(other.arguments.map(\.name).joined(separator: ", ")))"
        } else {
            let names = catalogue.routines.keys.filter { $0.schema == name.schema }.map(\.name)
            if let near = NearestName.find(name.name, among: names) {
                hint = "Perhaps you meant to call the function \(name.schema).\(near)"
            }
        }
        return RestError(
            .notFound,
            "PGRST202",
            "Could not find the function \(signature) \(arguments.isEmpty ? "without parameters " : "")in the schema cache",
            details: "Searched for the function \(name) \(described), but no matches were found in the schema cache.",
            hint: hint
        )
    }

    fileprivate static func severalRoutines(_ found: [Routine]) -> RestError {
        let list = found.map { routine in
            let arguments = routine.arguments.map { "\($0.name) => \($0.type)" }.joined(separator: ", ")
            return "\(routine.name)(\(arguments))"
        }
        return RestError(
            300,
            "PGRST203",
            "Could not choose the best candidate function between: \(list.joined(separator: ", "))",
            hint:
                "Try renaming the parameters or the function itself in the database so function overloading can be resolved"
        )
    }
}
