import Foundation
import BusinessClient
import CheckInsClient
import DeviceLogsClient
import GalleryClient
import SwiftletClient

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Addresses and clients that reach no network.
enum Clients {
    static let base = url("https://example.com/root/")

    static func url(_ text: String) -> URL {
        guard let url = URL(string: text) else { preconditionFailure("\(text) is no URL") }
        return url
    }

    /// Never waits before it tries again.
    static func make(
        _ transport: RecordedTransport,
        tokens: any TokenStore = InMemoryTokenStore(),
        change: (inout APIClient.Configuration) -> Void = { _ in }
    ) -> APIClient {
        var configuration = APIClient.Configuration(baseURL: base, apiKey: "anon", clientName: "tests")
        configuration.retry.sleep = { _ in }
        change(&configuration)
        return APIClient(configuration: configuration, tokens: tokens, transport: transport)
    }

    /// Somebody has signed in, with a token that names the number of sign-ins and refreshes.
    static func session(_ number: Int = 1, user: String? = nil) -> String {
        """
        {"access_token":"\(token(number, user: user ?? "u1"))","refresh_token":"r\(number)\(user.map { "-\($0)" } ?? "")",
         "expires_in":3600,"token_type":"bearer",
         "user":{"id":"\(user ?? "u1")","email":"ada@example.com","created_at":"2025-01-01","app_metadata":{"tenantId":"t1"}}}
        """
    }

    static func token(_ number: Int, user: String = "u1") -> String {
        let claims =
            #"{"sub":"\#(user)","email":"ada@example.com","exp":1900000000,"number":\#(number),"#
            + #""app_metadata":{"tenantId":"t1","tenant_id":"t1","roleLevel":4,"role_level":4}}"#
        let middle = Data(claims.utf8).base64EncodedString().replacingOccurrences(of: "=", with: "")
        return "e30.\(middle).x"
    }
}

extension URLRequest {
    var bearer: String? { value(forHTTPHeaderField: "Authorization") }
    var path: String { url?.path ?? "" }
    var json: [String: Any] {
        httpBody.flatMap { try? JSONSerialization.jsonObject(with: $0) as? [String: Any] } ?? [:]
    }
}
