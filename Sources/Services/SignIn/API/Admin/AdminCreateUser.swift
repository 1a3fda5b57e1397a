import SwiftletBytes
import SwiftletAuth
import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletWeb

extension AuthAPI {
    /// `POST /admin/users`: creates an account, with a password or a password hash.
    func adminCreateUser(_ request: Request, _ context: Context) async throws -> Response {
        let administrator = try await requireAdministrator(request)
        let fields = try Fields(request)
        var new = NewAccount()
        new.creator = administrator
        let id = try Self.sentID(fields)
        new.email = try fields.email()
        new.phone = try fields.phone()?.rawValue
        guard new.email != nil || new.phone != nil else {
            throw SignInError.invalid("Cannot create a user without either an email or phone")
        }
        if let id {
            new.id = id
        } else if let id = try await personID(new.email) {
            new.id = id
        }
        new.passwordHash = try await givenHash(fields, isNew: true)
        if new.passwordHash == nil {
            new.passwordHash = try await services.passwords.hash(Self.randomPassword(), forAdministrator: true)
        }
        new.role = try await sentRole(fields) ?? new.role
        new.audience = try fields.text("aud") ?? new.audience
        let emailConfirm = try fields.bool("email_confirm")
        let phoneConfirm = try fields.bool("phone_confirm")
        new.isEmailConfirmed = new.email != nil && emailConfirm == true
        new.isPhoneConfirmed = new.phone != nil && phoneConfirm == true
        let providers: [JSONValue] = (new.email == nil ? [] : ["email"]) + (new.phone == nil ? [] : ["phone"])
        new.appMetadata = ["provider": providers.first ?? "email", "providers": .array(providers)]
        for (name, value) in try fields.object("app_metadata") ?? [:] { new.appMetadata[name] = value }
        var userMetadata = try fields.object("user_metadata") ?? [:]
        if new.isEmailConfirmed { userMetadata["email_verified"] = true }
        new.userMetadata = try MetadataLimit.check(userMetadata, "user_metadata")
        new.appMetadata = try MetadataLimit.check(new.appMetadata, "app_metadata")
        new.banSeconds = try Self.ban(fields)
        if let email = new.email { new.identities = [.email(email, of: new.id, isVerified: new.isEmailConfirmed)] }
        if let phone = new.phone { new.identities.append(.phone(phone, of: new.id, isVerified: new.isPhoneConfirmed)) }
        do {
            try await accounts.insert(new)
        } catch let error as PostgresError where error.isDuplicateAccount {
            throw SignInError(duplicate: error)
        }
        return Response.user(try await accounts.existing(id: new.id))
    }

    private static func sentID(_ fields: Fields) throws -> String? {
        guard let text = try fields.text("id") else { return nil }
        guard let id = RandomID.normalized(text) else {
            throw SignInError.invalid("ID must conform to the uuid v4 format")
        }
        guard id.contains(where: { $0 != "0" && $0 != "-" }) else {
            throw SignInError.invalid("ID cannot be a nil uuid")
        }
        return id
    }

    /// The id of the user of `public.users` with this address, because rows refer to users by the token's subject; nil
    /// if it is no UUID, or another account's.
    func personID(_ email: String?) async throws -> String? {
        guard let email, let person = try await accounts.findPerson(email: email),
            let id = RandomID.normalized(person.id), try await accounts.find(id: id) == nil
        else { return nil }
        return id
    }

    /// A password that nobody knows, until the user resets it.
    private static func randomPassword() throws -> String {
        let bytes = try RandomBytes.make(count: 32)
        return Base64URL.encode(bytes.span)
    }
}
