extension String {
    /// This name as an identifier of SQL, in double quotes (PostgreSQL manual §4.1.1).
    package var quotedIdentifier: String {
        utf8.contains(UInt8(ascii: "\"")) ? "\"\(replacing("\"", with: "\"\""))\"" : "\"\(self)\""
    }
}
