/// The members of a JSON object in their original order.
///
/// A name occurs once: setting it again replaces the value and keeps its position, so the last of duplicates in a text
/// wins. Names are compared byte by byte, as RFC 8259 §8.3 advises: composed and decomposed `é` are different names.
/// Objects are equal when they have the same members, in any order.
public struct JSONObject: Sendable {
    fileprivate struct Member: Sendable {
        let name: MemberName
        var value: JSONValue
    }

    private var members: [Member] = []
    /// The position of each name, kept only above ``scanLimit`` members. Swift seeds its hashes per process, so a
    /// sender cannot make names collide.
    private var positions: [MemberName: Int]?

    private static let scanLimit = 16

    public init() {}

    public var count: Int { members.count }
    public var isEmpty: Bool { members.isEmpty }
    public var keys: [String] { members.map(\.name.text) }

    /// The value of a name; setting nil removes the member, which takes time linear in the size of the object.
    public subscript(name: String) -> JSONValue? {
        get { position(of: MemberName(text: name)).map { members[$0].value } }
        set {
            if let newValue { set(newValue, for: name) } else { remove(name) }
        }
    }

    /// Adds a member, or replaces the value of the one with this name.
    mutating func set(_ value: JSONValue, for name: String) {
        let name = MemberName(text: name)
        if let position = position(of: name) {
            members[position].value = value
            return
        }
        positions?[name] = members.count
        members.append(Member(name: name, value: value))
        if positions == nil, members.count > Self.scanLimit { indexMembers() }
    }

    private mutating func remove(_ name: String) {
        guard let position = position(of: MemberName(text: name)) else { return }
        members.remove(at: position)
        positions = nil
        if members.count > Self.scanLimit { indexMembers() }
    }

    private mutating func indexMembers() {
        var positions: [MemberName: Int] = [:]
        for (position, member) in members.enumerated() { positions[member.name] = position }
        self.positions = positions
    }

    private func position(of name: MemberName) -> Int? {
        if let positions { return positions[name] }
        for position in members.indices where members[position].name == name { return position }
        return nil
    }
}

extension JSONObject: Sequence {
    public struct Iterator: IteratorProtocol {
        fileprivate var members: IndexingIterator<[Member]>

        public mutating func next() -> (name: String, value: JSONValue)? {
            members.next().map { ($0.name.text, $0.value) }
        }
    }

    public var underestimatedCount: Int { count }

    public func makeIterator() -> Iterator { Iterator(members: members.makeIterator()) }
}

extension JSONObject: Hashable {
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        left.count == right.count
            && left.members.allSatisfy { member in
                right.position(of: member.name).map { right.members[$0].value == member.value } ?? false
            }
    }

    public func hash(into hasher: inout Hasher) {
        // Independent of the order: the sum of the members' hashes.
        var sum = 0
        for member in members {
            var memberHasher = Hasher()
            memberHasher.combine(member.name)
            memberHasher.combine(member.value)
            sum &+= memberHasher.finalize()
        }
        hasher.combine(sum)
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        for (name, value) in elements { set(value, for: name) }
    }
}
