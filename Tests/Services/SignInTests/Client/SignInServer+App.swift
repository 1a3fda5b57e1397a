import Foundation
import SwiftletHTTP
import SwiftletTesting
import Testing

import class SwiftletClient.APIClient
import protocol SwiftletClient.Transport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Brings an app's requests to a server in this process.
private struct Line: Transport {
    let server: SignInServer

    func send(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        guard let url = request.url else { throw URLError(.badURL) }
        let method = SwiftletHTTP.Method(rawValue: request.httpMethod ?? "GET")
        let token = request.value(forHTTPHeaderField: "Authorization").map { String($0.dropFirst(7)) }
        let response = try await server.application.send(
            method,
            url.path,
            token: token,
            Array(request.httpBody ?? Data()),
            headers: [("Content-Type", request.value(forHTTPHeaderField: "Content-Type") ?? "")]
        )
        guard
            let answer = HTTPURLResponse(
                url: url,
                statusCode: response.status.rawValue,
                httpVersion: "HTTP/1.1",
                headerFields: ["Content-Type": "application/json"]
            )
        else { throw URLError(.badServerResponse) }
        return (Data(response.body), answer)
    }
}

extension SignInServer {
    /// The client library, as an app has it.
    func app() throws -> APIClient {
        let url = try #require(URL(string: "https://api.example"))
        return APIClient(configuration: .init(baseURL: url, clientName: "tests"), transport: Line(server: self))
    }
}
