/// A statement whose text comes from literals only; interpolated values become bound parameters.
///
///     let query: SQL = "SELECT id, name FROM clients WHERE user_id = \(user.id) ORDER BY name LIMIT \(limit)"
///
/// Text known only at run time cannot get in: it is always a value, never syntax. A parameter's type is what the server
/// infers from its place; write a cast (`\(text)::uuid`) where it cannot. Several statements in one text are refused by
/// the server.
public struct SQL: Sendable {
    /// Text around the parameters: always one more than there are parameters.
    private(set) var pieces: [String]
    package private(set) var parameters: Parameters
    /// Values that were bound as a scope, such as the tenant's id; see `StringInterpolation.markScope`.
    package private(set) var boundScopes: [String]

    /// Text as the server sees it, with `$1`, `$2`, … for the parameters.
    package var text: String {
        var text = pieces[0]
        for index in 1..<max(1, pieces.count) {
            text += "$\(index)"
            text += pieces[index]
        }
        return text
    }

    package init(text: String) {
        pieces = [text]
        parameters = Parameters(minimumCapacity: 0)
        boundScopes = []
    }

    /// Appends the text of `other`; its parameters are renumbered.
    public mutating func append(_ other: SQL) {
        pieces[pieces.count - 1] += other.pieces[0]
        pieces += other.pieces.dropFirst()
        parameters.append(contentsOf: other.parameters)
        boundScopes += other.boundScopes
    }
}

extension SQL: ExpressibleByStringInterpolation {
    public init(stringLiteral value: StaticString) {
        self.init(text: value.description)
    }

    public init(stringInterpolation: StringInterpolation) {
        self = stringInterpolation.sql
    }

    /// What may stand in `\( )`: values, and other ``SQL``.
    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var sql: SQL

        public init(literalCapacity: Int, interpolationCount: Int) {
            sql = SQL(text: "")
            sql.pieces.reserveCapacity(interpolationCount + 1)
        }

        public mutating func appendLiteral(_ literal: StaticString) {
            sql.pieces[sql.pieces.count - 1] += literal.description
        }

        public mutating func appendInterpolation(_ value: String) { bind { $0.append(value) } }

        public mutating func appendInterpolation(_ value: String?) { bind { $0.append(value) } }

        public mutating func appendInterpolation(_ value: Int) { bind { $0.append(value) } }

        public mutating func appendInterpolation(_ value: Int?) { bind(value) { $0.append($1) } }

        public mutating func appendInterpolation(_ value: Bool) { bind { $0.append(value) } }

        public mutating func appendInterpolation(_ value: Bool?) { bind(value) { $0.append($1) } }

        public mutating func appendInterpolation(_ value: Double) { bind { $0.append(value) } }

        public mutating func appendInterpolation(_ value: Double?) { bind(value) { $0.append($1) } }

        /// One parameter of type `text[]`, as in `= ANY(\(ids))`.
        public mutating func appendInterpolation(_ values: [String]) { bind { $0.append(array: values) } }

        public mutating func appendInterpolation(_ values: [Int]) {
            bind { $0.append(array: values.map(\.description)) }
        }

        /// Another statement's text and parameters, spliced in.
        public mutating func appendInterpolation(_ other: SQL) { sql.append(other) }

        /// Notes that this statement binds `value` as its scope, so that a scoped database can require it.
        package mutating func markScope(_ value: String) { sql.boundScopes.append(value) }

        /// Binds one parameter; `add` must append exactly one value.
        package mutating func bind(_ add: (inout Parameters) -> Void) {
            add(&sql.parameters)
            sql.pieces.append("")
        }

        private mutating func bind<Value>(_ value: Value?, _ add: (inout Parameters, Value) -> Void) {
            bind { parameters in
                if let value { add(&parameters, value) } else { parameters.appendNull() }
            }
        }
    }
}
