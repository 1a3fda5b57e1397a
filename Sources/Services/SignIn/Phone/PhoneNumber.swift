/// A phone number in E.164 without the plus, as GoTrue stores it: two to fifteen digits, the first of which is not
/// zero.
package struct PhoneNumber: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init?(rawValue: String) {
        guard (2...15).contains(rawValue.utf8.count), rawValue.utf8.first != UInt8(ascii: "0"),
            rawValue.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        self.rawValue = rawValue
    }

    /// Reads what a client sends: spaces and one leading plus do not count.
    package init?(typed text: String) {
        guard text.utf8.count <= Self.maximumTypedBytes else { return nil }
        let digits = text.filter { $0 != " " }
        self.init(rawValue: digits.hasPrefix("+") ? String(digits.dropFirst()) : digits)
    }

    private static let maximumTypedBytes = 64
}

extension Fields {
    /// nil if it is missing. Throws ``SignInError`` 400 `validation_failed`.
    func phone() throws(SignInError) -> PhoneNumber? {
        guard let text = try text("phone") else { return nil }
        guard let number = PhoneNumber(typed: text) else {
            throw SignInError.invalid("Invalid phone number format (E.164 required)")
        }
        return number
    }
}
