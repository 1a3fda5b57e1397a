/// A type as `format_type` writes it.
struct FormattedType: Equatable {
    private var name: String
    /// "numeric(10,2)": 10 and 2.
    private var limits: [Int]

    init(_ text: String) {
        (name, limits) = (text, [])
        guard text.hasSuffix(")"), let start = text.lastIndex(of: "(") else { return }
        let numbers = text[text.index(after: start)...].dropLast().split(separator: ",").map { Int($0) }
        let known = numbers.compactMap(\.self)
        if known.count == numbers.count { (name, limits) = (String(text[..<start]), known) }
    }

    private static let integers = ["smallint", "integer", "bigint"]

    /// Whether each of its values is one of the other type too, unchanged. false for what is not known.
    func isWithin(_ other: FormattedType) -> Bool {
        switch (name, other.name) {
        case ("character varying", "character varying"), ("character varying", "text"):
            return other.limits.isEmpty || !limits.isEmpty && limits[0] <= other.limits[0]
        case ("numeric", "numeric"):
            if other.limits.isEmpty { return true }
            guard limits.count == 2, other.limits.count == 2 else { return false }
            return limits[1] <= other.limits[1] && limits[0] - limits[1] <= other.limits[0] - other.limits[1]
        case ("text", "character varying"): return other.limits.isEmpty
        case (_, "numeric") where Self.integers.contains(name): return other.limits.isEmpty
        case ("real", "double precision"): return true
        default:
            guard let mine = Self.integers.firstIndex(of: name), let its = Self.integers.firstIndex(of: other.name)
            else {
                return false
            }
            return mine <= its
        }
    }
}
