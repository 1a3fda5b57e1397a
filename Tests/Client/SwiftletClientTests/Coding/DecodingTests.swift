import Foundation
import BusinessClient
import CheckInsClient
import DeviceLogsClient
import GalleryClient
import SwiftletClient
import Testing

@Suite struct DecodingTests {
    private enum Weather: String, SafeDecodable { case sun, heavyRain = "heavy_rain", unknown }

    private struct Day: Decodable, Equatable {
        let id: String
        let weather: Weather
        let createdAt: Date?
        var next: Weather?
    }

    private struct Days: Decodable { let data: [Day] }

    private func days(_ json: String) throws -> [Day] {
        try JSONDecoder.swiftlet.decode(Days.self, from: Data(#"{"data":[\#(json)]}"#.utf8)).data
    }

    private func explanation(_ json: String) -> String {
        do {
            _ = try days(json)
            return ""
        } catch {
            return (error as? DecodingError)?.explanation ?? "\(error)"
        }
    }

    @Test func `both spellings of keys, unknown words and unknown keys are read`() throws {
        let snake = try days(#"{"id":"1","weather":"heavy_rain","created_at":"2025-03-15","colour":{"deep":[1]}}"#)
        let camel = try days(#"{"id":"1","weather":"heavy_rain","createdAt":"2025-03-15"}"#)
        #expect(snake == camel)
        #expect(snake[0].weather == .heavyRain)
        #expect(snake[0].createdAt != nil)
        #expect(try days(#"{"id":"1","weather":"hail","next":"fog","created_at":null}"#)[0].weather == .unknown)
        #expect(try days(#"{"id":"1","weather":"sun","next":null}"#)[0].next == nil)
    }

    @Test(
        arguments: [
            "id", "created_at", "createdAt", "address_line_1", "address_line1", "_id", "__a_b__", "_", "__", "", "a_",
            "URL_path",
            "oAuth_Token", "a__b", "is_oem_2_x", "kEY",
        ]
    )
    func `keys become what convertFromSnakeCase makes of them`(key: String) throws {
        struct Key: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }
            init?(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }
        struct Keys: Decodable {
            let names: [String]
            init(from decoder: any Decoder) throws {
                names = try decoder.container(keyedBy: Key.self).allKeys.map(\.stringValue)
            }
        }
        let reference = JSONDecoder()
        reference.keyDecodingStrategy = .convertFromSnakeCase
        let json = try JSONEncoder().encode([key: 1])
        let names = try JSONDecoder.swiftlet.decode(Keys.self, from: json).names
        #expect(names == (try reference.decode(Keys.self, from: json).names))
        // Keys of dictionaries are values, not names.
        #expect(try JSONDecoder.swiftlet.decode([String: Int].self, from: json) == [key: 1])
    }

    @Test(
        arguments: [
            (
                #"{"id":"1","weather":"sun","created_at":"2025-02-30"}"#,
                "Data corrupted at 'data[0].createdAt': '2025-02-30' is not a date"
            ),
            (#"{"id":"1","weather":"sun","created_at":""}"#, "Data corrupted at 'data[0].createdAt': '' is not a date"),
            (#"{"id":"1","weather":"sun","created_at":5}"#, "Type mismatch at 'data[0].createdAt': expected String"),
            (#"{"id":"1","weather":null}"#, "Value missing at 'data[0].weather': expected"),
            (#"{"id":"1","weather":7}"#, "Type mismatch at 'data[0].weather': expected String"),
            (#"{"weather":"sun"}"#, "Key missing at 'data[0].id'"), (#"{"id":1"#, "Data corrupted at 'the top level'"),
        ]
    )
    func `an explanation says what is wrong and where`(json: String, expected: String) {
        #expect(explanation(json).hasPrefix(expected), "\(explanation(json))")
    }

    @Test func `what is sent has snake case, whole seconds in UTC, and nothing for nil`() throws {
        struct Change: Encodable {
            let dueDate = Date(timeIntervalSince1970: 1_742_060_675.9)
            let addressLine1: String? = nil
            let estimatedAmount = 1200.5
        }
        let encoder = JSONEncoder.swiftlet
        encoder.outputFormatting = .sortedKeys
        let json = String(decoding: try encoder.encode(Change()), as: UTF8.self)
        #expect(json == #"{"due_date":"2025-03-15T17:44:35Z","estimated_amount":1200.5}"#)
    }
}
