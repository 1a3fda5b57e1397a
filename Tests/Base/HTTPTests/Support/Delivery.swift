import Testing

@testable import SwiftletHTTP

/// What a connection made of its bytes; equal for the same bytes however they were cut.
struct Delivery: Equatable, CustomStringConvertible {
    var requests: [ReceivedRequest] = []
    var error: ParseError?
    /// How many bytes were used in all; nil when it ended in an error, where nobody asks.
    var consumed: Int? { error == nil ? used : nil }
    private var used = 0
    var phase = RequestParser.Phase.idle

    /// Feeds the bytes in the given portions, as a connection does: what was not consumed comes again.
    ///
    /// Checks on the way what holds for every input: never more is consumed than was given, and nothing is served
    /// behind an error.
    init(_ bytes: [UInt8], cuts: [Int] = [], limits: RequestLimits = RequestLimits()) {
        var parser = RequestParser(limits: limits, remoteAddress: "192.0.2.1")
        var available = 0
        for end in cuts + [bytes.count] {
            available = max(available, end)
            guard deliver(bytes[..<available], to: &parser) else { break }
        }
        phase = parser.phase
    }

    /// False once the connection must close.
    private mutating func deliver(_ bytes: ArraySlice<UInt8>, to parser: inout RequestParser) -> Bool {
        while true {
            let rest = bytes[used...]
            do throws(ParseError) {
                switch try parser.parse(rest.span) {
                case .incomplete(let count), .streamed(let count):
                    use(count, of: rest)
                    return true
                case .awaitsContinue(let count):
                    use(count, of: rest)
                case .request(let request, let count):
                    use(count, of: rest)
                    requests.append(ReceivedRequest(request))
                case .tooLarge:
                    fail(.bodyTooLarge, rest, &parser)
                    return false
                }
            } catch {
                fail(error, rest, &parser)
                return false
            }
        }
    }

    private mutating func fail(_ error: ParseError, _ rest: ArraySlice<UInt8>, _ parser: inout RequestParser) {
        self.error = error
        expectRefusal(of: rest, by: &parser)
        expectRefusal(of: Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)[...], by: &parser)
    }

    private mutating func use(_ count: Int, of rest: ArraySlice<UInt8>) {
        #expect((0...rest.count).contains(count))
        used += count
    }

    private func expectRefusal(of bytes: ArraySlice<UInt8>, by parser: inout RequestParser) {
        do throws(ParseError) {
            _ = try parser.parse(bytes.span)
            Issue.record("served something behind an error")
        } catch {
            #expect(error == self.error)
        }
    }

    /// The status of the refusal, 200 when there was none.
    var status: Int { error?.status.rawValue ?? 200 }

    static func == (left: Delivery, right: Delivery) -> Bool {
        left.requests == right.requests && left.error == right.error && left.consumed == right.consumed
            && left.phase == right.phase
    }

    var description: String {
        "\(requests) \(error?.description ?? "no error"), \(used) consumed, \(phase)"
    }
}
