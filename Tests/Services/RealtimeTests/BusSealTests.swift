import SwiftletAuth
import Testing

@testable import SwiftletRealtime

struct BusSealTests {
    private static let now = 1_764_000_000_000_000

    private func make(_ key: String = String(repeating: "k", count: 64)) throws -> BusSeal {
        BusSeal(try HMACKey(Secret(key)))
    }

    @Test func `what was signed is opened, once and in order`() throws {
        var seal = try make()
        let sealed = (0..<3).compactMap { number in seal.seal("text.\(number)", at: Self.now) }
        var other = try make()
        let opened = sealed.compactMap { other.open($0, at: Self.now + 1000) }
        #expect(opened.map(\.text) == ["text.0", "text.1", "text.2"])
        let first = opened.map { other.take($0.number, from: "a", at: Self.now) }
        let again = opened.map { other.take($0.number, from: "a", at: Self.now) }
        #expect(first == [true, true, true])
        #expect(again == [false, false, false])
        let isNew = other.take(opened[0].number, from: "b", at: Self.now)
        #expect(isNew)
        #expect(sealed.allSatisfy { $0.utf8.count <= BusSeal.maximumBytes + 6 })
    }

    @Test func `what is forged, changed or old is not`() throws {
        var seal = try make()
        let made = seal.seal("text", at: Self.now)
        let sealed = try #require(made)
        #expect(try make(String(repeating: "x", count: 64)).open(sealed, at: Self.now) == nil)
        for change in [
            "", "text", "..", ".1.text", sealed + "x", String(sealed.dropFirst()),
            sealed.replacing("text", with: "tex"),
        ] {
            #expect(seal.open(change, at: Self.now) == nil, "\(change)")
        }
        for age in [-BusSeal.tolerance - 1, BusSeal.tolerance + 1] {
            #expect(seal.open(sealed, at: Self.now + age) == nil)
        }
        #expect(seal.open(sealed, at: Self.now + BusSeal.tolerance) != nil)
    }
}
