import ArgumentParser
import SwiftletEssentials
import SwiftletSignIn

/// How an operator names an account: by its address, its phone number or its id.
enum AccountName: Sendable, Equatable {
    /// Lower-cased, as accounts are stored and found.
    case email(String)
    /// Without the plus.
    case phone(String)
    /// In lower case.
    case id(String)
}

extension AccountName: CustomStringConvertible {
    var description: String {
        switch self {
        case .email(let text), .id(let text): text
        case .phone(let digits): "+\(digits)"
        }
    }

    @Sendable static func parse(_ text: String) throws -> AccountName {
        if let address = MailAddress(rawValue: text.lowercased()) { return .email(address.rawValue) }
        if let id = UUID(uuidString: text) { return .id(id.uuidString.lowercased()) }
        guard let number = PhoneNumber(typed: text) else {
            throw ValidationError("it is no e-mail address, phone number with its country's code, or id of an account.")
        }
        return .phone(number.rawValue)
    }

    /// What an account is made with.
    @Sendable static func parseNew(_ text: String) throws -> AccountName {
        let name = try parse(text)
        if case .id = name { throw ValidationError("it is neither an e-mail address nor a phone number.") }
        return name
    }

    var address: String? { if case .email(let email) = self { email } else { nil } }
    var number: String? { if case .phone(let digits) = self { digits } else { nil } }
}
