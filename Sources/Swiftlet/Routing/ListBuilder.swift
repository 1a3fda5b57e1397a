/// Collects the values written one per line in a declaration block.
///
/// Blocks hold plain values: no side effect happens while one is built, and what a function or resource may do can be
/// read without running it.
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
