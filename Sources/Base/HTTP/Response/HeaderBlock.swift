/// Response fields that are made once at the start, so that each response takes them in one copy.
package struct HeaderBlock: Sendable {
    let lines: [UInt8]

    package init(_ fields: [(Headers.Name, String)]) {
        var headers = Headers()
        for (name, value) in fields { headers.append(name, value) }
        lines = headers.lines
    }
}
