/// Collects the values of a declaration block, one per line.
///
/// Building a block has no side effects: it only produces plain values.
@resultBuilder
public enum ListBuilder<Element> {
    public static func buildExpression(_ element: Element) -> [Element] {
        [element]
    }

    public static func buildExpression(_ elements: [Element]) -> [Element] {
        elements
    }

    public static func buildBlock(_ components: [Element]...) -> [Element] {
        components.flatMap(\.self)
    }
}
