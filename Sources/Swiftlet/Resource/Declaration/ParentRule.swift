/// A row belongs to one row of another resource: a comment to a task.
struct ParentRule: Sendable {
    let resource: Resource
    let foreignKey: Identifier
    let tallies: [Tally]
}
