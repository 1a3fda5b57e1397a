import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

/// Whether somebody has an account shows in nothing that a stranger gets: neither in the answer and its header fields
/// nor in its time, which a hash takes or the pace of the requests. The one exception is GoTrue's: a sign-up with the
/// address of an account shows a user without role and identities, by which apps say that it is taken.
@Suite(.needsDatabase, .hangLimit)
struct EnumerationTests {
    /// Every request that names an address or a number, without a token.
    private static let requests: [(path: String, body: String)] = [
        ("/signup", #"{"email":"E","password":"another horse"}"#),
        ("/signup", #"{"phone":"P","password":"another horse"}"#),
        (login, #"{"email":"E","password":"wrong"}"#),
        ("/token?grant_type=password", #"{"email":"E","password":"wrong"}"#),
        ("/token?grant_type=password", #"{"phone":"P","password":"wrong"}"#),
        ("/otp", #"{"email":"E"}"#), ("/otp", #"{"email":"E","create_user":false}"#),
        ("/otp", #"{"phone":"P"}"#), ("/otp", #"{"phone":"P","create_user":false}"#),
        ("/magiclink", #"{"email":"E"}"#), ("/recover", #"{"email":"E"}"#),
        ("/resend", #"{"type":"signup","email":"E"}"#), ("/resend", #"{"type":"email_change","email":"E"}"#),
        ("/resend", #"{"type":"sms","phone":"P"}"#), ("/resend", #"{"type":"phone_change","phone":"P"}"#),
        ("/verify", #"{"type":"email","email":"E","token":"123456"}"#),
        ("/verify", #"{"type":"signup","email":"E","token":"123456"}"#),
        ("/verify", #"{"type":"recovery","email":"E","token":"123456"}"#),
        ("/verify", #"{"type":"magiclink","email":"E","token":"123456"}"#),
        ("/verify", #"{"type":"invite","email":"E","token":"123456"}"#),
        ("/verify", #"{"type":"email_change","email":"E","token":"123456"}"#),
        ("/verify", #"{"type":"sms","phone":"P","token":"123456"}"#),
        ("/verify", #"{"type":"phone_change","phone":"P","token":"123456"}"#),
    ]

    /// What names nobody, or only by what a stranger cannot know.
    private static let nameless: Set = [
        "/callback", "/passkeys/authentication/options", "/passkeys/authentication/verify",
    ]

    @Test func `every request that is open to strangers is looked at`() {
        let open = AuthDescription.operations.filter { $0.caller == .everyone && $0.method != "GET" }
            .map { String($0.path.dropFirst("/v1".count)) }
        let asked = Set(Self.requests.map { String($0.path.prefix { $0 != "?" }) })
        #expect(Set(open) == asked.union(Self.nameless).subtracting([Self.login]))
    }

    /// Of apps that know no other way, outside `/auth/v1`.
    private static let login = "/mobile-auth/login"

    private static let pace = Duration.milliseconds(20)

    /// What differs from one account to the next.
    private static func alike(_ text: String, _ email: String, _ phone: String) -> String {
        text.replacing(email, with: "E").replacing(phone, with: "P")
            .replacing(#/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/#, with: "ID")
            .replacing(#/20\d\d-\d\d-\d\dT[0-9:.]+(Z|[+]00:00)/#, with: "TIME")
    }

    private struct Seen: Equatable {
        let status: Int
        let body: String
        let hasIdentities: Bool
        let fields: [String]
        let hashes: Int
        let isPaced: Bool
    }

    private func ask(
        _ server: SignInServer,
        _ request: (path: String, body: String),
        _ email: String,
        _ phone: String
    ) async throws -> Seen {
        let body = request.body.replacing("\"E\"", with: "\"\(email)\"").replacing("\"P\"", with: "\"\(phone)\"")
        let hashes = server.signIn.hashCount
        let stopwatch = Stopwatch()
        let path = request.path == Self.login ? request.path : "/auth/v1" + request.path
        let answer = try await server.send(
            .post,
            path,
            try JSONParser.parse(Array(body.utf8)),
            headers: [("X-Supabase-Api-Version", "2024-01-01")]
        )
        let time = stopwatch.wallTime
        let changing: Set<String> = ["date", "x-request-id", "content-length"]
        let fields = String(decoding: answer.response.headers.lines, as: UTF8.self).split(separator: "\r\n").map(
            String.init
        )
        .filter { field in !changing.contains { field.lowercased().hasPrefix("\($0):") } }
        var json = answer.json
        if request.path == "/signup", var user = json.object {
            (user["role"], user["identities"]) = (nil, nil)
            json = .object(user)
        }
        return Seen(
            status: answer.status,
            body: Self.alike(json.description, email, phone),
            hasIdentities: answer["identities"]?.array?.isEmpty == false,
            fields: fields.sorted(),
            hashes: server.signIn.hashCount - hashes,
            isPaced: time >= Self.pace - .milliseconds(1)
        )
    }

    @Test(arguments: ["confirmed", "unconfirmed", "banned"])
    func `no request of a stranger tells an account from none`(kind: String) async throws {
        var mail = MailSettings(.log)
        mail.siteURL = "https://app.example"
        mail.externalURL = "https://api.example"
        let texting = try await TextingServer.start(mail: mail) {
            $0.mailRequestPace = Self.pace
            $0.emailsPerHour = 1000
            $0.textsPerHour = 1000
        }
        try await texting.use { texting in
            for (index, request) in Self.requests.enumerated() {
                let number = 10 + index
                let (email, phone) = ("known-\(number)@example.org", "49151000000\(number)")
                var account: JSONObject = [
                    "email": .string(email), "phone": .string(phone), "password": .string(SignInServer.password),
                ]
                if kind != "unconfirmed" { (account["email_confirm"], account["phone_confirm"]) = (true, true) }
                if kind == "banned" { account["ban_duration"] = "24h" }
                let made = try await texting.server.admin(.post, "", .object(account))
                #expect(made.status < 300, "\(made.json)")
                let known = try await ask(texting.server, request, email, phone)
                let nobody = ("nobod-\(number)@example.org", "49152000000\(number)")
                let unknown = try await ask(texting.server, request, nobody.0, nobody.1)
                #expect(known.status == unknown.status, "\(request)")
                #expect(known.body == unknown.body, "\(request)")
                #expect(known.fields == unknown.fields, "\(request)")
                #expect(known.hashes == unknown.hashes, "\(request)")
                let isSign = request.path == "/signup" && kind != "unconfirmed"
                #expect(known.hasIdentities != isSign || request.path != "/signup", "\(request)")
                // What finds an account in the database and what does not is told apart by a hash or the pace. A wrong
                // code is one query for both.
                let takesTime = known.hashes > 0 || (known.isPaced && unknown.isPaced)
                #expect(takesTime || request.path == "/verify", "\(request)")
            }
        }
    }
}
