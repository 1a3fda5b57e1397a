import SwiftletJSON

/// A policy's condition as a value: what it says of a row is found without asking PostgreSQL.
///
/// It is exactly as strict as PostgreSQL. Where that would fail, or might read a value in a way of its own, there is no
/// answer here, and PostgreSQL is asked.
indirect enum PolicyExpression: Sendable {
    case value(PolicyValue)
    case column(String, PolicyType)
    /// The text at a path in the claims: `auth.jwt() -> 'a' ->> 'b'`, with `auth.uid()` and `auth.role()`.
    case claim([String])
    case cast(PolicyExpression, PolicyType)
    case equal(PolicyExpression, PolicyExpression)
    case isNull(PolicyExpression)
    case not(PolicyExpression)
    case all([PolicyExpression])
    case any([PolicyExpression])

    /// For the rows of one caller; nil where PostgreSQL must be asked.
    func bound(to claims: PolicyClaims) -> PolicyExpression? {
        switch self {
        case .value, .column: return self
        case .claim(let path): return claims.text(at: path).map { .value($0) }
        case .cast(let inner, let type):
            guard let inner = inner.bound(to: claims) else { return nil }
            guard case .value(let value) = inner else { return .cast(inner, type) }
            return value.cast(to: type).map { .value($0) }
        case .equal(let left, let right):
            guard let left = left.bound(to: claims), let right = right.bound(to: claims) else { return nil }
            return .equal(left, right)
        case .isNull(let inner): return inner.bound(to: claims).map { .isNull($0) }
        case .not(let inner): return inner.bound(to: claims).map { .not($0) }
        case .all(let parts): return Self.bound(parts, to: claims).map { .all($0) }
        case .any(let parts): return Self.bound(parts, to: claims).map { .any($0) }
        }
    }

    private static func bound(_ parts: [PolicyExpression], to claims: PolicyClaims) -> [PolicyExpression]? {
        let bound = parts.compactMap { $0.bound(to: claims) }
        return bound.count == parts.count ? bound : nil
    }

    /// Whether the row of the image is visible, which it is not where the condition is unknown; nil where PostgreSQL must
    /// be asked.
    func admits(_ image: JSONObject) -> Bool? {
        switch value(image) {
        case .bool(let isTrue)?: isTrue
        case .null?: false
        default: nil
        }
    }

    /// Every part has a value, or the whole has none: PostgreSQL may look at them in any order, and fail.
    private func value(_ image: JSONObject) -> PolicyValue? {
        switch self {
        case .value(let value): return value
        case .column(let name, let type): return PolicyValue(image[name], type)
        case .claim: return nil
        case .cast(let inner, let type): return inner.value(image)?.cast(to: type)
        case .equal(let left, let right):
            guard let left = left.value(image), let right = right.value(image) else { return nil }
            return PolicyValue.equal(left, right).map { .bool($0) } ?? .null
        case .isNull(let inner):
            switch inner.value(image) {
            case nil: return nil
            case .null?: return .bool(true)
            default: return .bool(false)
            }
        case .not(let inner):
            switch inner.value(image) {
            case .bool(let isTrue)?: return .bool(!isTrue)
            case .null?: return .null
            default: return nil
            }
        case .all(let parts): return Self.value(parts, image, deciding: false)
        case .any(let parts): return Self.value(parts, image, deciding: true)
        }
    }

    /// Three-valued: one that decides does, then an unknown one.
    private static func value(_ parts: [PolicyExpression], _ image: JSONObject, deciding: Bool) -> PolicyValue? {
        var result = PolicyValue.bool(!deciding)
        var isDecided = false
        for part in parts {
            switch part.value(image) {
            case .bool(let isTrue)?: if isTrue == deciding { isDecided = true }
            case .null?: result = .null
            default: return nil
            }
        }
        return isDecided ? .bool(deciding) : result
    }
}

/// The claims as policies read them.
struct PolicyClaims {
    private let root: JSONObject

    /// nil for claims that PostgreSQL might refuse, or write otherwise: with escapes, or numbers that are not simple.
    init?(_ claims: [UInt8]) {
        let escape = Array("\\u".utf8)
        for place in claims.indices.dropLast() where claims[place] == escape[0] && claims[place + 1] == escape[1] {
            return nil
        }
        guard let object = (try? JSONParser.parse(claims))?.object, Self.isPlain(.object(object)) else { return nil }
        root = object
    }

    private static func isPlain(_ value: JSONValue) -> Bool {
        switch value {
        case .number(let number):
            number.text.utf8.count <= 15
                && !number.text.utf8.contains { $0 == UInt8(ascii: "e") || $0 == UInt8(ascii: "E") }
        case .string(let text): !text.utf8.contains(0)
        case .array(let values): values.allSatisfy(isPlain)
        case .object(let object): object.allSatisfy { !$0.name.utf8.contains(0) && isPlain($0.value) }
        default: true
        }
    }

    /// As `->` and, for the last, `->>`. nil for values whose text is PostgreSQL's affair.
    func text(at path: [String]) -> PolicyValue? {
        var value: JSONValue? = .object(root)
        for name in path { value = value?.object?[name] }
        switch value {
        case nil, .null?: return .null
        case .string(let text)?: return .text(text)
        case .bool(let bool)?: return .text(bool ? "true" : "false")
        case .number(let number)?:
            guard let integer = Int(number.text), String(integer) == number.text else { return nil }
            return .text(number.text)
        default: return nil
        }
    }
}
