/// How changes of rows are read and kept.
package struct ChangeSettings: Sendable {
    /// A direct connection to the database, with the right to replicate: no pooler.
    package var url: String
    /// How long the log of changes is kept, at least.
    package var retention: Duration = .seconds(86_400)
    /// How large the log may grow. The older part of it goes first.
    package var maximumLogBytes = 1_000_000_000
    /// How long a server waits for its turn to read before it asks again.
    package var electionWait: Duration = .seconds(30)
    /// How often is looked whether there is something to read now, such as a first table.
    package var recheck: Duration = .seconds(10)

    package init(url: String) { self.url = url }
}

/// The address may have a password, so it is never printed.
extension ChangeSettings: CustomStringConvertible, CustomReflectable {
    package var description: String { "changes of rows, kept for \(retention)" }
    package var customMirror: Mirror { Mirror(self, children: ["retention": retention]) }
}
