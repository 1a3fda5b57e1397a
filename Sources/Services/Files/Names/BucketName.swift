/// The name of a bucket: 1 to 100 of the characters of ``ObjectName`` except `/`, without a space at its ends.
struct BucketName: Hashable, Sendable {
    let text: String

    init(_ text: String) throws(FilesError) {
        let isName =
            (1...100).contains(text.utf8.count) && text.first != " " && text.last != " "
            && text.unicodeScalars.allSatisfy { $0 != "/" && ObjectName.isPlain($0) }
        guard isName else { throw .badBucketName }
        self.text = text
    }
}
