/// One of those who choose the statements that they run, such as a caller of `/rest/v1`.
///
/// All of them together, and each of them, keep a bounded number of connections busy, see ``PlacementPolicy``: whatever takes
/// them long, the rest of the server goes on.
package struct Guest: Hashable, Sendable {
    private let value: Int
    /// Whether what it asks may take seconds for one value where it took none for another, such as a pattern.
    let mayTakeLong: Bool

    /// The same for everything that one caller asks. `name` is its user or, without one, its address.
    package init(_ name: String) { self.init(value: name.hashValue) }

    private init(value: Int, mayTakeLong: Bool = false) {
        self.value = value
        self.mayTakeLong = mayTakeLong
    }

    /// The same caller, with what it asks now.
    package func asking(mayTakeLong: Bool) -> Guest { Guest(value: value, mayTakeLong: mayTakeLong) }

    /// Of one caller, whatever it asks.
    package static func == (left: Guest, right: Guest) -> Bool { left.value == right.value }

    package func hash(into hasher: inout Hasher) { hasher.combine(value) }

    /// The same caller as a reader of rows at its own pace, counted apart: its other requests do not wait for that.
    var asReader: Guest { Guest(value: ~value) }
}
