/// The codes of numbers that are sent no text, such as that of the account which an app store's reviewers use.
package struct FixedCodes: Sendable {
    private let codes: [String: String]
    /// Seconds since 1970; nil for no end.
    private let end: Int?

    package static let none = FixedCodes(codes: [:], end: nil)

    /// Reads `4915112345678:123456,…`, as GoTrue does; nil for anything else.
    package init?(_ text: String, end: Int? = nil) {
        var codes: [String: String] = [:]
        for item in text.split(separator: ",") {
            let parts = item.split(separator: ":", omittingEmptySubsequences: false).map { $0.filter { $0 != " " } }
            guard parts.count == 2, let number = PhoneNumber(typed: parts[0]),
                parts[1].utf8.count == 6, parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) })
            else { return nil }
            codes[number.rawValue] = parts[1]
        }
        self.init(codes: codes, end: end)
    }

    private init(codes: [String: String], end: Int?) {
        self.codes = codes
        self.end = end
    }

    package var count: Int { codes.count }

    /// nil for a number that gets texts.
    func code(of number: String, at seconds: Int) -> String? {
        if let end, seconds >= end { return nil }
        return codes[number]
    }
}
