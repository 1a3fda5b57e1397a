/// One piece of work that took time: a request, a statement, a job, a call to another service.
package struct TraceSpan: Sendable {
    /// As OTLP numbers them.
    package enum Kind: Int, Sendable {
        case `internal` = 1
        case server = 2
        case client = 3
        case consumer = 5
    }

    package enum Value: Hashable, Sendable {
        case text(String)
        case integer(Int)
    }

    package let context: TraceContext
    /// The span that it is a part of, possibly another program's.
    package let parent: UInt64?
    package let name: String
    package let kind: Kind
    /// Nanoseconds since 1970.
    package let start: UInt64
    package let end: UInt64
    /// Names of OpenTelemetry's semantic conventions where these have one. Never values of statements, bodies or tokens.
    package let attributes: [(name: String, value: Value)]
    package let isFailed: Bool

    package var parentID: String? { parent?.hex }

    /// The value of an attribute.
    package subscript(_ name: String) -> Value? { attributes.first { $0.name == name }?.value }
}
