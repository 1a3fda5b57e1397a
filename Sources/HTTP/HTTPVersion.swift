/// The two versions that are spoken; everything else is refused by the parser.
package enum HTTPVersion: Sendable {
    case http10
    case http11
}
