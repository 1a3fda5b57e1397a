/// The two supported versions; the parser refuses all others.
package enum HTTPVersion: Sendable {
    case http10
    case http11
}
