/// The name of a value that an app brings to all of its handlers.
///
///     enum Greeting: ContextKey {
///         static let defaultValue = "Hello"
///     }
///
///     let greeting = context[Greeting.self]
///
/// A server sets it once, before it accepts requests: see `Setting`. Tests set what they need.
public protocol ContextKey: SendableMetatype {
    associatedtype Value: Sendable

    /// The value where nobody has set one.
    static var defaultValue: Value { get }
}

/// Values by their keys.
public struct ContextValues: Sendable {
    private var values: [ObjectIdentifier: any Sendable] = [:]

    public init() {}

    /// The value that was set, or the key's default.
    public subscript<Key: ContextKey>(_ key: Key.Type) -> Key.Value {
        get { values[ObjectIdentifier(key)] as? Key.Value ?? Key.defaultValue }
        set { values[ObjectIdentifier(key)] = newValue }
    }
}
