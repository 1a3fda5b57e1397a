import Foundation
import SwiftletTesting
import Testing

@testable import SwiftletServer

@Suite struct PushServicesTests {
    @Test func `reads the service account again, and keeps the old one when the new one is unusable`() throws {
        let folder = try SwiftletProcess.makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let file = "\(folder)/account.json"
        let account = TestKeys.serviceAccount(tokenURL: "https://oauth2.example/token")
        try Data(account.utf8).write(to: URL(fileURLWithPath: file))
        var reader = SettingsReader(Environment(["PUSH": "real", "FCM_SERVICE_ACCOUNT_FILE": file]))
        let services = PushServices(&reader)
        #expect(services.account?.project == "shop")
        let renewed = account.replacing("shop", with: "store")
        try Data(renewed.utf8).write(to: URL(fileURLWithPath: file))
        #expect(try services.rereadingAccount()?.account?.project == "store")
        try Data("{}".utf8).write(to: URL(fileURLWithPath: file))
        #expect(throws: ConfigurationError.self) { try services.rereadingAccount() }
        var other = SettingsReader(Environment(["PUSH": "real"]))
        #expect(try PushServices(&other).rereadingAccount() == nil)
    }
}
