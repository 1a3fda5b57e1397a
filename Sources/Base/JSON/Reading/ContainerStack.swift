/// The containers around a position in a JSON text: one bit each, set for an object.
struct ContainerStack {
    private var bits: UInt64 = 0
    private(set) var depth = 0
    /// The bits of full words, outermost first; empty up to a depth of 64.
    private var outer: [UInt64] = []

    /// Nil outside all containers.
    var innermostIsObject: Bool? { depth == 0 ? nil : bits & 1 == 1 }

    mutating func push(isObject: Bool) {
        if depth > 0, depth % 64 == 0 { outer.append(bits) }
        bits = bits &<< 1 | (isObject ? 1 : 0)
        depth &+= 1
    }

    mutating func pop() {
        precondition(depth > 0, "there is no container to leave")
        bits &>>= 1
        depth &-= 1
        if depth > 0, depth % 64 == 0 { bits = outer.removeLast() }
    }
}
