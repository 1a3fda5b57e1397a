import Foundation
import SwiftletTesting
import Testing

@testable import SwiftletWeb

@Suite struct ZoneRulesTests {
    /// A century and a half, from 1950.
    private static let years = -631_152_000..<4_102_444_800
    private static let step = 30 * 86_400

    /// Every change, to the second, beside another reader of the same files.
    @Test(.enabled(if: Python.isInstalled, "needs Python 3"), .timeLimit(.minutes(5)))
    func `every zone of the database has the offsets that Python reads`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "swiftlet-zones-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let arguments = [Self.years.lowerBound, Self.years.upperBound, Self.step].map(String.init)
        let lines = try await Python.run("zone_changes.py", arguments, in: folder)
        #expect(lines.count > 300)
        for line in lines {
            let name = String(line.prefix { $0 != " " })
            let rules = try #require(ZoneDatabase.system.rules(of: name), "\(line)")
            let changes = Self.changes(from: Self.years.lowerBound) { rules.offset(at: $0) }
            #expect(([name] + changes).joined(separator: " ") == line)
        }
    }

    /// Foundation has data of its own, which may be older or newer than the machine's.
    @Test(.timeLimit(.minutes(5)))
    func `hardly any zone has had other offsets since 1970 than Foundation knows`() throws {
        var (count, others) = (0, [String]())
        for name in TimeZone.knownTimeZoneIdentifiers where name.contains("/") {
            guard let zone = TimeZone(identifier: name), let rules = ZoneDatabase.system.rules(of: name) else {
                continue
            }
            let known = Self.changes(from: 0) { zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double($0))) }
            if Self.changes(from: 0, { rules.offset(at: $0) }) != known { others.append(name) }
            count += 1
        }
        #expect(count > 300)
        #expect(others.count < 10, "\(others)")
    }

    @Test(arguments: [
        "", "posix/Europe/Berlin", "right/Europe/Berlin", "../etc/passwd", "Europe/../Europe/Berlin", "/etc/localtime",
        "Europe/", "Europe", "Europe//Berlin", "Europe/Berlin\0", "zone.tab", "Europe/Berli", "europe/Berlin",
    ])
    func `is no name of a zone`(name: String) {
        #expect(!ZoneDatabase.system.has(name))
    }

    @Test func `a machine without the database says so`() throws {
        let none = ZoneDatabase(folder: "/nowhere")
        #expect(none.absence == "There are no time zones in /nowhere: install tzdata, or say with TZDIR where they are")
        #expect(TimeZoneName("Europe/Berlin", in: none) == nil)
        #expect(TimeZoneName("UTC", in: none) == .utc)
        #expect(ZoneDatabase.system.absence == nil)
    }

    @Test func `a file that is cut off is none`() throws {
        let file = Array(try Data(contentsOf: URL(fileURLWithPath: "\(ZoneDatabase.system.folder)/Europe/Berlin")))
        #expect(ZoneRules(file: file) != nil)
        for count in file.indices { #expect(ZoneRules(file: Array(file[..<count])) == nil) }
    }

    @Test func `no damaged byte ends the reader`() throws {
        let file = Array(try Data(contentsOf: URL(fileURLWithPath: "\(ZoneDatabase.system.folder)/Europe/Berlin")))
        for index in file.indices {
            for byte in [0, 0x7F, 0x80, 0xFF] as [UInt8] {
                var damaged = file
                damaged[index] = byte
                guard let rules = ZoneRules(file: damaged) else { continue }
                for time in [Int(Int32.min), 0, 1_700_000_000, 4_102_444_800] {
                    #expect(abs(rules.offset(at: time)) < 1 << 20)
                }
            }
        }
    }

    @Test(arguments: [
        ("UTC0", 0, 0), ("<+0330>-3:30", 12_600, 12_600), ("CET-1CEST,M3.5.0,M10.5.0/3", 3600, 7200),
        ("EST5EDT,M3.2.0,M11.1.0", -18_000, -14_400), ("IST-1GMT0,M10.5.0,M3.5.0/1", 0, 3600),
        ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", -7200, -3600), ("AAA0BBB,J60,J300/-167", 0, 3600),
        ("AAA0BBB,59,299", 0, 3600),
        ("AEST-10AEDT,M10.1.0,M4.1.0/3", 39_600, 36_000), ("AAA3BBB,0/0,J365/23", -7200, -7200),
    ])
    func `a rule has an offset in January and one in July`(text: String, january: Int, july: Int) throws {
        let rule = try #require(YearlyRule(text))
        #expect(rule.offset(at: 4_071_600_000) == january)
        #expect(rule.offset(at: 4_086_460_800) == july)
    }

    @Test(arguments: [
        "", "CET", "CE-1", "CET-1CEST", "CET-1CEST,M3.5.0", "CET-1CEST,M3.5.0,M10.5.0/3x", "CET-168", "CET-1:60",
        "<+01-1", "CET-1CEST,M13.5.0,M10.5.0", "CET-1CEST,M3.6.0,M10.5.0", "CET-1CEST,M3.5.7,M10.5.0",
        "CET-1CEST,J0,J1",
        "CET-1CEST,366,1", "CET-1CEST,M3.5.0,M10.5.0/", "CET--1", "CET-1111111111111111111111",
    ])
    func `is no rule`(text: String) {
        #expect(YearlyRule(text) == nil)
    }

    /// `time:offset`, from the first time on.
    private static func changes(from start: Int, _ offset: (Int) -> Int) -> [String] {
        var last = offset(start)
        var changes = ["\(start):\(last)"]
        for time in stride(from: start + step, to: years.upperBound, by: step) {
            let now = offset(time)
            guard now != last else { continue }
            var (before, after) = (time - step, time)
            while after - before > 1 {
                let middle = (before + after) / 2
                if offset(middle) == now { after = middle } else { before = middle }
            }
            changes.append("\(after):\(now)")
            last = now
        }
        return changes
    }
}
