/// A table as the stream describes it before its first change, and again after its definition has changed.
package struct ReplicatedRelation: Hashable, Sendable {
    package struct Column: Hashable, Sendable {
        package let name: String
        /// The OID of its type.
        package let type: UInt32
        package let modifier: Int32
        /// It belongs to the replica identity; with ``Identity/full`` every column does.
        package let isKey: Bool

        package init(name: String, type: UInt32, modifier: Int32 = -1, isKey: Bool = false) {
            self.name = name
            self.type = type
            self.modifier = modifier
            self.isKey = isKey
        }
    }

    /// What is logged of a row before its change (`pg_class.relreplident`).
    package enum Identity: UInt8, Sendable {
        case primaryKey = 0x64
        case nothing = 0x6E
        case full = 0x66
        case index = 0x69
    }

    /// The table's OID.
    package let id: UInt32
    package let schema: String
    package let name: String
    package let identity: Identity
    package let columns: [Column]

    package init(id: UInt32, schema: String, name: String, identity: Identity, columns: [Column]) {
        self.id = id
        self.schema = schema
        self.name = name
        self.identity = identity
        self.columns = columns
    }
}
