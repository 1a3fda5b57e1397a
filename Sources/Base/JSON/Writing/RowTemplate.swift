/// The members of a row's JSON object, laid out so that writing a row involves no reference counting.
package struct RowTemplate: Sendable {
    struct Member: Sendable {
        /// Where `,"name":` begins in ``text``; the first member has a brace instead of the comma.
        let keyStart: Int
        let keyLength: Int
        /// Position in the select list; an alias shares the position of its column.
        let position: Int
        let form: CellForm
        /// The range of its vocabulary in ``words``, for ``CellForm/word``.
        let firstWord: Int
        let endOfWords: Int
    }

    struct Word: Sendable {
        let start: Int
        let length: Int
    }

    private(set) var members: [Member] = []
    /// The bytes of all keys and words, and ``ByteBuffer/slack`` after them, so that whole words can be read.
    private(set) var text = [UInt8](repeating: 0, count: ByteBuffer.slack)
    private(set) var words: [Word] = []

    package init() {}

    /// An estimate of a row's size: its keys, and a score of bytes for each value.
    package var usualBytes: Int { text.count + 20 * members.count }

    /// Adds a member; `words` are the vocabulary of a ``CellForm/word``.
    package mutating func append(_ name: String, position: Int, _ form: CellForm, words vocabulary: [String] = []) {
        let firstWord = words.count
        for word in vocabulary { words.append(Word(start: add(Array(word.utf8)), length: word.utf8.count)) }
        var quoted = JSONWriter(minimumCapacity: 64)
        quoted.write(name)
        let key = [UInt8(ascii: members.isEmpty ? "{" : ",")] + quoted.finish() + [UInt8(ascii: ":")]
        members.append(
            Member(
                keyStart: add(key),
                keyLength: key.count,
                position: position,
                form: form,
                firstWord: firstWord,
                endOfWords: words.count
            )
        )
    }

    /// Inserts bytes before the slack, and returns where they begin.
    private mutating func add(_ bytes: [UInt8]) -> Int {
        let start = text.count - ByteBuffer.slack
        text.insert(contentsOf: bytes, at: start)
        return start
    }

    /// The member's name, as its key spells it.
    package func name(ofMember index: Int) -> String { name(of: members[index]) }

    func name(of member: Member) -> String {
        // Between `{"` or `,"` and `":`.
        String(decoding: text[(member.keyStart + 2)..<(member.keyStart + member.keyLength - 2)], as: UTF8.self)
    }

    /// Whether the cell is one of the member's words.
    @inline(__always)
    static func isWord(
        _ cell: borrowing Span<UInt8>,
        of member: Member,
        _ words: borrowing Span<Word>,
        _ text: borrowing Span<UInt8>
    ) -> Bool {
        var index = member.firstWord
        while index < member.endOfWords {
            let word = words[index]
            index &+= 1
            guard word.length == cell.count else { continue }
            var position = 0
            while position < word.length, text[word.start &+ position] == cell[position] { position &+= 1 }
            if position == word.length { return true }
        }
        return false
    }
}
