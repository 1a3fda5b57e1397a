/// One of those who choose the statements that they run, such as a caller of `/rest/v1`.
///
/// All of them together, and each of them, keep a bounded number of connections busy, see ``PlacementPolicy``: whatever takes
/// them long, the rest of the server goes on.
package struct Guest: Hashable, Sendable {
    private let value: Int

    /// The same for everything that one caller asks. `name` is its user or, without one, its address.
    package init(_ name: String) { value = name.hashValue }

    private init(value: Int) { self.value = value }

    /// The same caller as a reader of rows at its own pace, counted apart: its other requests do not wait for that.
    var asReader: Guest { Guest(value: ~value) }
}
