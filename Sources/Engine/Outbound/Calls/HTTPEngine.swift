package import SwiftletEventLoop
import Synchronization

/// The asynchronous HTTP client of a process: on every loop libcurl's multi handle with connections of its own.
///
/// A request runs on the loop that it is sent on, from first byte to last; from other threads it is brought to one.
/// Connections are kept, HTTP/2 is spoken where the server does, and names are resolved on libcurl's threads.
package final class HTTPEngine: Sendable {
    package typealias Settings = HTTPEngineSettings

    private let transfers: [LoopBound<LoopTransfers>]
    private let turn = Atomic<Int>(0)

    package init(_ loops: [EventLoop], _ settings: Settings = Settings()) {
        precondition(!loops.isEmpty, "an HTTP client needs a loop")
        transfers = loops.map { LoopBound(LoopTransfers($0, settings), on: $0) }
    }

    /// Ends what is under way, and closes the connections. To be called before the loops stop.
    package func shutdown() async {
        for transfer in transfers { await transfer.loop.run { transfer.value.close() } }
    }

    /// The response with its whole body.
    package func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        let end = SystemCall.monotonicTime() + request.timeout
        let transfer = transfer
        let followsRedirects = request.redirects > 0
        var next = request
        while true {
            let request = next
            let completed = try await transfer.loop.onLoop { () async throws(HTTPFailure) in
                try await transfer.value.perform(request)
            }
            let status = completed.response.status
            guard followsRedirects, (300..<400).contains(status), let target = completed.redirect else {
                return completed.response
            }
            guard request.redirects > 0 else { throw .tooManyRedirects }
            next = try request.redirected(status, to: target)
            next.timeout = end - SystemCall.monotonicTime()
            guard next.timeout > .zero else { throw .timedOut }
        }
    }

    /// The head, and a body to be read while it arrives. Follows no redirects.
    package func open(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPStream {
        let transfer = transfer
        return try await transfer.loop.onLoop { () async throws(HTTPFailure) in
            let exchange = LoopBound(try transfer.value.begin(request, isStream: true), on: transfer.loop)
            let stream = HTTPStream.Source(transfer, exchange)
            let head = await withTaskCancellationHandler {
                await exchange.value.responseHead()
            } onCancel: {
                stream.end()
            }
            return HTTPStream(head: try head.get(), source: stream)
        }
    }

    private var transfer: LoopBound<LoopTransfers> {
        if let transfer = transfers.first(where: { $0.loop.isCurrent }) { return transfer }
        let number = turn.wrappingAdd(1, ordering: .relaxed).oldValue
        return transfers[Int(UInt(bitPattern: number) % UInt(transfers.count))]
    }
}
