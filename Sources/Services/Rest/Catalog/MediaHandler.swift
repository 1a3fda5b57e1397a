import SwiftletPostgres

/// What makes an answer of a media type of one's own: an aggregate whose result is a domain that is named like a media
/// type, or a function that returns such a domain.
struct MediaHandler: Hashable, Sendable {
    /// The aggregate; nil where the value of the function is the answer.
    let function: QualifiedName?
    /// The relation or type of the rows that it takes; nil for any.
    let argument: QualifiedName?
    /// What `Content-Type` says.
    let type: RequestedMediaType
    /// The domain is one over `bytea`.
    let isBytes: Bool

    /// An expression over the rows `alias`; `isScalar` where they hold one value each.
    ///
    /// `format` prints a value as PostgreSQL sends it, which a cast of XML to text does not.
    func sql(_ alias: String, isScalar: Bool) -> String {
        let value = "\(alias).pgrst_scalar"
        guard let function else {
            return isBytes
                ? "encode(string_agg(\(value)::bytea, ''), 'hex')" : "string_agg(format('%s', \(value)), '')"
        }
        let name = "\(function.schema.quotedIdentifier).\(function.name.quotedIdentifier)"
        var rows = isScalar ? value : alias
        if let argument {
            rows += "::\(argument.schema.quotedIdentifier).\(argument.name.quotedIdentifier)"
        }
        return isBytes ? "encode(\(name)(\(rows))::bytea, 'hex')" : "format('%s', \(name)(\(rows)))"
    }
}

/// Handlers by what they are for.
struct MediaHandlers: Sendable {
    private struct Key: Hashable {
        /// A relation or function; nil for any rows.
        let target: QualifiedName?
        let type: RequestedMediaType
    }

    private var handlers: [Key: MediaHandler] = [:]

    var isEmpty: Bool { handlers.isEmpty }

    init(aggregates: [MediaAggregate], routines: [Routine]) {
        for aggregate in aggregates {
            let handler = MediaHandler(
                function: aggregate.function,
                argument: aggregate.argument,
                type: Self.resolved(aggregate.mediaType),
                isBytes: aggregate.isBytes
            )
            add(handler, named: aggregate.mediaType, of: aggregate.argument)
        }
        for routine in routines {
            guard let media = routine.media else { continue }
            let type = Self.resolved(media.type)
            let handler = MediaHandler(function: nil, argument: nil, type: type, isBytes: media.isBytes)
            add(handler, named: media.type, of: routine.name)
        }
    }

    /// What answers everything says what it is itself, by `response.headers`.
    private static func resolved(_ name: String) -> RequestedMediaType {
        name == "*/*" ? .other("application/octet-stream") : RequestedMediaType(named: name)
    }

    /// `name` is the domain's.
    private mutating func add(_ handler: MediaHandler, named name: String, of target: QualifiedName?) {
        handlers[Key(target: target, type: RequestedMediaType(named: name))] = handler
    }

    /// One of the target itself counts only where its rows are as they are, because it takes whole ones.
    func find(_ type: RequestedMediaType, _ target: QualifiedName, isWhole: Bool) -> MediaHandler? {
        if isWhole {
            if let every = handlers[Key(target: target, type: .any)] { return every }
            if let own = handlers[Key(target: target, type: type)] { return own }
        }
        return handlers[Key(target: nil, type: type)]
    }
}
