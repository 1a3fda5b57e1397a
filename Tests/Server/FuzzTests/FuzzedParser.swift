import Testing

/// A parser, and examples that it reads or refuses.
struct FuzzedParser: Sendable, CustomTestStringConvertible {
    let name: String
    let examples: [[UInt8]]
    /// Throws for what it refuses, and ``FuzzFault`` for what may not be.
    let read: @Sendable ([UInt8]) throws -> Void

    var testDescription: String { name }

    static let all = base + engine + framework + services

    static func bytes(
        _ name: String,
        _ examples: [[UInt8]],
        _ read: @escaping @Sendable ([UInt8]) throws -> Void
    ) -> FuzzedParser {
        FuzzedParser(name: name, examples: examples, read: read)
    }

    static func text(
        _ name: String,
        _ examples: [String],
        _ read: @escaping @Sendable (String) throws -> Void
    ) -> FuzzedParser {
        FuzzedParser(name: name, examples: examples.map { Array($0.utf8) }) { bytes in
            try read(String(decoding: bytes, as: UTF8.self))
        }
    }
}

/// A value that is written and read again is another one.
struct FuzzFault: Error {
    let reason: String

    static func unless(_ holds: Bool, _ reason: String) throws {
        if !holds { throw FuzzFault(reason: reason) }
    }
}

/// What an initializer that returns nil has refused.
struct Refusal: Error {}

extension Optional {
    func accepted() throws -> Wrapped {
        guard let self else { throw Refusal() }
        return self
    }
}
