import SwiftletBytes
import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres

/// Finds the function that a call means, by its name, the names of its arguments, and the type of its content.
struct RoutineSearch {
    let catalog: RestCatalog
    let name: QualifiedName

    private var candidates: [Routine] { catalog.routines[name] ?? [] }

    /// Throws ``RestError`` `PGRST202` if there is none, `PGRST203` if there are several.
    func call(_ request: RestRequest, _ query: RestQuery) throws(RestError) -> Call {
        if request.isRead { return try call(texts: query.arguments, type: nil) }
        let type = ContentType(request.request)
        switch type {
        case .form: return try call(texts: Query(request.request.body).map { .init(name: $0, value: $1) }, type: type)
        case .text, .xml, .bytes:
            return Call(routine: try find([], type), arguments: content(request.request.body, try find([], type)))
        case .json, .csv, .other: break
        }
        var body = request.request.body
        if body.isEmpty, type == .json { body = Array("{}".utf8) }
        let wanted = try Content(body: body, type, columns: query.columns, allowsValues: takesContent(type))
        let routine = try find(Set(wanted.keys), type)
        if routine.takesContent != nil { return Call(routine: routine, arguments: content(body, routine)) }
        let given = routine.arguments.filter { wanted.keys.contains($0.name) }
        guard !given.isEmpty else { return Call(routine: routine, arguments: .none) }
        return Call(routine: routine, arguments: .members(given, wanted.firstObject))
    }

    private func content(_ body: [UInt8], _ routine: Routine) -> Call.Arguments {
        .content(body, type: routine.takesContent ?? "text")
    }

    private func call(texts given: [RestQuery.Argument], type: ContentType?) throws(RestError) -> Call {
        let routine = try find(Set(given.map(\.name)), type)
        let arguments = routine.arguments.compactMap { argument -> (argument: Routine.Argument, values: [String])? in
            let values = given.filter { $0.name == argument.name }.map(\.value)
            return values.isEmpty ? nil : (argument, values)
        }
        return Call(routine: routine, arguments: arguments.isEmpty ? .none : .texts(arguments))
    }

    private func takesContent(_ type: ContentType) -> Bool {
        candidates.contains { $0.takesContent.map(type.fits) ?? false }
    }

    private func find(_ names: Set<String>, _ type: ContentType?) throws(RestError) -> Routine {
        // Content that has no names is no call without arguments.
        let isNameless = names.contains("")
        let found =
            type?.isWhole == true
            ? []
            : candidates.filter { routine in
                guard routine.takes(names) else { return false }
                // An argument without a name has the empty one, but cannot be given by it: it takes the whole content.
                if routine.takesContent != nil { return type == .json || names.isEmpty }
                return !isNameless
            }
        if found.count == 1 { return found[0] }
        guard found.isEmpty else { throw .severalRoutines(found) }
        let fallback = candidates.filter { routine in
            guard let type, let taken = routine.takesContent else { return false }
            return type.fits(taken)
        }
        if fallback.count == 1 { return fallback[0] }
        guard fallback.isEmpty else { throw .severalRoutines(fallback) }
        if isNameless, type != .json { throw RestError(.badRequest, "PGRST102", "The name of an argument is empty") }
        throw .noRoutine(name, names.sorted(), type, catalog)
    }
}

extension RestError {
    fileprivate static func noRoutine(
        _ name: QualifiedName,
        _ arguments: [String],
        _ type: ContentType?,
        _ catalog: RestCatalog
    ) -> RestError {
        let list = arguments.joined(separator: ", ")
        let isWhole = type?.isWhole == true
        var described =
            switch arguments.count {
            case 0: "without parameters"
            case 1: "with parameter \(list)"
            default: "with parameters \(list)"
            }
        switch type {
        case .text: described = "with a single unnamed text parameter"
        case .xml: described = "with a single unnamed xml parameter"
        case .bytes: described = "with a single unnamed bytea parameter"
        case .json: described += " or with a single unnamed json/jsonb parameter"
        default: break
        }
        let signature = isWhole ? "" : arguments.isEmpty ? " without parameters" : "(\(list))"
        let others = catalog.routines[name] ?? []
        let near: String?
        if isWhole {
            near = nil
        } else if others.isEmpty {
            let names = catalog.routines.keys.filter { $0.schema == name.schema }.map(\.name)
            near = NearestName.find(name.name, among: names, leastLikeness: 0.75)
        } else {
            let lists = others.map { "(\($0.arguments.map(\.name).sorted().joined(separator: ", ")))" }
            near = NearestName.find("(\(list))", among: lists).map { name.name + $0 }
        }
        return RestError(
            .notFound,
            "PGRST202",
            "Could not find the function \(name)\(signature) in the schema cache",
            details: "Searched for the function \(name) \(described), but no matches were found in the schema cache.",
            hint: near.map { "Perhaps you meant to call the function \(name.schema).\($0)" }
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
