/// What an index of trigrams finds (PostgreSQL manual, F.35).
public enum Trigrams {
    /// Whether a text has three letters or digits in a row. For one that has not, PostgreSQL reads such an index as a whole,
    /// with the rows of all tenants: compare it with an expression that no index has, `(title || '') ILIKE`.
    public static func areIn(_ text: String) -> Bool {
        var length = 0
        for scalar in text.unicodeScalars {
            let isInWord = scalar.properties.isAlphabetic || scalar.properties.numericType != nil
            length = isInWord ? length + 1 : 0
            if length == 3 { return true }
        }
        return false
    }
}
