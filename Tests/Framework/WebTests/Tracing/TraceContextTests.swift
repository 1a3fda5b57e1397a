@testable import SwiftletWeb
import Testing

@Suite struct TraceContextTests {
    private static let trace = "0af7651916cd43dd8448eb211c80319c"

    @Test(arguments: ["00", "01"])
    func `a header is read and written alike`(flags: String) throws {
        let header = "00-\(Self.trace)-b7ad6b7169203331-\(flags)"
        let context = try #require(TraceContext(header))
        #expect(context.header == header)
        #expect(context.traceID == Self.trace)
        #expect(context.spanID == "b7ad6b7169203331")
    }

    @Test func `ids keep their leading zeros`() throws {
        let header = "00-0000000000000000000000000000000f-000000000000000a-01"
        #expect(try #require(TraceContext(header)).header == header)
    }

    /// W3C Trace Context §4.3: of later versions, the first fields count.
    @Test func `a later version may be longer`() throws {
        let context = try #require(TraceContext("cc-\(Self.trace)-b7ad6b7169203331-09-what-else"))
        #expect(context.header == "00-\(Self.trace)-b7ad6b7169203331-01")
    }

    @Test(arguments: [
        "", "00", "00-\(trace)-b7ad6b7169203331-01-", "00-\(trace)-b7ad6b7169203331-01-more",
        "ff-\(trace)-b7ad6b7169203331-01", "00-00000000000000000000000000000000-b7ad6b7169203331-01",
        "00-\(trace)-0000000000000000-01", "00-\(trace.uppercased())-b7ad6b7169203331-01",
        "00-\(trace)-b7ad6b716920333g-01", "00_\(trace)-b7ad6b7169203331-01", "cc-\(trace)-b7ad6b7169203331-01x",
    ])
    func `what is none is not read`(header: String) {
        #expect(TraceContext(header) == nil)
    }

    @Test(
        arguments: [
            ("always_on", nil, 1.0), ("always_off", nil, 0), ("traceidratio", "0.25", 0.25),
            ("parentbased_always_on", nil, 1),
            ("parentbased_always_off", nil, 0), ("PARENTBASED_TRACEIDRATIO", "0.5", 0.5), ("traceidratio", nil, 1),
        ] as [(String, String?, Double)]
    )
    func `a sampler has one of OpenTelemetry's names`(name: String, argument: String?, ratio: Double) {
        let expected = TraceSampler(ratio: ratio, followsParent: name.lowercased().hasPrefix("parent"))
        #expect(TraceSampler(named: name, argument: argument) == expected)
    }

    @Test(
        arguments: [
            ("sometimes", nil), ("traceidratio", "2"), ("traceidratio", "-0.1"), ("traceidratio", "many"),
            ("traceidratio", "nan"),
        ] as [(String, String?)]
    )
    func `others are refused`(name: String, argument: String?) {
        #expect(TraceSampler(named: name, argument: argument) == nil)
    }

    @Test func `a queue that is full drops and counts`() {
        let queue = SpanQueue(limit: 2)
        let context = TraceContext("00-\(Self.trace)-b7ad6b7169203331-01")
        for number in 1...3 {
            guard let context else { return }
            queue.add(
                TraceSpan(
                    context: context,
                    parent: nil,
                    name: "\(number)",
                    kind: .server,
                    start: 1,
                    end: 2,
                    attributes: [],
                    isFailed: false
                )
            )
        }
        #expect(queue.dropped == 1)
        #expect(queue.take(1).map(\.name) == ["1"])
        #expect(queue.take(9).map(\.name) == ["2"])
        #expect(queue.count == 0)
    }
}
