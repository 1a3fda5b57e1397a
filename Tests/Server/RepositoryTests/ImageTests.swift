import Foundation
import SwiftletTesting
import Testing

/// What the image is built from, checked against what everyone else builds from.
@Suite struct ImageTests {
    private static let root = Repository.root

    private func text(_ file: String) throws -> String {
        try String(contentsOf: Self.root.appending(path: file), encoding: .utf8)
    }

    @Test func `takes the versions of the manifest`() throws {
        let image = try text("Dockerfile")
        let pattern = #/        \.package\(url: "https:\/\/github\.com\/\w+\/([\w-]+)", from: "([\d.]+)"\)/#
        let packages = try text("Package.swift").matches(of: pattern)
        #expect(packages.count == 2)
        for package in packages {
            #expect(image.contains("swift package resolve \(package.1) --version \(package.2)"))
        }
    }

    @Test func `takes the flags of the Makefile`() throws {
        let flags = try #require(try text("Makefile").firstMatch(of: #/FAST := (.*)/#))
        #expect(try text("Dockerfile").contains(flags.1))
    }
}
