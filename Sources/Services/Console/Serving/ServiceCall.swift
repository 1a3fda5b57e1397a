import SwiftletAuth
import SwiftletHTTP
import SwiftletJSON
import SwiftletWeb

/// Asks the server's own services, within this process and as the service, so that their rules hold here too.
struct ServiceCall: Sendable {
    let settings: ConsoleSettings

    static let lifetime = 30

    func send(
        _ asked: ConsoleRequest,
        _ method: SwiftletHTTP.Method,
        _ path: String,
        _ body: JSONObject? = nil,
        lifetime: Int = ServiceCall.lifetime
    ) async throws -> Response {
        var headers = try headers(lifetime)
        headers.append(.contentType, "application/json")
        let request = try Request(
            method: method,
            target: path,
            headers: headers,
            body: body.map { Array(JSONValue.object($0).description.utf8) } ?? [],
            remoteAddress: asked.request.remoteAddress
        )
        return await settings.call(request)
    }

    /// Passes the content of the operator's request on while it arrives.
    func upload(_ asked: ConsoleRequest, _ path: String, _ more: [(Headers.Name, String)]) async throws -> Response {
        var headers = try headers(Self.lifetime)
        for (name, value) in more { headers.append(name, value) }
        let request = try Request(
            method: .post,
            target: path,
            headers: headers,
            contentOf: asked.request,
            remoteAddress: asked.request.remoteAddress
        )
        return await settings.call(request)
    }

    /// What the service says to a refused call.
    static func refusal(_ answer: Response) -> ConsoleError {
        let said = try? JSONParser.parse(answer.body)
        let message = said?["msg"]?.string ?? said?["message"]?.string ?? "It was refused."
        return ConsoleError(answer.status, "REFUSED", message)
    }

    private func headers(_ lifetime: Int) throws -> Headers {
        let token = try self.token(["role": "service_role"], seconds: lifetime)
        var headers = Headers()
        headers.append(.authorization, "Bearer \(token)")
        return headers
    }

    /// A token with these claims, which ends after `seconds`. Throws ``ConsoleError`` where none are issued.
    func token(_ claims: JSONObject, seconds: Int) throws -> String {
        guard let issuer = settings.issuer?() else { throw ConsoleError.bad("This server issues no tokens.") }
        let now = settings.clock.milliseconds() / 1000
        var claims = claims
        if claims["iss"] == nil { claims["iss"] = .string(settings.issuerName) }
        claims["iat"] = .number(JSONNumber(now))
        claims["exp"] = .number(JSONNumber(now + seconds))
        return try issuer.issue(payload: Array(JSONValue.object(claims).description.utf8))
    }
}

extension Response {
    var isSuccess: Bool { (200..<300).contains(status.rawValue) }
}
